#include "widgets/live_view.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace mmapscope {

namespace {

constexpr double kMiB = 1.0 / (1U << 20U);

struct LiveView {
    Q_DECLARE_TR_FUNCTIONS(LiveView)
};

/// Lines that are worth their ink even when they are zero all along.
bool showsZero(LiveColumn column) {
    return column == LiveColumn::throughput || column == LiveColumn::minorRate ||
           column == LiveColumn::minorTotal || column == LiveColumn::thpEligible;
}

std::vector<SeriesKind> memoryKinds(MemoryKind which) {
    const std::vector<std::pair<MemoryKind, SeriesKind>> all{
        {MemoryKind::file, {LiveColumn::file, LiveView::tr("file"), Qt::SolidLine}},
        {MemoryKind::anon, {LiveColumn::anon, LiveView::tr("anon"), Qt::DashLine}},
        {MemoryKind::huge, {LiveColumn::huge, LiveView::tr("huge pages"), Qt::SolidLine, 3.2}},
        {MemoryKind::pageTables, {LiveColumn::pageTables, LiveView::tr("page tables"), Qt::DotLine}},
    };
    std::vector<SeriesKind> kinds;
    for (const auto& [kind, series] : all) {
        if (which == MemoryKind::all || which == kind) {
            kinds.push_back(series);
        }
    }
    return kinds;
}

double highestOf(const LiveSeries& series) {
    double high = 0;
    for (const PlotPoint& point : series.points) {
        high = point.y > high ? point.y : high;
    }
    return high;
}

bool isLevel(const LiveSeries& series) {
    return std::all_of(series.points.begin(), series.points.end(), [&](const PlotPoint& point) {
        return std::isnan(point.y) || point.y == series.points.front().y;
    });
}

/// The pool is the machine's, not an arm's: of the arms that leave it alone the longest line stands for all.
void mergeIdlePools(const Theme& theme, std::vector<LiveSeries>& all) {
    const auto idle = [](const LiveSeries& series) {
        return series.column == LiveColumn::poolFree && isLevel(series);
    };
    LiveSeries longest;
    for (const LiveSeries& series : all) {
        if (idle(series) && (longest.points.empty() || series.points.back().x > longest.points.back().x)) {
            longest = series;
        }
    }
    if (longest.points.empty()) {
        return;
    }
    std::erase_if(all, idle);
    longest.label = LiveView::tr("pool free");
    longest.pen.setColor(theme.mutedText());
    longest.marker = QCPScatterStyle::ssNone;
    all.push_back(std::move(longest));
}

/// A line that hugs the zero line needs no name: its kind is in the key, its value in the readout.
void trimLabels(double largest, std::vector<LiveSeries>& all) {
    for (LiveSeries& series : all) {
        if (axisScale(series.column) != 1 && series.column != LiveColumn::throughput &&
            highestOf(series) < largest * 0.03) {
            series.label.clear();
        }
    }
}

LiveSeries styled(LivePlotKind plot, const SeriesKind& kind, const Theme& theme, int arm) {
    LiveSeries series;
    series.arm = arm;
    series.column = kind.column;
    series.rightAxis = kind.rightAxis;
    series.step = kind.step;
    series.pen = theme.armPen(arm);
    series.pen.setWidthF(kind.width);
    // With several kinds in a plot the dash tells the kind, and colour and marker the arm.
    if (plot == LivePlotKind::memory || plot == LivePlotKind::hugePages || kind.rightAxis) {
        series.pen.setStyle(kind.dash);
    }
    series.marker = theme.armMarker(arm);
    if (kind.column == LiveColumn::majorRate || kind.column == LiveColumn::majorTotal) {
        series.marker = QCPScatterStyle::ssTriangle;
    } else if (kind.column == LiveColumn::thpEligible) {
        series.marker = QCPScatterStyle::ssNone;
    }
    return series;
}

QString labelOf(const LiveArm& arm, const SeriesKind& kind, bool fromInspection) {
    if (kind.name.isEmpty() || kind.column == LiveColumn::minorRate ||
        kind.column == LiveColumn::minorTotal) {
        return arm.id;
    }
    return fromInspection ? LiveView::tr("%1 %2, largest", "arm, quantity").arg(arm.id, kind.name)
                          : LiveView::tr("%1 %2", "arm, quantity").arg(arm.id, kind.name);
}

}  // namespace

