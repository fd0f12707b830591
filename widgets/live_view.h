// From what Live knows to what its plots draw and say.
#pragma once

#include <QString>
#include <limits>
#include <optional>
#include <vector>

#include "widgets/live_panel.h"
#include "widgets/live_plot.h"
#include "widgets/live_series.h"
#include "widgets/live_store.h"
#include "widgets/theme.h"

namespace mmapscope {

struct LiveOptions {
    bool bytesAxis = false;
    bool faultTotals = false;
    SeriesSet series = seriesAtFirst();
    double untilSeconds = std::numeric_limits<double>::infinity();  ///< replay
};

/// How a quantity is drawn where an arm has several: the same dash for every arm.
struct SeriesKind {
    LiveColumn column = LiveColumn::throughput;
    QString name;  ///< in the key; empty: the plot's only one
    Qt::PenStyle dash = Qt::SolidLine;
    double width = 1.8;
    bool rightAxis = false;
    bool step = false;
    bool rate = false;  ///< a mean over time
};
/// Those that were chosen.
[[nodiscard]] std::vector<SeriesKind> kindsOf(LivePlotKind plot, const LiveOptions& options);

/// What a column's values are multiplied by on its axis: amounts, throughput and reading are in MiB there.
[[nodiscard]] double axisScale(LiveColumn column);

/// One quantity of one arm in axis units, up to options.untilSeconds.
struct ArmPoints {
    std::vector<PlotPoint> points;
    double highest = 0;  ///< of the whole run
    /// The run's samples don't have it: a level line at the largest figure of the arm's inspection run.
    bool fromInspection = false;
};
/// nullopt: not available.
[[nodiscard]] std::optional<ArmPoints> pointsOf(const LiveArm& arm, LiveColumn column,
                                                const LiveOptions& options);

/// Visible arms only. Amounts that are nowhere above zero are left out, and so are major faults.
[[nodiscard]] std::vector<LiveSeries> seriesFor(LivePlotKind plot, const LiveStore& store, const Theme& theme,
                                                const LiveOptions& options);

/// What stands in a plot without lines.
[[nodiscard]] QString emptyTextOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options);
/// Unit and what a rate is the mean over.
[[nodiscard]] QString unitOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options);
/// "412 ms: read 5.1 GiB/s, mmap 6.7 GiB/s" as rich text; x as on the axis (seconds or MiB).
[[nodiscard]] QString readout(LivePlotKind plot, const LiveStore& store, const Theme& theme,
                              const LiveOptions& options, double x);
/// "12.4 ms of 41 ms: read 43 %, mmap 61 %" as rich text: how far each arm had come at that time of its run.
[[nodiscard]] QString raceText(const LiveStore& store, const Theme& theme, double seconds, double length);
/// One line for someone who can't see the plot: the finished runs' own totals and peaks.
/// `problems`: also why arms have no finished run.
[[nodiscard]] QString summaryOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options,
                                bool problems = true);

}  // namespace mmapscope
