#include "report/summary_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "study/arm_figures.h"
#include "study/outcome_check.h"
#include "study/sweep_points.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

/// The unit a whole column is shown in, so that its figures compare at a glance.
struct Unit {
    std::string_view name;
    double size;
};
constexpr std::array<Unit, 4> kTimes{{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}}};

/// The largest unit in which the smallest figure is at least 0.1, at most `s`.
Unit timeUnit(const std::vector<ArmFigures>& arms) {
    double least = INFINITY;
    for (const ArmFigures& arm : arms) {
        if (arm.wallNs && *arm.wallNs > 0) {
            least = std::min(least, *arm.wallNs);
        }
    }
    for (const Unit& unit : kTimes) {
        if (least >= unit.size * (unit.size == 1e9 ? 10 : 1)) {
            return std::isinf(least) ? kTimes[1] : unit;
        }
    }
    return kTimes[3];
}

std::string number(double value) {
    if (value == 0) {
        return "0";
    }
    if (value < 0.095) {
        return fmt::format("{:.2g}", value);  // two places would leave nothing of it
    }
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string scaled(const std::optional<double>& value, double unit) {
    return value ? number(*value / unit) : kNoFigure;
}

std::string whole(const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : kNoFigure;
}

std::string ratio(const ArmSummary& summary) {
    if (!summary.ratio) {
        return kNoFigure;
    }
    if (summary.verdict == Verdict::baseline) {
        return "1";
    }
    return fmt::format("{:.2f} [{:.2f}–{:.2f}]", *summary.ratio, summary.ratioLow.value_or(*summary.ratio),
                       summary.ratioHigh.value_or(*summary.ratio));
}

/// Who computed the same: claims no comparison that wasn't made.
std::string sameBy(const Study& study) {
    const OutcomeReach reach = outcomeReach(study);
    if (reach.arms > 1) {
        return reach.arms == study.arms.size() ? "All arms computed the same"
                                               : "All arms that ran computed the same";
    }
    const auto ran = std::find_if(study.runs.begin(), study.runs.end(), [](const RunRecord& run) {
        return run.status == RunStatus::ok && run.outcome;
    });
    const std::string of = study.arms.size() == 1 ? "" : " of " + printable(study.arms[ran->arm].id);
    return reach.runs > 1 ? fmt::format("Every run{} computed the same", of)
                          : fmt::format("The one run{} computed", of);
}

/// "arms read, mmap and 3 more, 2 threads each": as many as a line has room for. Threads that differ are in
/// the ids.
std::string armsText(const Study& study) {
    constexpr std::size_t kMostNamed = 6;
    const auto& arms = study.arms;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < std::min(arms.size(), kMostNamed); ++i) {
        ids.push_back(printable(arms[i].id));
    }
    std::string text = fmt::format("{} {}", arms.size() == 1 ? "arm" : "arms", fmt::join(ids, ", "));
    if (arms.size() > kMostNamed) {
        text += fmt::format(" and {} more", arms.size() - kMostNamed);
    }
    const bool same = std::all_of(arms.begin(), arms.end(),
                                  [&](const Arm& arm) { return arm.threads == arms.front().threads; });
    if (same && arms.front().threads > 1) {
        text += fmt::format(", {} threads{}", arms.front().threads, arms.size() == 1 ? "" : " each");
    }
    return text;
}

}  // namespace

