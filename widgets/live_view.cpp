#include "widgets/live_view.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace mmapscope {

namespace {

constexpr double kMiB = 1.0 / (1U << 20U);

struct LiveView {
    Q_DECLARE_TR_FUNCTIONS(LiveView)
};

/// Lines that are worth their ink even when they are zero all along.
bool showsZero(LiveColumn column) {
    switch (column) {
        case LiveColumn::throughput:
        case LiveColumn::minorRate:
        case LiveColumn::minorTotal:
        case LiveColumn::thpEligible:
        case LiveColumn::storageRate:
        case LiveColumn::voluntaryRate:
        case LiveColumn::involuntaryRate:
            return true;
        default:
            return isOfMachine(column);
    }
}

SeriesKind styledKind(LiveColumn column) {
    SeriesKind kind{column, seriesName(column)};
    switch (column) {
        case LiveColumn::throughput:
        case LiveColumn::storageRate:
            kind.name.clear();
            kind.rate = true;
            break;
        case LiveColumn::minorRate:
        case LiveColumn::voluntaryRate:
            kind.rate = true;
            break;
        case LiveColumn::majorRate:
            kind.rate = true;
            [[fallthrough]];
        case LiveColumn::majorTotal:
            kind.dash = Qt::DotLine;
            kind.rightAxis = true;
            break;
        case LiveColumn::anon:
        case LiveColumn::anonHuge:
            kind.dash = Qt::DashLine;
            break;
        case LiveColumn::shmem:
        case LiveColumn::poolFree:
            kind.dash = Qt::DashDotLine;
            break;
        case LiveColumn::huge:
            kind.width = 3.2;
            break;
        case LiveColumn::hugeBacked:
            kind.dash = Qt::DashDotDotLine;
            kind.width = 2.6;
            break;
        case LiveColumn::pageTables:
            kind.dash = Qt::DotLine;
            break;
        case LiveColumn::thpEligible:
            kind.dash = Qt::DotLine;
            kind.width = 1.3;
            kind.rightAxis = kind.step = true;
            break;
        case LiveColumn::involuntaryRate:
            kind.dash = Qt::DotLine;
            kind.rate = true;
            break;
        case LiveColumn::shootdownRate:
        case LiveColumn::memoryPressure:
            kind.step = kind.rate = true;
            break;
        case LiveColumn::refaultRate:
            kind.rightAxis = true;
            [[fallthrough]];
        case LiveColumn::ioPressure:
            kind.dash = Qt::DotLine;
            kind.step = kind.rate = true;
            break;
        default:
            break;
    }
    return kind;
}

LiveColumn totalOf(LiveColumn rate) {
    return rate == LiveColumn::minorRate   ? LiveColumn::minorTotal
           : rate == LiveColumn::majorRate ? LiveColumn::majorTotal
                                           : rate;
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
void trimLabels(std::vector<LiveSeries>& all) {
    std::array<double, 2> largest{};
    for (const LiveSeries& series : all) {
        double& most = largest[series.rightAxis ? 1 : 0];
        most = std::max(most, highestOf(series));
    }
    for (LiveSeries& series : all) {
        const bool always =
            series.column == LiveColumn::throughput ||
            (series.column >= LiveColumn::minorRate && series.column <= LiveColumn::majorTotal);
        const double most = largest[series.rightAxis ? 1 : 0];
        if (!always && (most == 0 || highestOf(series) < most * 0.03)) {
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
    const bool one = plot == LivePlotKind::throughput || plot == LivePlotKind::storage;
    if ((!one && plot != LivePlotKind::faults) || kind.rightAxis || kind.dash == Qt::DotLine) {
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
        case LiveColumn::voluntaryRate:
        case LiveColumn::involuntaryRate:
            return 1;
        default:
            return isOfMachine(column) ? 1 : kMiB;
    }
}

std::vector<SeriesKind> kindsOf(LivePlotKind plot, const LiveOptions& options) {
    std::vector<SeriesKind> kinds;
    for (const SeriesFacts& series : allSeries()) {
        if (series.plot == plot && contains(options.series, series.column)) {
            kinds.push_back(styledKind(options.faultTotals ? totalOf(series.column) : series.column));
        }
    }
    // Alone, what has the right axis beside others has the left one.
    if (plot != LivePlotKind::hugePages &&
        std::all_of(kinds.begin(), kinds.end(), [](const SeriesKind& kind) { return kind.rightAxis; })) {
        for (SeriesKind& kind : kinds) {
            kind.rightAxis = false;
        }
    }
    return kinds;
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
            }
            if (found->fromInspection) {
                series.marker = QCPScatterStyle::ssNone;
            }
            all.push_back(std::move(series));
        }
    }
    trimLabels(all);
    mergeIdlePools(theme, all);
    return all;
}

}  // namespace mmapscope
