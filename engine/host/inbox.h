// What comes in while something is being done: read by a thread of its own, so that a wish to stop, or the
// end of the connection, is noticed at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/unique_fd.h"
#include "run/frames.h"

namespace mmapscope {

class Inbox {
  public:
    struct Request {
        Frame frame;
        std::stop_source stop;  ///< set when the other side wants it, or is gone
    };

    explicit Inbox(int in);
    ~Inbox();
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    /// nullopt: the other side is gone, or said nothing for so long.
    [[nodiscard]] std::optional<Request> await(std::chrono::seconds patience);
    /// Counts the frames of that type.
    [[nodiscard]] std::uint64_t taken() const;
    /// Until one more than `before` came; false: the other side is gone, or said nothing for so long.
    [[nodiscard]] bool awaitTaken(std::uint64_t before, std::chrono::seconds patience);

  private:
    void listen();
    /// false: that is no frame of this conversation.
    bool take(Frame frame);

    const int in_;
    UniqueFd wake_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Request> requests_;  ///< this and the following are guarded by mutex_
    std::stop_source latest_;       ///< of the last request that came
    std::uint64_t taken_ = 0;
    bool ended_ = false;
    std::jthread thread_;  ///< last: joined before anything it uses goes
};

}  // namespace mmapscope
