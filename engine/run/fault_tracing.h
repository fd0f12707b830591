// A run's fault trace: from the tracer's events to the record's columns.
#pragma once

#include <optional>

#include "probe/fault_trace.h"
#include "run/arm_threads.h"
#include "run/run_record.h"

namespace mmapscope {

/// Tracing of one run; does nothing when the request doesn't ask for it.
class FaultTracing {
  public:
    explicit FaultTracing(const RunRequest& request);
    /// nullptr: not asked for.
    [[nodiscard]] FaultTracer* tracer() { return tracer_ ? &*tracer_ : nullptr; }
    /// Once the threads are prepared, before their clock starts.
    void start(const ArmThreads& threads);
    /// Once they have ended: fills record.faultTrace, or says in record.warnings why there is none.
    void finish(const ArmThreads& threads, RunRecord& record);

  private:
    const RunRequest& request_;
    std::optional<FaultTracer> tracer_;
    bool started_ = false;
};

}  // namespace mmapscope
