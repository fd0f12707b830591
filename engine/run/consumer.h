// The loop of one of the arm's threads: next span → workload in pieces → was it really the file?
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/accounting.h"
#include "run/run_errors.h"
#include "run/stamps.h"
#include "source/source.h"
#include "workload/workload.h"

namespace mmapscope {

using Clock = std::chrono::steady_clock;

struct ConsumerInput {
    Range range;
    Clock::time_point start;  ///< of the run's clock
    Bytes step;               ///< stampStep
    std::stop_token stop;
    /// Inspection run only: called with the span still mapped, at the first byte, at every quarter of the
    /// range and when all of it is consumed. Empty in measured runs.
    std::function<void()> look;
    /// Split runs only: time inside next() and inside the workload is added up.
    bool split = false;
};

class Consumer {
  public:
    Consumer(const ConsumerInput& input, Cursor& cursor, Workload& workload, ThreadAccount& account,
             StampBuffer& stamps, RunErrors& errors)
        : input_(input),
          cursor_(cursor),
          workload_(workload),
          account_(account),
          stamps_(stamps),
          errors_(errors) {}

    /// Until the range is delivered or something is wrong; then it was reported.
    void run();
    /// When the first span came; absent when none did.
    [[nodiscard]] std::optional<Nanoseconds> firstByte() const { return firstByte_; }
    /// In split runs; they touch, so what they leave of the loop's time is the loop's own.
    [[nodiscard]] Nanoseconds deliverTime() const { return deliver_; }
    [[nodiscard]] Nanoseconds consumeTime() const { return consume_; }

  private:
    /// false: reported, stop.
    [[nodiscard]] bool consume(std::span<const std::byte> span);
    [[nodiscard]] bool checkLength();
    void stamp(Nanoseconds now, bool withFaults);
    void lookIfDue();
    /// Adds the time since the last one to `part`.
    void splitInto(Nanoseconds& part);
    [[nodiscard]] Nanoseconds now() const { return Clock::now() - input_.start; }

    const ConsumerInput& input_;
    Cursor& cursor_;
    Workload& workload_;
    ThreadAccount& account_;
    StampBuffer& stamps_;
    RunErrors& errors_;
    Bytes delivered_;
    Bytes nextStamp_;
    Bytes nextLook_;
    std::optional<Nanoseconds> firstByte_;
    Nanoseconds faultsRead_{0};
    Clock::time_point splitAt_;
    Nanoseconds deliver_{0}, consume_{0};
};

}  // namespace mmapscope
