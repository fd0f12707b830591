#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/axis_ticks.h"
#include "widgets/live_view.h"
#include "widgets/text.h"

namespace mmapscope {

namespace {

struct LiveWords {
    Q_DECLARE_TR_FUNCTIONS(LiveWords)
};

QString amount(double mibs) {
    return bytesText(Bytes(static_cast<std::uint64_t>(std::max(0.0, mibs) * (1U << 20U))));
}

QString valueText(const SeriesKind& kind, double value) {
    switch (kind.column) {
        case LiveColumn::throughput:
        case LiveColumn::storageRate:
            return rateText(value * (1U << 20U));
        case LiveColumn::minorRate:
        case LiveColumn::majorRate:
        case LiveColumn::voluntaryRate:
        case LiveColumn::involuntaryRate:
        case LiveColumn::shootdownRate:
            return LiveWords::tr("%1/s").arg(compactNumber(std::round(value)));
        case LiveColumn::refaultRate:
            return LiveWords::tr("%1 pages/s").arg(compactNumber(std::round(value)));
        case LiveColumn::memoryPressure:
        case LiveColumn::ioPressure:
            return LiveWords::tr("%1 %").arg(value, 0, 'f', value < 10 ? 1 : 0);
        case LiveColumn::minorTotal:
        case LiveColumn::majorTotal:
            return countText(value);
        case LiveColumn::thpEligible:
            return value >= 0.5 ? LiveWords::tr("yes") : LiveWords::tr("no");
        default:
            return amount(value);
    }
}

/// "■ mmap **value**", the square in the arm's colour.
QString coloured(const Theme& theme, std::size_t index, const QString& id, const QString& value) {
    return QStringLiteral("<span style=\"color:%1\">&#9632;</span>&nbsp;%2&nbsp;<b>%3</b>")
        .arg(theme.armColor(static_cast<int>(index)).name(), id.toHtmlEscaped(), value.toHtmlEscaped());
}

/// Whether a zero is a figure worth saying there.
bool saysZero(LivePlotKind plot) {
    return plot != LivePlotKind::memory && plot != LivePlotKind::hugePages;
}

QString summaryOfArm(LivePlotKind plot, const LiveArm& arm, const LiveOptions& options) {
    const double seconds = static_cast<double>(arm.wall.count()) / 1e9;
    if (plot == LivePlotKind::throughput) {
        return LiveWords::tr("%1 %2 over %3")
            .arg(arm.id, rateText(static_cast<double>(arm.bytes) / seconds), durationText(arm.wall));
    }
    if (plot == LivePlotKind::faults) {
        return LiveWords::tr("%1 %2 minor, %3 major")
            .arg(arm.id, countText(static_cast<double>(arm.minorFaults)),
                 countText(static_cast<double>(arm.majorFaults)));
    }
    LiveOptions whole = options;
    whole.untilSeconds = std::numeric_limits<double>::infinity();
    QStringList parts;
    for (const SeriesKind& kind : kindsOf(plot, whole)) {
        const auto found = pointsOf(arm, kind.column, whole);
        if (!found || (plot == LivePlotKind::memory && found->highest <= 0)) {
            continue;
        }
        const QString value = kind.rate ? LiveWords::tr("up to %1").arg(valueText(kind, found->highest))
                                        : valueText(kind, found->highest);
        parts << LiveWords::tr("%1 %2", "quantity, value").arg(seriesName(kind.column), value);
    }
    return parts.isEmpty()
               ? LiveWords::tr("%1 no figures").arg(arm.id)
               : LiveWords::tr("%1 %2", "arm, list of peaks").arg(arm.id, parts.join(QStringLiteral(", ")));
}

/// For the middle of a plot, which breaks no lines by itself.
QString inLines(const QString& text) {
    constexpr qsizetype kLine = 72;
    QString lines;
    qsizetype length = 0;
    for (const QString& word : text.split(u' ')) {
        const bool breaks = length > 0 && length + word.size() > kLine;
        lines += breaks ? QStringLiteral("\n") : length > 0 ? QStringLiteral(" ") : QString();
        length = (breaks ? 0 : length + 1) + word.size();
        lines += word;
    }
    return lines;
}

QString machineUnits(const LiveOptions& options) {
    QStringList units;
    for (const SeriesKind& kind : kindsOf(LivePlotKind::machine, options)) {
        units << (kind.rightAxis ? LiveWords::tr("%1 (right)").arg(seriesUnit(kind.column))
                                 : seriesUnit(kind.column));
    }
    return units.join(QStringLiteral(", "));
}

}  // namespace

QString emptyTextOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options) {
    if (store.hasFinished()) {
        const std::vector<SeriesKind> kinds = kindsOf(plot, options);
        QString why;
        for (const SeriesKind& kind : kinds) {
            const auto reason = whyAbsent(kind.column, store);
            if (!reason) {
                why.clear();
                break;
            }
            why = why.isEmpty() ? *reason : why;
        }
        if (!why.isEmpty()) {
            return inLines(LiveWords::tr("Not available here: %1").arg(why));
        }
    }
    switch (plot) {
        case LivePlotKind::throughput:
            return LiveWords::tr("Nothing measured yet: press Run");
        case LivePlotKind::faults:
            return LiveWords::tr("No faults counted");
        case LivePlotKind::memory:
            return LiveWords::tr("No samples of memory");
        case LivePlotKind::hugePages:
            return LiveWords::tr("No huge pages: nothing mapped with them, and none in the pool");
        case LivePlotKind::storage:
        case LivePlotKind::scheduling:
        case LivePlotKind::machine:
        case LivePlotKind::pressure:
            break;
    }
    return LiveWords::tr("No samples yet");
}

