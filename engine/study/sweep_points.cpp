#include "study/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "study/arm_figures.h"
#include "study/statistics.h"

namespace mmapscope {
namespace {

/// high/low of a size known to ±10 %.
constexpr double kKnown = 1.1 / 0.9;
/// Closer neighbours tell nothing more.
constexpr double kFinest = 1.03;

double number(Bytes bytes) {
    return static_cast<double>(bytes.count());
}

Bytes between(Bytes low, Bytes high) {
    return Bytes(static_cast<std::uint64_t>(std::llround(std::sqrt(number(low) * number(high)))));
}

struct Point {
    Bytes size;
    Verdict verdict = Verdict::unranked;
    std::optional<double> ratio, low, high;
};

/// An arm's verdicts by size, ascending.
std::vector<std::vector<Point>> pointsByArm(const Study& sweep) {
    std::vector<std::vector<Point>> arms(sweep.arms.size());
    for (const Bytes size : sizesOf(sweep)) {
        const Study point = pointOf(sweep, size);
        for (const ArmSummary& summary : point.summary) {
            arms[summary.arm].push_back(
                {size, summary.verdict, summary.ratio, summary.ratioLow, summary.ratioHigh});
        }
    }
    return arms;
}

bool tells(Verdict verdict) {
    return verdict == Verdict::faster || verdict == Verdict::slower;
}

std::vector<Crossover> crossoversIn(const std::vector<Point>& points, std::uint32_t arm,
                                    std::uint32_t baseline) {
    std::vector<Crossover> found;
    const Point* last = nullptr;
    for (const Point& point : points) {
        if (!tells(point.verdict)) {
            continue;
        }
        if (last != nullptr && last->verdict != point.verdict) {
            found.push_back({arm, baseline, last->size, point.size, between(last->size, point.size),
                             last->verdict == Verdict::faster, 0.95});
        }
        last = &point;
    }
    return found;
}

/// Whether every arm has so many rounds at that size, or can't run there.
bool measuredUpTo(const Study& sweep, Bytes size, unsigned rounds) {
    std::vector<unsigned> measured(sweep.arms.size());
    std::vector<bool> out(sweep.arms.size());
    for (const RunRecord& run : sweep.runs) {
        if (run.limit != size || run.arm >= measured.size()) {
            continue;
        }
        measured[run.arm] += run.phase == Phase::measured ? 1 : 0;
        out[run.arm] = out[run.arm] || run.status == RunStatus::unavailable;
    }
    for (std::size_t arm = 0; arm < sweep.arms.size(); ++arm) {
        if (!out[arm] && measured[arm] < rounds) {
            return false;
        }
    }
    return true;
}

/// Borders as in the verdicts of a study.
constexpr double kFaster = 1.01;
constexpr double kSlower = 0.99;

void keepIfConfirmed(ArmSummary& both, const ArmSummary& second) {
    const double ratio = second.ratio.value_or(1);
    const bool lost = (both.verdict == Verdict::faster && ratio < kFaster) ||
                      (both.verdict == Verdict::slower && ratio > kSlower);
    if (lost) {
        both.verdict = Verdict::tied;
    }
}

std::string armId(const Study& sweep, std::uint32_t arm) {
    return printable(sweep.arms[arm].id);
}

/// Where intervals leave room for the verdict that an arm never got: one sitting may find there what another
/// doesn't.
std::string notTold(const std::vector<Point>& points, Verdict verdict) {
    const bool slower = verdict == Verdict::slower;
    const Point* farthest = nullptr;
    std::size_t open = 0;
    for (const Point& point : points) {
        const auto& end = slower ? point.low : point.high;
        if (point.verdict != Verdict::tied || !end || (slower ? *end >= kSlower : *end <= kFaster)) {
            continue;
        }
        ++open;
        const bool more = farthest == nullptr || (slower ? *end < *farthest->low : *end > *farthest->high);
        farthest = more ? &point : farthest;
    }
    if (farthest == nullptr) {
        return {};
    }
    return fmt::format("; whether it is {} is not told at {} {}: the interval reaches {:.2f} at {}",
                       name(verdict), open, open == 1 ? "size" : "sizes",
                       slower ? *farthest->low : *farthest->high, formatBytes(farthest->size));
}

/// What an arm without a crossover is, over the sizes it was ranked at.
std::string steadyWords(const Study& sweep, std::uint32_t arm, const std::vector<Point>& points) {
    const std::string who = armId(sweep, arm);
    std::vector<double> ratios;
    std::set<Verdict> seen;
    Bytes low, high;
    for (const Point& point : points) {
        if (point.verdict == Verdict::unranked || !point.ratio) {
            continue;
        }
        low = ratios.empty() ? point.size : low;
        high = point.size;
        ratios.push_back(*point.ratio);
        seen.insert(point.verdict);
    }
    const std::string base = armId(sweep, sweep.plan.baseline);
    if (ratios.empty()) {
        return fmt::format("{}: ranked at no size", who);
    }
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    const std::string range = fmt::format("between {} and {} ({:.2f} to {:.2f} times as fast as {})",
                                          formatBytes(low), formatBytes(high), *least, *most, base);
    // One side only, and ties beyond: where it stops is what one wants to know.
    const auto lastTold =
        std::find_if(points.rbegin(), points.rend(), [](const Point& point) { return tells(point.verdict); });
    if (lastTold != points.rend() && lastTold != points.rbegin()) {
        const Point& next = *(lastTold - 1);
        return fmt::format("{}: {} than {} up to {}, tied with it from {} on; no crossover {}", who,
                           lastTold->verdict == Verdict::faster ? "faster" : "slower", base,
                           formatBytes(lastTold->size), formatBytes(next.size), range);
    }
    if (seen.contains(Verdict::faster)) {
        return fmt::format("{}: never slower than {} {}{}", who, base, range,
                           notTold(points, Verdict::slower));
    }
    if (seen.contains(Verdict::slower)) {
        return fmt::format("{}: never faster than {} {}{}", who, base, range,
                           notTold(points, Verdict::faster));
    }
    return fmt::format("{}: tied with {} at every size {}", who, base, range);
}

}  // namespace

std::vector<Bytes> sizesOf(const Study& sweep) {
    std::set<Bytes> sizes;
    for (const RunRecord& run : sweep.runs) {
        if (run.limit && run.phase == Phase::measured) {
            sizes.insert(*run.limit);
        }
    }
    return {sizes.begin(), sizes.end()};
}

bool isConfirmed(const Study& sweep, Bytes size) {
    return measuredUpTo(sweep, size, 2 * std::max(1U, sweep.plan.rounds));
}

Study pointOf(const Study& sweep, Bytes size) {
    Study point;
    point.environment = sweep.environment;
    point.plan = sweep.plan;
    point.plan.limit = size;
    point.arms = sweep.arms;
    for (const RunRecord& run : sweep.runs) {
        if (run.limit == size) {
            point.runs.push_back(run);
        }
    }
    point.complete = true;
    summarize(point);
    if (isConfirmed(sweep, size)) {
        Study second = point;
        std::erase_if(second.runs, [&](const RunRecord& run) {
            return run.phase == Phase::measured && run.round <= sweep.plan.rounds;
        });
        summarize(second);
        for (std::size_t i = 0; i < point.summary.size(); ++i) {
            keepIfConfirmed(point.summary[i], second.summary[i]);
        }
        point.plan.rounds = 2 * sweep.plan.rounds;
    }
    return point;
}

bool isFinished(const Study& sweep, Bytes size) {
    return measuredUpTo(sweep, size, std::max(1U, sweep.plan.rounds));
}

std::vector<Crossover> findCrossovers(const Study& sweep) {
    std::vector<Crossover> all;
    const auto arms = pointsByArm(sweep);
    for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
        if (arm != sweep.plan.baseline) {
            const auto found = crossoversIn(arms[arm], arm, sweep.plan.baseline);
            all.insert(all.end(), found.begin(), found.end());
        }
    }
    return all;
}

