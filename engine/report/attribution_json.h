// Where the time went, as the study file has it (design: Contracts, attribution[]).
#pragma once

#include "run/json_reader.h"
#include "study/study.h"

namespace mmapscope {

[[nodiscard]] Json attributionToJson(const Attribution& attribution);
[[nodiscard]] Result<Attribution> attributionFromJson(const Json& json, const std::string& where);

/// split_runs[], an addition to the contract: what attribution[] was computed from.
[[nodiscard]] Json splitRunToJson(const SplitRun& run);
[[nodiscard]] Result<SplitRun> splitRunFromJson(const Json& json, const std::string& where);

}  // namespace mmapscope
