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
        const int index = static_cast<int>(i);
        for (const SeriesKind& kind : kinds) {
            const LiveTrack& track = arm.trackOf(kind.column);
            const double highest = track.highest(kind.column) * axisScale(kind.column);
            if (std::isnan(highest) || (highest <= 0 && !showsZero(kind.column))) {
                continue;
            }
            LiveSeries series;
            series.arm = index;
            series.column = kind.column;
            series.points =
                track.series(kind.column, options.bytesAxis, axisScale(kind.column), options.untilSeconds);
            if (options.bytesAxis) {
                for (PlotPoint& point : series.points) {
                    point.x *= kMiB;
                }
            }
            series.pen = theme.armPen(index);
            const bool several =
                plot == LivePlotKind::memory || plot == LivePlotKind::hugePages || kind.rightAxis;
            if (several) {
                series.pen.setStyle(kind.dash);
            }
            series.pen.setWidthF(kind.width);
            series.marker = kind.column == LiveColumn::majorRate || kind.column == LiveColumn::majorTotal
                                ? QCPScatterStyle::ssTriangle
                                : theme.armMarker(index);
            series.rightAxis = kind.rightAxis;
            series.step = kind.step;
            series.label = kind.name.isEmpty() || kind.column == LiveColumn::minorRate ||
                                   kind.column == LiveColumn::minorTotal
                               ? arm.id
                               : LiveView::tr("%1 %2", "arm, quantity").arg(arm.id, kind.name);
            if (kind.column == LiveColumn::thpEligible) {
                // 0 and 1 of several arms would lie on each other: a hair apart they can be told.
                for (PlotPoint& point : series.points) {
                    point.y += 0.02 * index;
                }
                series.label.clear();
                series.marker = QCPScatterStyle::ssNone;
            } else if (!kind.rightAxis) {
                largest = std::max(largest, highest);
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