std::optional<Bytes> nextSize(const Study& sweep, Bytes step) {
    const auto sizes = sizesOf(sweep);
    std::optional<Bytes> best;
    double widest = kFinest;
    for (const Crossover& crossover : findCrossovers(sweep)) {
        if (number(crossover.high) / number(crossover.low) <= kKnown) {
            continue;
        }
        // The gaps at either end: a verdict there moves the end, one amid ties doesn't.
        const auto low = std::find(sizes.begin(), sizes.end(), crossover.low);
        const auto high = std::find(sizes.begin(), sizes.end(), crossover.high);
        for (const auto& [a, b] : {std::pair{low, low + 1}, std::pair{high - 1, high}}) {
            const double gap = number(*b) / number(*a);
            const Bytes middle = between(*a, *b);
            if (gap > widest && *b - *a > step * 2 && middle > *a && middle < *b) {
                widest = gap;
                best = middle;
            }
        }
    }
    return best;
}

void dropUnfinished(Study& sweep) {
    std::map<Bytes, bool> finished, confirmed;
    for (const Bytes size : sizesOf(sweep)) {
        finished[size] = isFinished(sweep, size);
        confirmed[size] = isConfirmed(sweep, size);
    }
    std::erase_if(sweep.runs, [&](const RunRecord& run) {
        return !run.limit || !finished[*run.limit] ||
               (run.round > sweep.plan.rounds && !confirmed[*run.limit]);
    });
}

