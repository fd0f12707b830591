// Why: an arm's median wall time taken apart along the path of the thread that ends last.
//
//   wall = open + deliver + close + workload + touch or handover + unexplained
//
// open, deliver and close are clocked in split runs of the arm itself; workload is what the same work costs
// on bytes that are already in memory. touch, of sources that map the file and let faults fill the mapping,
// is what a plain scan of the source costs more than a plain scan of memory: measured apart from the arm, so
// that `unexplained` tests the whole account. handover, of the others, is what the work itself costs more or
// less on the spans this source hands it: a small buffer that was just filled still lies in the CPU's caches,
// huge pages spare TLB misses, small spans may make a workload gather.
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

/// Each once, for every arm that has a median: the arm itself and `memory` under the study's workload; for
/// arms that map the file lazily the source and `memory` under `scan`.
[[nodiscard]] std::vector<SplitSubject> splitSubjects(const Study& study);

/// For every arm with a median and at least three split runs of each of its subjects; from study.summary,
/// runs and splitRuns.
[[nodiscard]] std::vector<Attribution> attribute(const Study& study);

}  // namespace mmapscope
