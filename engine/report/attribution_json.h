// Where the time went and what a sweep found, as the study file has it (design: Contracts, attribution[],
// crossovers[]).
#pragma once

#include "run/json_reader.h"
#include "study/study.h"

namespace mmapscope {

[[nodiscard]] Json attributionToJson(const Attribution& attribution);
[[nodiscard]] Result<Attribution> attributionFromJson(const Json& json, const std::string& where);

/// split_runs[], an addition to the contract: what attribution[] was computed from.
[[nodiscard]] Json splitRunToJson(const SplitRun& run);
[[nodiscard]] Result<SplitRun> splitRunFromJson(const Json& json, const std::string& where);

/// sweep, an addition to the contract: the plan of a study over sizes.
[[nodiscard]] Json sweepToJson(const SweepPlan& sweep);
[[nodiscard]] Result<SweepPlan> sweepFromJson(const Json& json, const std::string& where);
/// crossovers[].
[[nodiscard]] Json crossoverToJson(const Crossover& crossover);
[[nodiscard]] Result<Crossover> crossoverFromJson(const Json& json, const std::string& where);

}  // namespace mmapscope