std::size_t displayWidth(const std::string& text) {
    // Code points: none of ours is wider or narrower than one column.
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

SummaryTable summaryTable(const Study& study) {
    constexpr double kMib = 1U << 20U;
    std::vector<ArmFigures> figures;
    for (const ArmSummary& summary : study.summary) {
        figures.push_back(figuresOf(study, summary.arm));
    }
    const Unit time = timeUnit(figures);
    const std::string unit(time.name);
    SummaryTable table;
    table.columns = {{"arm", "", false},
                     {"median", rateUnit(study)},
                     {"ratio [95 %]", "× baseline"},
                     {"verdict", "", false},
                     {"wall", unit},
                     {"cpu", unit},
                     {"user", unit},
                     {"system", unit},
                     {"minor", "faults"},
                     {"major", "faults"},
                     {"private", "peak MiB"},
                     {"storage", "read MiB"}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const ArmSummary& summary = study.summary[i];
        const ArmFigures& f = figures[i];
        table.rows.push_back({printable(study.arms[summary.arm].id),
                              scaled(summary.medianBytesPerSecond, kMib), ratio(summary),
                              std::string(name(summary.verdict)), scaled(f.wallNs, time.size),
                              scaled(f.cpuNs, time.size), scaled(f.userNs, time.size),
                              scaled(f.systemNs, time.size), whole(f.minorFaults), whole(f.majorFaults),
                              scaled(f.peakPrivateBytes, kMib), scaled(f.storageReadBytes, kMib)});
    }
    return table;
}

std::string outcomeLine(const Study& study) {
    const auto keys = checkOutcomes(study);
    if (keys.empty()) {
        return {};
    }
    std::vector<std::string> same, different;
    for (const OutcomeKey& key : keys) {
        if (key.agrees()) {
            same.push_back(fmt::format("{}={}", printable(key.key), key.seen.front().value));
        } else {
            different.push_back(describeDifference(key, study));
        }
    }
    if (different.empty()) {
        return fmt::format("{}: {}", sameBy(study), fmt::join(same, ", "));
    }
    return fmt::format("Arms computed different results: {}", fmt::join(different, "; "));
}

std::string rateUnit(const Study& study) {
    return countsDecodedBytes(study) ? "decoded MiB/s" : "MiB/s";
}

std::vector<std::string> unrankedLines(const Study& study) {
    std::vector<std::string> lines;
    for (const ArmSummary& summary : study.summary) {
        if (!summary.unrankedReason.empty()) {
            lines.push_back(fmt::format("{}: {}", printable(study.arms[summary.arm].id),
                                        printable(summary.unrankedReason)));
        }
    }
    return lines;
}

std::string workloadText(const Study& study) {
    const std::string& id = study.plan.workload;
    const WorkloadType* const type = findWorkload(id);
    if (type == nullptr || study.arms.empty()) {
        return printable(id);
    }
    const std::string parameters = formatParameters(type->parameters, study.arms.front().workloadParameters);
    return printable(parameters.empty() ? id : fmt::format("{}:{}", id, parameters));
}

std::string planLine(const Study& study) {
    return study.arms.empty() ? planText(study) : fmt::format("{}; {}", planText(study), armsText(study));
}

std::string planText(const Study& study) {
    const Plan& plan = study.plan;
    std::string rounds = plan.rounds == 0
                             ? "rounds not fixed yet"
                             : fmt::format("{} round{}", plan.rounds, plan.rounds == 1 ? "" : "s");
    if (study.sweep) {
        rounds += fmt::format(" at each size");
    } else if (!study.complete) {
        std::uint32_t done = 0;
        for (const ArmSummary& arm : study.summary) {
            done = std::max(done, arm.runs);
        }
        rounds += fmt::format(" (not finished: {} measured)", done);
    }
    return fmt::format(
        "{}{}, {}{}, workload {}, cache {}, {}, {}", plan.host.empty() ? "" : printable(plan.host) + ":",
        printable(plan.file), formatBytes(plan.limit.value_or(plan.fileBytes)),
        plan.limit ? " of " + formatBytes(plan.fileBytes) : "", workloadText(study),
        plan.memoryCap
            ? fmt::format("{} under a memory cap of {}{}", name(plan.cache), formatBytes(*plan.memoryCap),
                          effectiveCap(study) < plan.memoryCap
                              ? fmt::format(" (of which only {} hold: a group above has that limit)",
                                            formatBytes(*effectiveCap(study)))
                              : std::string())
            : std::string(name(plan.cache)),
        rounds, plan.isolation == Isolation::worker ? "a fresh worker each run" : "in process");
}

}  // namespace mmapscope
