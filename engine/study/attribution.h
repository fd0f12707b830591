// Why: an arm's median wall time taken apart along the path of the thread that ends last.
//
//   wall = open + deliver + close + workload + touch + unexplained
//
// open, deliver and close are clocked in split runs of the arm itself; workload is what the same work costs
// on bytes that are already in memory; touch is what going over the source's bytes costs more than going over
// memory, for sources whose bytes only come in when they are touched.
#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// A source under a workload whose split runs are needed.
struct SplitSubject {
    std::string source;
    Parameters sourceParameters;
    unsigned threads = 1;
    std::string workload;
    Parameters workloadParameters;
    friend bool operator==(const SplitSubject&, const SplitSubject&) = default;
};

/// Each once, for every arm that has a median: the arm itself, `memory` under the study's workload, and for
/// arms that map the file lazily the source and `memory` under `scan`.
[[nodiscard]] std::vector<SplitSubject> splitSubjects(const Study& study);

/// For every arm with a median and split runs of all its subjects; from study.summary, runs and splitRuns.
[[nodiscard]] std::vector<Attribution> attribute(const Study& study);

}  // namespace mmapscope
