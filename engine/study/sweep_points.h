// A sweep's points: what was found at each size, and where verdicts change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// Sizes that have measured runs, ascending.
[[nodiscard]] std::vector<Bytes> sizesOf(const Study& sweep);

/// The study of one size alone, summarized.
[[nodiscard]] Study pointOf(const Study& sweep, Bytes size);

/// Whether every arm has had all its rounds at that size (or can't run there).
[[nodiscard]] bool isFinished(const Study& sweep, Bytes size);

/// For every arm, between neighbouring sizes (ties and unranked ones left out) whose verdicts differ.
[[nodiscard]] std::vector<Crossover> findCrossovers(const Study& sweep);

/// Where a further point tells most of a crossover that isn't known to ±10 % yet; nullopt when all are, or
/// only ties lie between. A size is not asked for twice; `step` is the finest the workload can tell apart.
[[nodiscard]] std::optional<Bytes> nextSize(const Study& sweep, Bytes step);

/// `points` sizes from `from` to `to`, evenly on a log scale. Precondition: 0 < from < to, points >= 2.
[[nodiscard]] std::vector<Bytes> logSizes(Bytes from, Bytes to, unsigned points);

/// Points of a grid from the smallest to the largest size that is as fine as ±10 % everywhere.
[[nodiscard]] std::uint64_t fineGridPoints(Bytes from, Bytes to);

/// A sentence for each crossover, and for each arm without one the evidence for that.
[[nodiscard]] std::vector<std::string> crossoverSentences(const Study& sweep);

}  // namespace mmapscope