QString unitOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options) {
    const bool ofStamps =
        plot == LivePlotKind::throughput || (plot == LivePlotKind::faults && !options.faultTotals);
    QString unit;
    switch (plot) {
        case LivePlotKind::throughput:
            unit = LiveWords::tr("MiB/s of the file");
            break;
        case LivePlotKind::faults:
            unit = options.faultTotals ? LiveWords::tr("so far") : LiveWords::tr("per second");
            break;
        case LivePlotKind::memory:
        case LivePlotKind::hugePages:
            unit = LiveWords::tr("MiB");
            break;
        case LivePlotKind::storage:
            return LiveWords::tr("MiB/s read, mean over %1").arg(durationText(SampleFeed::kWindow));
        case LivePlotKind::scheduling:
            return LiveWords::tr("context switches per second, mean over %1")
                .arg(durationText(SampleFeed::kWindow));
        case LivePlotKind::machine:
            return LiveWords::tr("%1; mean from look to look").arg(machineUnits(options));
        case LivePlotKind::pressure:
            return LiveWords::tr("% of time; mean from look to look");
    }
    const bool inspected = std::any_of(store.arms().begin(), store.arms().end(), [&](const LiveArm& arm) {
        const auto found = pointsOf(arm, LiveColumn::pmdMapped, options);
        return arm.visible && found && found->fromInspection;
    });
    if (plot == LivePlotKind::hugePages && inspected) {
        return LiveWords::tr("%1; THP of the inspection run").arg(unit);
    }
    if (!ofStamps) {
        return unit;
    }
    Nanoseconds least = Nanoseconds::max();
    Nanoseconds most{0};
    for (const LiveArm& arm : store.arms()) {
        if (arm.visible && arm.hasPoints()) {
            const Nanoseconds window =
                arm.finished && arm.window.count() > 0 ? arm.window : SampleFeed::kWindow;
            least = std::min(least, window);
            most = std::max(most, window);
        }
    }
    if (most.count() == 0) {
        return unit;
    }
    const QString text = durationText(least) == durationText(most)
                             ? durationText(most)
                             : LiveWords::tr("%1 to %2").arg(durationText(least), durationText(most));
    return LiveWords::tr("%1, mean over %2").arg(unit, text);
}

QString readout(LivePlotKind plot, const LiveStore& store, const Theme& theme, const LiveOptions& options,
                double x) {
    const std::vector<SeriesKind> kinds = kindsOf(plot, options);
    QStringList arms;
    for (std::size_t i = 0; i < store.arms().size(); ++i) {
        const LiveArm& arm = store.arms()[i];
        if (!arm.visible) {
            continue;
        }
        QStringList parts;
        for (const SeriesKind& kind : kinds) {
            auto found = pointsOf(arm, kind.column, options);
            if (!found) {
                continue;
            }
            LiveSeries series;
            series.step =
                kind.step || !kind.rate;  // a level is what was last seen, not something between two looks
            series.points = std::move(found->points);
            const std::optional<double> value = valueAt(series, x);
            if (value && (*value > 0 || saysZero(plot) || kinds.size() == 1)) {
                const QString text = valueText(kind, *value);
                parts << (kind.name.isEmpty()
                              ? text
                              : LiveWords::tr("%1 %2", "quantity, value").arg(kind.name, text));
            }
        }
        if (!parts.isEmpty()) {
            arms << coloured(theme, i, arm.id, parts.join(QStringLiteral(", ")));
        }
    }
    const QString at = options.bytesAxis ? amount(std::max(0.0, x)) : durationText(std::max(0.0, x));
    return LiveWords::tr("%1: %2", "position, values of all arms")
        .arg(at, arms.isEmpty() ? LiveWords::tr("no arm is at work there")
                                : arms.join(QStringLiteral("&nbsp;&nbsp; ")));
}

QString raceText(const LiveStore& store, const Theme& theme, double seconds, double length) {
    QStringList arms;
    for (std::size_t i = 0; i < store.arms().size(); ++i) {
        const LiveArm& arm = store.arms()[i];
        if (!arm.visible || !arm.finished || arm.bytes == 0) {
            continue;
        }
        const double wall = static_cast<double>(arm.wall.count()) / 1e9;
        if (seconds >= wall) {
            arms << coloured(theme, i, arm.id, LiveWords::tr("done at %1").arg(durationText(arm.wall)));
            continue;
        }
        LiveSeries progress;
        for (const LiveRow& row : arm.trackOf(LiveColumn::throughput).rows()) {
            progress.points.push_back({row.seconds, row.bytes});
        }
        const double done = valueAt(progress, seconds).value_or(0) / static_cast<double>(arm.bytes);
        arms << coloured(theme, i, arm.id, LiveWords::tr("%1 %").arg(std::floor(done * 100)));
    }
    return LiveWords::tr("%1 of %2: %3", "position, length, progress of all arms")
        .arg(durationText(seconds), durationText(length), arms.join(QStringLiteral("&nbsp;&nbsp; ")));
}

QString summaryOf(LivePlotKind plot, const LiveStore& store, const LiveOptions& options, bool problems) {
    QStringList parts;
    for (const LiveArm& arm : store.arms()) {
        if (arm.finished && arm.wall.count() > 0) {
            parts << summaryOfArm(plot, arm, options);
        } else if (problems && !arm.problem.isEmpty()) {
            parts << LiveWords::tr("%1 has no finished run: %2").arg(arm.id, arm.problem);
        } else if (arm.running) {
            parts << LiveWords::tr("%1 is running").arg(arm.id);
        }
    }
    return LiveWords::tr("%1: %2.").arg(
        titleOf(plot), parts.isEmpty() ? LiveWords::tr("no run yet") : parts.join(QStringLiteral("; ")));
}

}  // namespace mmapscope
