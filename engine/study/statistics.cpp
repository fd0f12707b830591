#include "study/statistics.h"

#include <algorithm>
#include <cmath>

#include "study/random.h"

namespace mmapscope {
namespace {

constexpr std::size_t kLeastPairs = 5;

/// The median of a resample: `counts[i]` is how often ascending[i] was drawn, `drawn` their sum.
double medianOfResample(const std::vector<double>& ascending, const std::vector<std::uint32_t>& counts,
                        std::size_t drawn) {
    std::size_t at = 0;
    std::size_t seen = counts[0];
    const auto valueAt = [&](std::size_t rank) {  // ranks asked for in ascending order
        while (seen <= rank) {
            seen += counts[++at];
        }
        return ascending[at];
    };
    const double lower = valueAt((drawn - 1) / 2);
    return drawn % 2 != 0 ? lower : (lower + valueAt(drawn / 2)) / 2;
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
    std::vector<std::uint32_t> counts(logs.size());
    for (double& resampled : medians) {
        std::fill(counts.begin(), counts.end(), 0U);
        for (std::size_t i = 0; i < logs.size(); ++i) {
            ++counts[random.below(logs.size())];
        }
        resampled = medianOfResample(logs, counts, logs.size());
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
