// A study over working-set sizes: the grid, then more points where verdicts change.
#pragma once

#include <stop_token>

#include "study/backend.h"
#include "study/study_runner.h"
#include "study/sweep_points.h"

namespace mmapscope {

struct SweepRequest {
    StudyRequest study;        ///< its limit is the sweep's business
    std::vector<Bytes> sizes;  ///< of the grid; at least two
    unsigned morePoints = 8;   ///< most points added by refinement
};

/// Looks at file and arms as planStudy does, and moves the sizes to where the workload can stop. Error: as
/// planStudy; usage, when fewer than two different sizes are left or one is larger than the file.
[[nodiscard]] Result<Study> planSweep(const SweepRequest& request);

/// Runs a planned sweep, or goes on with one that was stopped: points that are finished stay, runs of others
/// are made again. The largest size first, then the smallest, then what lies between. `runs[].limit` tells
/// the size. Progress is of the whole sweep; `runEnded` as for a study. On stop it comes back with what is
/// done.
[[nodiscard]] Study runSweep(Study planned, const SweepRequest& request, const StudyEvents& events,
                             std::stop_token stop);
[[nodiscard]] Study runSweepWith(const StudyBackend& backend, Study planned, const SweepRequest& request,
                                 const StudyEvents& events, std::stop_token stop);

/// The request a stopped sweep was made by, from its file. Error: input, when it is no sweep; changed, when
/// file, kernel or program are not what they were, naming what.
[[nodiscard]] Result<SweepRequest> resumeRequest(const Study& sweep, const std::string& workerProgram);

}  // namespace mmapscope
