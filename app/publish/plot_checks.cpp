// Whether a study has what a plot shows; said in words where it doesn't. Needs no started Qt.
#include <fmt/format.h>

#include <algorithm>

#include "app/publish/publish.h"
#include "report/summary_table.h"
#include "study/fault_pattern.h"
#include "widgets/live_store.h"
#include "widgets/live_view.h"
#include "widgets/sweep_figures.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

Status without(PlotKind kind, const std::string& why) {
    return fail(ErrorKind::unavailable,
                fmt::format("there is nothing for the plot \"{}\": {}", factsOf(kind).name, why));
}

Status checkLive(const Study& study, PlotKind kind, LivePlotKind plot) {
    LiveStore store;
    store.showStudy(study);
    if (!store.hasPoints()) {
        return without(kind,
                       "no run of this study ended well with its course recorded; measure again, without "
                       "--no-samples");
    }
    const LiveOptions options;
    if (seriesFor(plot, store, Theme::forPalette(applicationPalette(false)), options).empty()) {
        return without(kind, fmt::format("{}", emptyTextOf(plot, store, options).simplified().toStdString()));
    }
    return {};
}

Status checkRatio(const Study& study) {
    const bool any = std::any_of(study.summary.begin(), study.summary.end(), [](const ArmSummary& summary) {
        return summary.verdict != Verdict::baseline && summary.ratio && summary.ratioLow && summary.ratioHigh;
    });
    if (any) {
        return {};
    }
    const auto reasons = unrankedLines(study);
    return without(PlotKind::ratio,
                   reasons.empty()
                       ? "no arm has a ratio to the baseline; measure two arms, five rounds or more"
                       : "no arm is ranked; " + reasons.front());
}

Status checkSweep(const Study& study) {
    const SweepFigures figures = sweepFigures(study);
    const bool any = std::any_of(figures.rates.begin(), figures.rates.end(),
                                 [](const SweepLine& line) { return !line.values.empty(); });
    return any ? Status() : without(PlotKind::sweep, "no size was measured yet; go on with sweep --resume");
}

Status checkFaultMap(const Study& study) {
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        if (const RunRecord* const run = tracedRun(study, arm);
            run != nullptr && !run->faultTrace->tNs.empty()) {
            return {};
        }
    }
    return without(PlotKind::faultMap, "no faults were traced; run with --trace-faults");
}

}  // namespace

Status checkPlot(const Study& study, PlotKind kind) {
    if (study.sweep.has_value() != (kind == PlotKind::sweep)) {
        return without(kind, study.sweep ? "this is a sweep, a study over sizes; its plot is \"sweep\""
                                         : "this study is no sweep; mmapscope-cli sweep makes one");
    }
    switch (kind) {
        case PlotKind::throughput:
            return checkLive(study, kind, LivePlotKind::throughput);
        case PlotKind::faults:
            return checkLive(study, kind, LivePlotKind::faults);
        case PlotKind::memory:
            return checkLive(study, kind, LivePlotKind::memory);
        case PlotKind::ratio:
            return checkRatio(study);
        case PlotKind::why:
            return study.attribution.empty()
                       ? without(kind,
                                 "times were not taken apart; run without --no-why, with five rounds or "
                                 "more")
                       : Status();
        case PlotKind::sweep:
            return checkSweep(study);
        case PlotKind::faultMap:
            break;
    }
    return checkFaultMap(study);
}

}  // namespace mmapscope
