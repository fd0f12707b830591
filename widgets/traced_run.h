// The fault trace of one run of a study, by reference: a trace may hold millions of faults.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// Keeps the study alive. Finds the run anew at every use, since a study's runs move while it grows.
class TracedRun {
  public:
    /// Precondition: study->runs[run] has a trace.
    TracedRun(std::shared_ptr<const Study> study, std::size_t run);

    [[nodiscard]] const Study& study() const { return *study_; }
    [[nodiscard]] const RunRecord& run() const { return study_->runs[run_]; }
    [[nodiscard]] const Arm& arm() const { return study_->arms[run().arm]; }
    /// In order of time, also where the study's file was not.
    [[nodiscard]] const FaultTrace& trace() const { return sorted_ ? *sorted_ : *run().faultTrace; }
    [[nodiscard]] Bytes page() const;       ///< of the machine that ran it
    [[nodiscard]] Bytes readBytes() const;  ///< the file, up to the limit
    /// readBytes(), or behind the last fault if that lies further on.
    [[nodiscard]] double lastByte() const;

    /// The same run, maybe of a study that has grown or was summarized anew.
    [[nodiscard]] bool isSameRun(const TracedRun& other) const;

  private:
    std::shared_ptr<const Study> study_;
    std::size_t run_;
    std::shared_ptr<const FaultTrace> sorted_;
};

/// Of every arm that has one its traced run, by arm.
[[nodiscard]] std::vector<TracedRun> tracedRuns(const std::shared_ptr<const Study>& study);

}  // namespace mmapscope
