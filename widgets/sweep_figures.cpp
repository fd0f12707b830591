#include "widgets/sweep_figures.h"

#include <QCoreApplication>
#include <algorithm>

#include "study/arm_figures.h"
#include "study/statistics.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

constexpr double kMib = 1U << 20U;

struct SweepWords {
    Q_DECLARE_TR_FUNCTIONS(SweepWords)
};

std::optional<double> countOf(const RunRecord& run, SweepCount count) {
    switch (count) {
        case SweepCount::majorFaults:
            return static_cast<double>(run.majorFaults);
        case SweepCount::minorFaults:
            return static_cast<double>(run.minorFaults);
        case SweepCount::refaults: {
            const auto found = run.counters.find(std::string(kGroupRefaults));
            return found == run.counters.end() ? std::nullopt
                                               : std::optional(static_cast<double>(found->second));
        }
        case SweepCount::storageRead:
            break;
    }
    return run.storageRead ? std::optional(static_cast<double>(run.storageRead->count()) / kMib)
                           : std::nullopt;
}

template <class Get>
SweepLine lineOf(const Study& sweep, std::uint32_t arm, Get get) {
    SweepLine line{static_cast<int>(arm), QString::fromStdString(sweep.arms[arm].id), {}};
    for (const Bytes size : sizesOf(sweep)) {
        std::vector<double> values;
        for (const RunRecord& run : sweep.runs) {
            if (run.arm == arm && run.limit == size && isRanked(run)) {
                if (const std::optional<double> value = get(run)) {
                    values.push_back(*value);
                }
            }
        }
        if (!values.empty()) {
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            line.values.push_back({size, median(values), *low, *high});
        }
    }
    return line;
}

}  // namespace

SweepFigures sweepFigures(const Study& sweep) {
    SweepFigures figures;
    for (std::uint32_t arm = 0; arm < sweep.arms.size(); ++arm) {
        figures.rates.push_back(lineOf(sweep, arm, [](const RunRecord& run) {
            return std::optional(static_cast<double>(run.bytesOut.value_or(run.bytesIn).count()) * 1e9 /
                                 kMib / static_cast<double>(run.wall.count()));
        }));
        for (std::size_t count = 0; count < kSweepCounts; ++count) {
            figures.counts[count].push_back(lineOf(sweep, arm, [count](const RunRecord& run) {
                return countOf(run, static_cast<SweepCount>(count));
            }));
        }
    }
    for (const Crossover& crossover : findCrossovers(sweep)) {
        figures.marks.push_back({static_cast<int>(crossover.arm), crossover.low, crossover.high});
    }
    figures.cap = sweep.plan.memoryCap;
    figures.decoded = countsDecodedBytes(sweep);
    return figures;
}

QString sweepCountName(SweepCount count) {
    switch (count) {
        case SweepCount::majorFaults:
            return SweepWords::tr("major faults");
        case SweepCount::minorFaults:
            return SweepWords::tr("minor faults");
        case SweepCount::refaults:
            return SweepWords::tr("pages read again after eviction (refaults)");
        case SweepCount::storageRead:
            break;
    }
    return SweepWords::tr("read from storage");
}

QString sweepCountLabel(SweepCount count) {
    return SweepWords::tr("%1, %2", "count, unit")
        .arg(sweepCountName(count),
             count == SweepCount::storageRead ? SweepWords::tr("MiB a run") : SweepWords::tr("a run"));
}

QString sweepRateLabel(const SweepFigures& figures) {
    return figures.decoded ? SweepWords::tr("throughput, decoded MiB/s")
                           : SweepWords::tr("throughput, MiB/s");
}

}  // namespace mmapscope
