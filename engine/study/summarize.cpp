#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "study/arm_figures.h"
#include "study/outcome_check.h"
#include "study/random.h"
#include "study/ranking.h"
#include "study/statistics.h"
#include "study/sweep_points.h"
#include "study/warnings.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr std::uint32_t kLeastRounds = 5;
constexpr std::uint64_t kBootstrapStream = 1;

Nanoseconds wholeNs(double ns) {
    return Nanoseconds(static_cast<std::int64_t>(ns + 0.5));
}

std::optional<double> medianRate(const Study& study, std::uint32_t arm) {
    const WorkloadType* type = findWorkload(study.arms[arm].workload);
    const bool ofOutput = type != nullptr && type->producesOutput;
    std::vector<double> rates;
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && isRanked(run) && run.wall.count() > 0) {
            const Bytes bytes = ofOutput ? run.bytesOut.value_or(Bytes(0)) : run.bytesIn;
            if (bytes.isZero()) {
                continue;  // of an empty file there is no throughput
            }
            rates.push_back(static_cast<double>(bytes.count()) * 1e9 / static_cast<double>(run.wall.count()));
        }
    }
    return rates.empty() ? std::nullopt : std::optional(median(std::move(rates)));
}

/// Wall times by round of the good measured runs.
std::map<std::uint32_t, double> wallByRound(const Study& study, std::uint32_t arm) {
    std::map<std::uint32_t, double> walls;
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && isRanked(run)) {
            walls[run.round] = static_cast<double>(run.wall.count());
        }
    }
    return walls;
}

std::optional<RatioInterval> ratioTo(const Study& study, std::uint32_t baseline, std::uint32_t arm) {
    const auto baselineWalls = wallByRound(study, baseline);
    std::vector<double> of, against;
    for (const auto& [round, wall] : wallByRound(study, arm)) {
        if (const auto it = baselineWalls.find(round); it != baselineWalls.end()) {
            of.push_back(wall);
            against.push_back(it->second);
        }
    }
    return pairedRatio(against, of, streamSeed(study.plan.orderSeed, kBootstrapStream + arm));
}

ArmSummary figures(const Study& study, std::uint32_t arm, const std::vector<OutcomeKey>& outcomes) {
    ArmSummary summary;
    summary.arm = arm;
    summary.outcomesAgree = outcomesAgree(outcomes, arm);
    const std::vector<double> walls = goodWalls(study, arm);
    summary.runs = static_cast<std::uint32_t>(walls.size());
    if (!walls.empty()) {
        const auto [least, most] = std::minmax_element(walls.begin(), walls.end());
        summary.medianWall = wholeNs(median(walls));
        summary.minWall = wholeNs(*least);
        summary.maxWall = wholeNs(*most);
        summary.madWall = wholeNs(medianAbsoluteDeviation(walls));
        summary.medianBytesPerSecond = medianRate(study, arm);
    }
    summary.unrankedReason = whyUnranked(study, summary);
    return summary;
}

void rank(const Study& study, const ArmSummary& baseline, ArmSummary& summary) {
    if (!summary.unrankedReason.empty()) {
        return;
    }
    if (!baseline.unrankedReason.empty()) {
        summary.unrankedReason = fmt::format("the baseline {} can't be compared with ({})",
                                             study.arms[baseline.arm].id, baseline.unrankedReason);
        return;
    }
    const auto interval = ratioTo(study, baseline.arm, summary.arm);
    if (!interval) {
        summary.unrankedReason =
            fmt::format("fewer than {} rounds in which it and the baseline were both good", kLeastRounds);
        return;
    }
    summary.ratio = interval->ratio;
    summary.ratioLow = interval->low;
    summary.ratioHigh = interval->high;
    summary.verdict = verdictOf(*interval);
}

}  // namespace

std::string whyUnranked(const Study& study, const ArmSummary& summary) {
    std::size_t failed = 0;
    std::string error, unavailable;
    for (const RunRecord& run : study.runs) {
        if (run.arm == summary.arm && run.status == RunStatus::failed) {
            ++failed;
            error = error.empty() ? run.error : error;
        } else if (run.arm == summary.arm && run.status == RunStatus::unavailable) {
            unavailable = run.error;
        }
    }
    if (failed > 0) {
        return fmt::format("{} failed: {}", failed == 1 ? "a run" : fmt::format("{} runs", failed),
                           printable(error));
    }
    if (summary.outcomesAgree == false) {
        return "its outcome differs from another arm's";
    }
    if (summary.runs < kLeastRounds) {
        return unavailable.empty() ? fmt::format("{} of at least {} good rounds", summary.runs, kLeastRounds)
                                   : fmt::format("not available: {}", printable(unavailable));
    }
    return {};
}

namespace {

/// Runs of different sizes are not compared with each other: each point is a study of its own.
void summarizeSweep(Study& sweep) {
    sweep.warnings.clear();
    std::vector<ArmSummary> all(sweep.arms.size());
    for (std::uint32_t arm = 0; arm < all.size(); ++arm) {
        all[arm].arm = arm;
        all[arm].unrankedReason = "measured at several sizes: each point of the sweep has its own verdict";
    }
    if (sweep.plan.baseline < all.size()) {
        all[sweep.plan.baseline].verdict = Verdict::baseline;
    }
    std::size_t noisy = 0;
    const auto sizes = sizesOf(sweep);
    for (const Bytes size : sizes) {
        const Study point = pointOf(sweep, size);
        for (const ArmSummary& one : point.summary) {
            all[one.arm].runs += one.runs;
            if (one.outcomesAgree) {
                all[one.arm].outcomesAgree = all[one.arm].outcomesAgree.value_or(true) && *one.outcomesAgree;
            }
        }
        for (const Warning& warning : findWarnings(point, checkOutcomes(point))) {
            if (warning.kind < WarningKind::drift) {
                sweep.warnings.push_back(fmt::format("At {}: {}", formatBytes(size), textOf(warning)));
            }
            noisy += warning.kind == WarningKind::noise ? 1 : 0;
        }
    }
    if (noisy > 0) {
        sweep.warnings.push_back(
            fmt::format("Wall times scatter at {} of {} sizes: small differences are not resolved there.",
                        noisy, sizes.size()));
    }
    sweep.summary = std::move(all);
}

}  // namespace

void summarize(Study& study) {
    if (study.sweep) {
        summarizeSweep(study);
        return;
    }
    const auto outcomes = checkOutcomes(study);
    std::vector<ArmSummary> all;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        all.push_back(figures(study, arm, outcomes));
    }
    if (study.plan.baseline < all.size()) {
        const ArmSummary baseline = all[study.plan.baseline];
        for (ArmSummary& summary : all) {
            if (summary.arm != baseline.arm) {
                rank(study, baseline, summary);
            } else {
                // What the others are measured by, even where it is not good enough to measure by.
                summary.verdict = Verdict::baseline;
                if (summary.unrankedReason.empty()) {
                    summary.ratio = summary.ratioLow = summary.ratioHigh = 1.0;
                }
            }
        }
    }
    study.summary = std::move(all);
    study.warnings.clear();
    for (const Warning& warning : findWarnings(study, outcomes)) {
        study.warnings.push_back(textOf(warning));
    }
}

}  // namespace mmapscope
