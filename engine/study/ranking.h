// Whether an arm can be ranked at all.
#pragma once

#include <string>

#include "study/study.h"

namespace mmapscope {

/// Why an arm has no rank whatever it is compared with: runs of it failed, its outcome differs, or it has too
/// few good rounds; empty when it can have one. Of the summary only `arm`, `runs` and `outcomesAgree` count.
[[nodiscard]] std::string whyUnranked(const Study& study, const ArmSummary& summary);

}  // namespace mmapscope