double axisScale(LiveColumn column) {
    switch (column) {
        case LiveColumn::minorRate:
        case LiveColumn::majorRate:
        case LiveColumn::minorTotal:
        case LiveColumn::majorTotal:
        case LiveColumn::thpEligible:
            return 1;
        default:
            return kMiB;
    }
}

std::vector<SeriesKind> kindsOf(LivePlotKind plot, const LiveOptions& options) {
    const bool totals = options.faultTotals;
    switch (plot) {
        case LivePlotKind::throughput:
            return {{LiveColumn::throughput, {}, Qt::SolidLine, 1.8, false, false, true}};
        case LivePlotKind::faults:
            return {{totals ? LiveColumn::minorTotal : LiveColumn::minorRate, LiveView::tr("minor"),
                     Qt::SolidLine, 1.8, false, false, !totals},
                    {totals ? LiveColumn::majorTotal : LiveColumn::majorRate, LiveView::tr("major"),
                     Qt::DotLine, 1.8, true, false, !totals}};
        case LivePlotKind::memory:
            return memoryKinds(options.memory);
        case LivePlotKind::hugePages:
            break;
    }
    return {{LiveColumn::anonHuge, QStringLiteral("AnonHugePages"), Qt::DashLine},
            {LiveColumn::pmdMapped, QStringLiteral("FilePmdMapped"), Qt::SolidLine},
            {LiveColumn::poolFree, LiveView::tr("pool free"), Qt::DashDotLine},
            {LiveColumn::thpEligible, QStringLiteral("THPeligible"), Qt::DotLine, 1.3, true, true}};
}

std::optional<ArmPoints> pointsOf(const LiveArm& arm, LiveColumn column, const LiveOptions& options) {
    const double scale = axisScale(column);
    const double xScale = options.bytesAxis ? kMiB : 1;
    ArmPoints result;
    const LiveTrack& track = arm.trackOf(column);
    result.highest = track.highest(column) * scale;
    if (!std::isnan(result.highest)) {
        result.points = track.series(column, options.bytesAxis, scale, options.untilSeconds);
        for (PlotPoint& point : result.points) {
            point.x *= xScale;
        }
        return result;
    }
    const double level = arm.inspectedValue(column) * scale;
    if (std::isnan(level)) {
        return std::nullopt;
    }
    result.fromInspection = true;
    result.highest = level;
    if (const auto line = arm.trackOf(LiveColumn::throughput)
                              .series(LiveColumn::throughput, options.bytesAxis, 1, options.untilSeconds);
        !line.empty()) {
        result.points = {{line.front().x * xScale, level}, {line.back().x * xScale, level}};
    }
    return result;
}

std::vector<LiveSeries> seriesFor(LivePlotKind plot, const LiveStore& store, const Theme& theme,
                                  const LiveOptions& options) {
    std::vector<LiveSeries> all;
    const std::vector<SeriesKind> kinds = kindsOf(plot, options);
    double largest = 0;
    for (std::size_t i = 0; i < store.arms().size(); ++i) {
        const LiveArm& arm = store.arms()[i];
        if (!arm.visible) {
            continue;
        }
        for (const SeriesKind& kind : kinds) {
            auto found = pointsOf(arm, kind.column, options);
            if (!found || (found->highest <= 0 && !showsZero(kind.column))) {
                continue;
            }
            LiveSeries series = styled(plot, kind, theme, static_cast<int>(i));
            series.points = std::move(found->points);
            if (kind.column == LiveColumn::thpEligible) {
                // 0 and 1 of several arms would lie on each other: a hair apart they can be told.
                for (PlotPoint& point : series.points) {
                    point.y += 0.02 * series.arm;
                }
            } else {
                series.label = labelOf(arm, kind, found->fromInspection);
                largest = kind.rightAxis ? largest : std::max(largest, found->highest);
            }
            if (found->fromInspection) {
                series.marker = QCPScatterStyle::ssNone;
            }
            all.push_back(std::move(series));
        }
    }
    trimLabels(largest, all);
    mergeIdlePools(theme, all);
    return all;
}

QString titleOf(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
            return LiveView::tr("Throughput");
        case LivePlotKind::faults:
            return LiveView::tr("Page faults");
        case LivePlotKind::memory:
            return LiveView::tr("Memory");
        case LivePlotKind::hugePages:
            break;
    }
    return LiveView::tr("Huge pages and pool");
}

}  // namespace mmapscope
