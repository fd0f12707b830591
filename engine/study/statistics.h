// The statistic of a study (design: Honest measurement).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "study/study.h"

namespace mmapscope {

struct RatioInterval {
    double ratio = 1, low = 1, high = 1;
};

[[nodiscard]] double median(std::vector<double> values);  ///< precondition: not empty
/// Median absolute deviation from the median, unscaled.
[[nodiscard]] double medianAbsoluteDeviation(const std::vector<double>& values);

/// Spearman's rank correlation of values with their position, -1 to 1, ties sharing their mean rank; 0 below
/// 3 values or when all are equal.
[[nodiscard]] double rankCorrelationWithTime(const std::vector<double>& values);

/// exp(median over rounds of log(baselineWall[i] / armWall[i])) and its 95 % percentile-bootstrap interval.
/// Both spans pair by index. nullopt below 5 pairs. At least 2000 resamples are drawn.
[[nodiscard]] std::optional<RatioInterval> pairedRatio(std::span<const double> baselineWall,
                                                       std::span<const double> armWall, std::uint64_t seed,
                                                       unsigned resamples = 4000);

/// faster when the whole interval lies above 1.01, slower below 0.99, else tied.
[[nodiscard]] Verdict verdictOf(const RatioInterval& interval);

/// Rewrites study.summary and the study-wide warnings from study.runs.
void summarize(Study& study);

}  // namespace mmapscope
