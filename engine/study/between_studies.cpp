#include "study/between_studies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "study/student.h"

namespace mmapscope {
namespace {

constexpr double kWrongAtMost = 0.05;

/// d_n of Croux and Rousseeuw ("Time-efficient algorithms for two highly robust estimators of scale", 1992).
double smallSampleFactor(std::size_t n) {
    constexpr std::array<double, 8> kFew{0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
    if (n - 2 < kFew.size()) {
        return kFew[n - 2];
    }
    const double count = static_cast<double>(n);
    return count / (count + (n % 2 != 0 ? 1.4 : 3.8));
}

struct Reach {
    double low, high;
};

Reach reachOf(const LogRatio& ratio, double wrong) {
    const double half = studentQuantile(wrong / 2, ratio.freedom) * ratio.deviation;
    return {ratio.value - half, ratio.value + half};
}

/// Holds the machine unchanged and the machine changed as the other arms show.
RatioInterval intervalOf(const Change& change, double wrong) {
    Reach reach = reachOf(change.whole, wrong);
    if (change.besideOthers) {
        const Reach beside = reachOf(*change.besideOthers, wrong);
        reach = {std::min(reach.low, beside.low), std::max(reach.high, beside.high)};
    }
    return {std::exp(change.whole.value), std::exp(reach.low), std::exp(reach.high)};
}

/// How likely a change that doesn't reach the border would look like this one, or farther, either way.
double pValueOf(const LogRatio& ratio, double sign, double border) {
    const double beyond = sign * ratio.value - sign * std::log1p(sign * border);
    return std::min(1.0, 2 * studentUpperTail(beyond / ratio.deviation, ratio.freedom));
}

double pValueOf(const Change& change, double border) {
    double least = 1;
    for (const double sign : {1.0, -1.0}) {
        double p = pValueOf(change.whole, sign, border);
        if (change.besideOthers) {
            p = std::max(p, pValueOf(*change.besideOthers, sign, border));
        }
        least = std::min(least, p);
    }
    return least;
}

/// Variances that add up, and the degrees of freedom of their sum.
class Sum {
  public:
    void add(const SideFigures& side, double weight) {
        const double part = side.variance * weight;
        variance_ += part;
        squares_ += part * part / side.freedom;
    }
    [[nodiscard]] LogRatio ratio(double value) const {
        return {value, std::sqrt(variance_), variance_ * variance_ / squares_};
    }

  private:
    double variance_ = 0, squares_ = 0;
};

Verdict verdictBeyond(const RatioInterval& interval, double border) {
    if (interval.low > 1 + border) {
        return Verdict::faster;
    }
    return interval.high < 1 - border ? Verdict::slower : Verdict::tied;
}

}  // namespace

double robustDeviation(std::span<const double> values) {
    const std::size_t n = values.size();
    if (n < 2) {
        return 0;
    }
    std::vector<double> distances;
    distances.reserve(n * (n - 1) / 2);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            distances.push_back(std::abs(values[i] - values[j]));
        }
    }
    const std::size_t half = n / 2 + 1;
    const auto rank = distances.begin() + static_cast<std::ptrdiff_t>(half * (half - 1) / 2 - 1);
    std::nth_element(distances.begin(), rank, distances.end());
    constexpr double kNormal = 2.219144;  // 1 / (√2 Φ⁻¹(5/8))
    return kNormal * smallSampleFactor(n) * *rank;
}

SittingFigures sittingFigures(std::span<const double> wallNs) {
    std::vector<double> logs;
    logs.reserve(wallNs.size());
    for (const double wall : wallNs) {
        logs.push_back(std::log(wall));
    }
    return {median(logs), robustDeviation(logs), logs.size()};
}

double assumedSpread(const SittingFigures& sitting) {
    const double rounds = static_cast<double>(sitting.runs);
    return std::max(kLeastSpread, sitting.scatter * std::max(1.0, kFewRounds / std::sqrt(rounds)));
}

SideFigures sideFigures(std::span<const SittingFigures> sittings, double least) {
    SideFigures side;
    side.sittings = sittings.size();
    const double count = static_cast<double>(sittings.size());
    double assumed = 0;
    for (const SittingFigures& sitting : sittings) {
        side.logWall += sitting.logWall / count;
        assumed += std::pow(std::max(least, assumedSpread(sitting)), 2) / count;
    }
    double squares = 0;
    for (const SittingFigures& sitting : sittings) {
        squares += std::pow(sitting.logWall - side.logWall, 2);
    }
    double known = kSpreadFreedom;
    for (const SittingFigures& sitting : sittings) {
        known = std::min(known, kFreedomPerRound * (static_cast<double>(sitting.runs) - 1));
    }
    known = std::max(1.0, known);
    side.freedom = known + count - 1;
    const double moved = (known * assumed + squares) / side.freedom;
    const double seen = sittings.size() > 1 ? squares / (count - 1) : 0;
    side.variance = std::max(moved, seen) / count;
    return side;
}

std::vector<Change> changesOf(std::span<const SideFigures> first, std::span<const SideFigures> other) {
    std::vector<Change> changes;
    for (std::size_t arm = 0; arm < first.size(); ++arm) {
        Sum own;
        own.add(first[arm], 1);
        own.add(other[arm], 1);
        const double value = first[arm].logWall - other[arm].logWall;
        Change change{own.ratio(value), std::nullopt};
        const bool measured =
            first[arm].sittings >= kEnoughSittings && other[arm].sittings >= kEnoughSittings;
        if (first.size() > 1 && !measured) {
            std::vector<double> others;
            const double count = static_cast<double>(first.size()) - 1;
            // The variance of a median of many normal values is π/2 that of their mean; of two it is the
            // mean.
            const double weight = (count > 2 ? std::numbers::pi / 2 : 1) / (count * count);
            for (std::size_t beside = 0; beside < first.size(); ++beside) {
                if (beside != arm) {
                    others.push_back(first[beside].logWall - other[beside].logWall);
                    own.add(first[beside], weight);
                    own.add(other[beside], weight);
                }
            }
            change.besideOthers = own.ratio(value - median(std::move(others)));
        }
        changes.push_back(change);
    }
    return changes;
}

std::vector<JudgedChange> judgeChanges(std::span<const Change> changes, double border) {
    std::vector<JudgedChange> judged(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        judged[i].pValue = pValueOf(changes[i], border);
    }
    std::vector<std::size_t> order(changes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return judged[a].pValue < judged[b].pValue; });
    bool stopped = false;
    double wrong = kWrongAtMost;
    for (std::size_t step = 0; step < order.size(); ++step) {
        JudgedChange& one = judged[order[step]];
        // From the first that isn't told apart on, all are judged as it was.
        wrong = stopped ? wrong : kWrongAtMost / static_cast<double>(order.size() - step);
        one.level = 1 - wrong;
        one.interval = intervalOf(changes[order[step]], wrong);
        const Verdict verdict = verdictBeyond(one.interval, border);
        stopped = stopped || verdict == Verdict::tied;
        one.verdict = stopped ? Verdict::tied : verdict;
    }
    return judged;
}

}  // namespace mmapscope
