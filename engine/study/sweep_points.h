// A sweep's points: what was found at each size, and where verdicts change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// Sizes that have measured runs, ascending.
[[nodiscard]] std::vector<Bytes> sizesOf(const Study& sweep);

/// The study of one size alone, summarized. Where the size was measured a second time, over both; a verdict
/// whose side the second time alone doesn't show is `tied`, with that as its reason.
[[nodiscard]] Study pointOf(const Study& sweep, Bytes size);

/// Whether every arm has had all its rounds at that size (or can't run there).
[[nodiscard]] bool isFinished(const Study& sweep, Bytes size);

/// Whether that size was measured a second time, whole: rounds beyond the plan's.
[[nodiscard]] bool isConfirmed(const Study& sweep, Bytes size);

/// Takes out the runs of sizes, and of second times, that were not measured whole: going on makes them anew.
void dropUnfinished(Study& sweep);

/// The sizes at both sides of crossovers that were measured only once: chance may have made them.
[[nodiscard]] std::vector<Bytes> unconfirmedSizes(const Study& sweep);

/// For every arm, between neighbouring sizes (ties and unranked ones left out) whose verdicts differ.
[[nodiscard]] std::vector<Crossover> findCrossovers(const Study& sweep);

/// Where a further point tells most of a crossover that isn't known to ±10 % yet; nullopt when all are, or
/// only ties lie between. A size is not asked for twice; `step` is the finest the workload can tell apart.
[[nodiscard]] std::optional<Bytes> nextSize(const Study& sweep, Bytes step);

/// About how many points nextSize will still ask for.
[[nodiscard]] unsigned pointsToRefine(const Study& sweep);

/// `points` sizes from `from` to `to`, evenly on a log scale. Precondition: 0 < from < to, points >= 2.
[[nodiscard]] std::vector<Bytes> logSizes(Bytes from, Bytes to, unsigned points);

/// Points of a grid from the smallest to the largest size that is as fine as ±10 % everywhere.
[[nodiscard]] std::uint64_t fineGridPoints(Bytes from, Bytes to);

/// What of the memory cap is left for the file's pages with that arm at that size: the limit that holds, less
/// the worker's own memory (its peak private bytes) and its page tables, as measured there; half of the limit
/// at least. nullopt: no cap. Without runs of the arm there, the whole limit.
[[nodiscard]] std::optional<Bytes> roomUnderCap(const Study& sweep, std::uint32_t arm, Bytes size);
/// The smallest limit that held for its runs; nullopt: no cap.
[[nodiscard]] std::optional<Bytes> effectiveCap(const Study& study);

/// A sentence for each crossover, and for each arm without one the evidence for that.
[[nodiscard]] std::vector<std::string> crossoverSentences(const Study& sweep);

}  // namespace mmapscope
