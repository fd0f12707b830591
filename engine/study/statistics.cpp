#include "study/statistics.h"

#include <algorithm>
#include <cmath>

#include "study/random.h"

namespace mmapscope {
namespace {

constexpr std::size_t kLeastPairs = 5;

/// The median of values picked by `picks` from an ascending sequence: only the picks need ordering.
double medianOfPicks(const std::vector<double>& ascending, std::vector<std::uint32_t>& picks) {
    const auto middle = picks.begin() + static_cast<std::ptrdiff_t>(picks.size() / 2);
    std::nth_element(picks.begin(), middle, picks.end());
    const double upper = ascending[*middle];
    if (picks.size() % 2 != 0) {
        return upper;
    }
    return (ascending[*std::max_element(picks.begin(), middle)] + upper) / 2;
}

}  // namespace

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double medianAbsoluteDeviation(const std::vector<double>& values) {
    const double center = median(values);
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double value : values) {
        distances.push_back(std::abs(value - center));
    }
    return median(std::move(distances));
}

double rankCorrelationWithTime(const std::vector<double>& values) {
    const std::size_t count = values.size();
    if (count < 3) {
        return 0;
    }
    // Pearson's correlation of the ranks, which ties don't upset: twice the rank keeps them whole numbers.
    const double mean = static_cast<double>(count) - 1;
    double both = 0, ofTime = 0, ofRank = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto below =
            std::count_if(values.begin(), values.end(), [&](double v) { return v < values[i]; });
        const auto equal = std::count(values.begin(), values.end(), values[i]);
        const double rank = static_cast<double>(2 * below + equal - 1) - mean;
        const double time = static_cast<double>(2 * i) - mean;
        both += rank * time;
        ofTime += time * time;
        ofRank += rank * rank;
    }
    return ofRank > 0 ? both / std::sqrt(ofTime * ofRank) : 0;
}

std::optional<RatioInterval> pairedRatio(std::span<const double> baselineWall,
                                         std::span<const double> armWall, std::uint64_t seed,
                                         unsigned resamples) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < std::min(baselineWall.size(), armWall.size()); ++i) {
        if (baselineWall[i] > 0 && armWall[i] > 0) {
            logs.push_back(std::log(baselineWall[i] / armWall[i]));
        }
    }
    if (logs.size() < kLeastPairs) {
        return std::nullopt;
    }
    std::sort(logs.begin(), logs.end());

    SplitMix64 random(seed);
    std::vector<double> medians(std::max(resamples, 2000U));
    std::vector<std::uint32_t> picks(logs.size());
    for (double& resampled : medians) {
        for (std::uint32_t& pick : picks) {
            pick = static_cast<std::uint32_t>(random.below(logs.size()));
        }
        resampled = medianOfPicks(logs, picks);
    }
    std::sort(medians.begin(), medians.end());
    const std::size_t tail = medians.size() / 40;  // 2.5 % on each side
    return RatioInterval{std::exp(median(logs)), std::exp(medians[tail]),
                         std::exp(medians[medians.size() - 1 - tail])};
}

Verdict verdictOf(const RatioInterval& interval) {
    if (interval.low > 1.01) {
        return Verdict::faster;
    }
    return interval.high < 0.99 ? Verdict::slower : Verdict::tied;
}

}  // namespace mmapscope
