// One ssh to mmapscope-worker --serve on another machine, and the frames that go over it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/host.h"
#include "run/frames.h"
#include "run/worker_process.h"

namespace mmapscope {

class SshConnection {
  public:
    /// Both ends have said hello when it returns. Error: unavailable, with what ssh says and what to do
    /// about it: not reached, not let in, no such program there, another version, or a shell that prints
    /// something else; cancelled.
    [[nodiscard]] static Result<std::unique_ptr<SshConnection>> open(const SshOptions& options,
                                                                     const std::vector<std::string>& ssh,
                                                                     const std::stop_token& stop);
    /// Waits up to a second for the other side's end.
    ~SshConnection();

    [[nodiscard]] Status send(FrameType type, std::string_view payload);
    /// nullopt: nothing came in that time. Error: failed, why nothing can come any more.
    [[nodiscard]] Result<std::optional<Frame>> next(std::chrono::milliseconds patience);
    /// At once, whatever the other side does.
    void drop() { process_.kill(); }

  private:
    explicit SshConnection(WorkerProcess process);
    /// What both streams hold now.
    void read(std::chrono::milliseconds patience);
    void readErrors();
    void readOutput();
    [[nodiscard]] Status greet(const SshOptions& options, const std::stop_token& stop);
    /// Once the output has ended: what speaks for why.
    [[nodiscard]] std::string why();
    [[nodiscard]] Error notOpened(const SshOptions& options);

    WorkerProcess process_;
    FrameReader frames_;
    std::string noise_;  ///< before the mark
    std::string said_;   ///< the end of what ssh, or the program there, printed to standard error
    std::string how_;    ///< it ended
    bool marked_ = false, outputOpen_ = true, errorsOpen_ = true;
};

/// serve writes it first, on a line of its own: what shells print before is no frame.
inline constexpr std::string_view kServeMark = "mmapscope serves frames\n";

}  // namespace mmapscope
