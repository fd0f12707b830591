#include "run/fault_tracing.h"

#include <algorithm>

namespace mmapscope {
namespace {

/// Small numbers for threads: the arm's own by index, then helper threads as they first appear.
class ThreadNumbers {
  public:
    explicit ThreadNumbers(std::vector<std::uint32_t> own) : ids_(std::move(own)) {}
    std::uint32_t of(std::uint32_t id) {
        const auto it = std::find(ids_.begin(), ids_.end(), id);
        const auto number = static_cast<std::uint32_t>(it - ids_.begin());
        if (it == ids_.end()) {
            ids_.push_back(id);
        }
        return number;
    }

  private:
    std::vector<std::uint32_t> ids_;
};

}  // namespace

FaultTracing::FaultTracing(const RunRequest& request) : request_(request) {
    if (request.traceFaults) {
        tracer_.emplace();
    }
}

void FaultTracing::start(const ArmThreads& threads) {
    if (tracer_ && threads.traceTrouble().empty()) {
        tracer_->start();
        started_ = true;
    }
}

void FaultTracing::finish(const ArmThreads& threads, RunRecord& record) {
    if (!started_) {
        if (tracer_) {
            record.warnings.push_back(threads.traceTrouble());
        }
        return;
    }
    const TracedFaults traced = tracer_->stop(tracedFiles(request_.path, request_.stamp, request_.members));
    const std::int64_t start = std::chrono::nanoseconds(Clock::duration(threads.clockStart().load())).count();
    ThreadNumbers numbers(threads.threadIds());
    FaultTrace& trace = record.faultTrace.emplace();
    trace.lost = traced.lost;
    trace.userOnly = traced.userOnly;
    const std::size_t count = traced.faults.size();
    trace.tNs.reserve(count);
    trace.offset.reserve(count);
    trace.major.reserve(count);
    trace.thread.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const TracedFault& fault = traced.faults[i];
        if (start == 0 || fault.tNs < start || fault.tNs - start > record.wall.count()) {
            continue;  // off the clock
        }
        trace.tNs.push_back(fault.tNs - start);
        trace.offset.push_back(traced.offsets[i]);
        trace.major.push_back(fault.major ? 1 : 0);
        trace.thread.push_back(numbers.of(fault.thread));
    }
    record.counters["fault_trace_cpu_ns"] = static_cast<std::uint64_t>(traced.cpu.count());
}

}  // namespace mmapscope
