// From claims to results: makes the samples, runs the studies, judges.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "claims/verdict.h"

namespace mmapscope {

struct ClaimsRequest {
    bool quick = false;
    std::vector<const Claim*> claims;  ///< in the order to report
    std::string folder;                ///< for samples; empty: the user's cache folder
    std::string workerProgram;         ///< from findWorkerProgram
};

struct ClaimsProgress {
    std::string study;  ///< its id
    std::string doing;  ///< in words
    double fraction = 0;
    std::chrono::nanoseconds left{0};  ///< at most
};

struct ClaimsReport {
    bool quick = false, complete = false;
    std::vector<ClaimResult> results;  ///< one a claim
    ClaimStudies studies;
};

/// At most this long with ClaimsRequest::quick, whatever the machine.
inline constexpr std::chrono::seconds kQuickLimit{270};

/// The studies these claims need, each once.
[[nodiscard]] std::vector<const StudySpec*> studiesOf(const std::vector<const Claim*>& claims);

/// Runs them one after another, each within its budget where quick; what a budget ends is judged by the
/// rounds that were done. On stop it comes back with what is done (complete false). Samples, mounts and huge
/// pages are gone when it returns. Error: input, failed (no place for samples).
[[nodiscard]] Result<ClaimsReport> runClaims(const ClaimsRequest& request,
                                             const std::function<void(const ClaimsProgress&)>& progress,
                                             std::stop_token stop);

}  // namespace mmapscope