std::vector<Bytes> unconfirmedSizes(const Study& sweep) {
    std::vector<Bytes> sizes;
    for (const Crossover& crossover : findCrossovers(sweep)) {
        for (const Bytes end : {crossover.low, crossover.high}) {
            if (!isConfirmed(sweep, end) && std::find(sizes.begin(), sizes.end(), end) == sizes.end()) {
                sizes.push_back(end);
            }
        }
    }
    return sizes;
}

unsigned pointsToRefine(const Study& sweep) {
    std::set<std::pair<Bytes, Bytes>> gaps;
    unsigned points = 0;
    for (const Crossover& c : findCrossovers(sweep)) {
        const double gap = std::log(number(c.high) / number(c.low)) / std::log(kKnown);
        // Arms that cross in the same gap share its points.
        if (gap > 1 && gaps.insert({c.low, c.high}).second) {
            points += static_cast<unsigned>(std::ceil(std::log2(gap)));
        }
    }
    return points;
}

std::vector<Bytes> logSizes(Bytes from, Bytes to, unsigned points) {
    std::vector<Bytes> sizes;
    const double ratio = std::pow(number(to) / number(from), 1.0 / (points - 1));
    for (unsigned i = 0; i < points; ++i) {
        sizes.push_back(i == 0            ? from
                        : i + 1 == points ? to
                                          : Bytes(static_cast<std::uint64_t>(
                                                std::llround(number(from) * std::pow(ratio, i)))));
    }
    return sizes;
}

std::uint64_t fineGridPoints(Bytes from, Bytes to) {
    return static_cast<std::uint64_t>(std::ceil(std::log(number(to) / number(from)) / std::log(kKnown))) + 1;
}

std::optional<Bytes> effectiveCap(const Study& study) {
    std::optional<Bytes> least = study.plan.memoryCap;
    for (const RunRecord& run : study.runs) {
        if (run.cap && least) {
            least = std::min(*least, run.cap->effective);
        }
    }
    return least;
}

std::optional<Bytes> roomUnderCap(const Study& sweep, std::uint32_t arm, Bytes size) {
    const auto cap = effectiveCap(sweep);
    if (!cap) {
        return std::nullopt;
    }
    Bytes own, pageTables;
    for (const RunRecord& run : sweep.runs) {
        if (run.arm == arm && run.limit == size) {
            own = std::max(own, run.peakPrivate.value_or(Bytes(0)));
            if (run.mapping) {
                pageTables = std::max(pageTables, run.mapping->pageTables.value_or(Bytes(0)));
            }
        }
    }
    const Bytes held = own + pageTables;
    return held > *cap / 2 ? *cap / 2 : *cap - held;
}

std::vector<std::string> crossoverSentences(const Study& sweep) {
    std::vector<std::string> sentences;
    const auto arms = pointsByArm(sweep);
    for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
        if (arm == sweep.plan.baseline) {
            continue;
        }
        const auto found = crossoversIn(arms[arm], arm, sweep.plan.baseline);
        if (found.empty()) {
            sentences.push_back(steadyWords(sweep, arm, arms[arm]));
        }
        for (const Crossover& c : found) {
            std::string words = fmt::format(
                "{0}: {2} than {1} up to {3}, {4} from {5}; the crossover is near {6}", armId(sweep, arm),
                armId(sweep, c.baseline), c.fasterBelow ? "faster" : "slower", formatBytes(c.low),
                c.fasterBelow ? "slower" : "faster", formatBytes(c.high), formatBytes(c.size));
            if (const auto room = roomUnderCap(sweep, arm, c.high)) {
                words += fmt::format(", {:.2f} times the {} that the memory cap leaves for the file",
                                     number(c.size) / number(*room), formatBytes(*room));
            }
            sentences.push_back(std::move(words));
        }
    }
    return sentences;
}

}  // namespace mmapscope
