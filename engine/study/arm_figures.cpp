#include "study/arm_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "study/statistics.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

double number(std::uint64_t value) {
    return static_cast<double>(value);
}
double number(Bytes value) {
    return static_cast<double>(value.count());
}
double number(Nanoseconds value) {
    return static_cast<double>(value.count());
}

template <class T>
std::optional<double> optionalNumber(const std::optional<T>& value) {
    return value ? std::optional(number(*value)) : std::nullopt;
}

using Runs = std::vector<const RunRecord*>;

/// The kernel tells user from system time by where its tick (up to 10 ms) finds a thread: a run of a few
/// ticks reads "0 system" or "0 user" whatever it did.
constexpr double kSplitFrom = 40e6;  // ns

template <class Get>
std::optional<double> medianOver(const Runs& runs, Get get) {
    std::vector<double> values;
    for (const RunRecord* run : runs) {
        if (const std::optional<double> value = get(*run)) {
            values.push_back(*value);
        }
    }
    return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

}  // namespace

bool isRanked(const RunRecord& run) {
    return run.phase == Phase::measured && run.status == RunStatus::ok && !run.faultTrace && !run.split;
}

std::vector<double> goodWalls(const Study& study, std::uint32_t arm) {
    std::vector<double> walls;
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && isRanked(run)) {
            walls.push_back(number(run.wall));
        }
    }
    return walls;
}

ArmFigures figuresOf(const Study& study, std::uint32_t arm) {
    Runs good, inspected;
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && run.status == RunStatus::ok) {
            if (isRanked(run)) {
                good.push_back(&run);
            } else if (run.phase == Phase::inspection) {
                inspected.push_back(&run);
            }
        }
    }
    const auto plain = [&](auto member) {
        return medianOver(good,
                          [member](const RunRecord& run) { return std::optional(number(run.*member)); });
    };
    const auto known = [](const Runs& runs, auto member) {
        return medianOver(runs, [member](const RunRecord& run) { return optionalNumber(run.*member); });
    };
    const auto peak = [&](auto member) {
        const auto measured = known(good, member);
        return measured ? measured : known(inspected, member);
    };
    ArmFigures figures;
    figures.runs = good.size();
    figures.wallNs = plain(&RunRecord::wall);
    figures.setupNs = plain(&RunRecord::setup);
    figures.cpuNs = plain(&RunRecord::cpu);
    if (figures.cpuNs && *figures.cpuNs >= kSplitFrom) {
        figures.userNs = plain(&RunRecord::user);
        figures.systemNs = plain(&RunRecord::system);
        // No tick fell there: less than one tick, which nobody measured, and not nothing.
        for (auto* part : {&figures.userNs, &figures.systemNs}) {
            if (*part == 0.0) {
                part->reset();
            }
        }
    }
    figures.minorFaults = plain(&RunRecord::minorFaults);
    figures.majorFaults = plain(&RunRecord::majorFaults);
    figures.switches = medianOver(good, [](const RunRecord& run) {
        return std::optional(number(run.voluntarySwitches + run.involuntarySwitches));
    });
    figures.storageReadBytes = known(good, &RunRecord::storageRead);
    figures.peakPrivateBytes = peak(&RunRecord::peakPrivate);
    figures.peakHugetlbBytes = peak(&RunRecord::peakHugetlb);
    figures.peakMappedCacheBytes = peak(&RunRecord::peakMappedCache);
    return figures;
}

std::string splitNote(const std::vector<ArmFigures>& arms) {
    const bool brief = std::any_of(
        arms.begin(), arms.end(), [](const ArmFigures& arm) { return arm.cpuNs && *arm.cpuNs < kSplitFrom; });
    const bool noTick = std::any_of(arms.begin(), arms.end(), [](const ArmFigures& arm) {
        return arm.cpuNs && *arm.cpuNs >= kSplitFrom && (!arm.userNs || !arm.systemNs);
    });
    if (!brief && !noTick) {
        return {};
    }
    const std::string when = brief && noTick ? fmt::format(
                                                   "a run uses under {:.0f} ms of CPU time, or one of the "
                                                   "two less than a tick",
                                                   kSplitFrom / 1e6)
                             : brief ? fmt::format("a run uses under {:.0f} ms of CPU time", kSplitFrom / 1e6)
                                     : "one of the two is less than a tick";
    return fmt::format(
        "user and system are not told where {}: the kernel tells them apart by where its timer tick (HZ) "
        "finds "
        "a thread, which is too coarse for so little; cpu comes from the threads' exact clocks",
        when);
}

bool countsDecodedBytes(const Study& study) {
    const WorkloadType* type = findWorkload(study.plan.workload);
    return type != nullptr && type->producesOutput;
}

std::optional<double> medianCounter(const Study& study, std::uint32_t arm, std::string_view counter) {
    std::vector<double> values;
    for (const RunRecord& run : study.runs) {
        const auto it = run.counters.find(std::string(counter));
        if (run.arm == arm && isRanked(run) && it != run.counters.end()) {
            values.push_back(static_cast<double>(it->second));
        }
    }
    return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

}  // namespace mmapscope
