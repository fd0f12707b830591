#include "widgets/live_panel_private.h"

#include <algorithm>

#include "widgets/arm_legend.h"
#include "widgets/axis_ticks.h"
#include "widgets/live_controls.h"
#include "widgets/plot_header.h"
#include "widgets/residency_section.h"

namespace mmapscope {

namespace {

constexpr double kMiB = 1.0 / (1U << 20U);

}  // namespace

void LivePanel::Private::request(Cause cause) {
    if (cause == Cause::interaction) {
        moving_ = true;
        settleTimer_.start(kSettle);
    }
    const bool slow = measuring_ && cause == Cause::data;
    const auto wait = static_cast<int>(
        std::max<qint64>(0, (slow ? kMeasuringInterval : kFrameInterval) - sinceRefresh_.elapsed()));
    if (!refreshTimer_.isActive() || refreshTimer_.remainingTime() > wait) {
        refreshTimer_.start(wait);
    }
}

void LivePanel::Private::dataChanged() {
    seriesStale_ = true;
    request(Cause::data);
}

void LivePanel::Private::armsChanged() {
    legend_->show(store_.arms(), theme_);
    wordsChanged();
    dataChanged();
}

void LivePanel::Private::wordsChanged() {
    for (const LivePlotKind kind : kPlots) {
        plotOf(kind)->setAccessibleDescription(summaryOf(kind, store_, options_));
    }
    const bool possible = q_->canReplay();
    controls_->setReplayPossible(
        possible, measuring_ ? LivePanel::tr("Replay waits until measuring has ended: "
                                             "drawing would disturb the runs")
                             : LivePanel::tr("Nothing to replay yet: run a study or open one"));
    showReplayState();
}

void LivePanel::Private::showResidency(const Study& study) {
    residency_->setStudy(study);
    for (std::uint32_t arm = 0; arm < store_.arms().size(); ++arm) {
        residency_->setArmVisible(arm, store_.arms()[arm].visible);
    }
}

void LivePanel::Private::restyle() {
    theme_ = Theme::forPalette(q_->palette());
    for (LivePlot* plot : plots_) {
        plot->setTheme(theme_);
    }
    controls_->setTheme(theme_);
    legend_->show(store_.arms(), theme_);
    showKeys();
    seriesStale_ = true;
    request(Cause::data);
    residency_->restyle();
}

void LivePanel::Private::showKeys() {
    for (const LivePlotKind kind : kPlots) {
        headers_[static_cast<std::size_t>(kind)]->setKey(kindsOf(kind, options_), theme_);
    }
}

void LivePanel::Private::rebuildSeries() {
    seriesStale_ = false;
    for (const LivePlotKind kind : kPlots) {
        if (!isShown(kind)) {
            continue;
        }
        const auto i = static_cast<std::size_t>(kind);
        LivePlot* plot = plots_[i];
        plot->setSeries(seriesFor(kind, store_, theme_, options_));
        plot->setEmptyText(emptyTextOf(kind, store_, options_));
        const auto& series = plot->series();
        const bool right =
            std::any_of(series.begin(), series.end(), [](const LiveSeries& one) { return one.rightAxis; });
        plot->setRightAxis(
            right, kind == LivePlotKind::hugePages ? std::optional(QCPRange(-0.06, 1.3)) : std::nullopt);
        if (!replayActive_) {  // a replay grows into the frame of the whole runs
            plot->fitValues();
        }
        headers_[i]->show(titleOf(kind), unitOf(kind, store_, options_));
    }
}

QCPRange LivePanel::Private::wholeRange() const {
    double end = options_.bytesAxis ? store_.mostBytes() * kMiB : store_.longestSeconds();
    if (end <= 0) {
        end = 1;
    }
    // Room for the labels at the lines' ends.
    double upper = end;
    for (const LivePlot* plot : shownPlots()) {
        upper = std::max(upper, plot->rangeWithLabels());
    }
    return {0, std::min(upper, end * 1.6)};
}

void LivePanel::Private::applyRange() {
    const QCPRange range = userRange_.value_or(wholeRange());
    QSharedPointer<QCPAxisTicker> ticker;
    QString label;
    if (options_.bytesAxis) {
        ticker = QSharedPointer<BinaryTicker>::create();
        label = LivePanel::tr("file bytes done, MiB");
    } else {
        auto time = QSharedPointer<TimeTicker>::create();
        const TimeUnit unit = timeUnitFor(std::max(range.upper, range.size()) / 2);
        time->setUnit(unit);
        ticker = time;
        label = LivePanel::tr("time since the run's clock started, %1").arg(QString::fromUtf8(unit.name));
    }
    ticker->setTickCount(8);
    for (LivePlot* plot : plots_) {
        plot->xAxis->setTicker(ticker);
        plot->xAxis->setRange(range);
    }
    plotOf(lowest())->xAxis->setLabel(label);
}

void LivePanel::Private::layOut() {
    const std::vector<LivePlot*> plots = shownPlots();
    for (LivePlot* plot : plots) {
        plot->prepareLayout();
    }
    for (LivePlot* plot : plots) {
        plot->layOut();
    }
}

void LivePanel::Private::refresh() {
    hidden_ = !q_->isVisible();
    if (hidden_) {
        return;
    }
    sinceRefresh_.restart();
    if (seriesStale_) {
        rebuildSeries();
    }
    applyRange();
    layOut();
    if (!userRange_) {
        applyRange();  // the room for labels depends on the width there is
        layOut();
    }
    for (LivePlot* plot : shownPlots()) {
        if (plot->visibleRegion().isEmpty()) {
            continue;  // scrolled away: drawn when it comes back
        }
        plot->setSharpEdges(moving_ || measuring_ || clock_.isPlaying());
        plot->decimate();
        plot->replot(QCustomPlot::rpQueuedRefresh);
    }
    showReadout();
}

void LivePanel::Private::setRange(const QCPRange& range) {
    // Not finer than a nanosecond or a byte, not away from the data.
    const QCPRange whole = wholeRange();
    const double size = std::clamp(range.size(), options_.bytesAxis ? kMiB : 1e-9, whole.size() * 4);
    const double lower =
        std::clamp(range.center() - size / 2, whole.lower - size * 0.9, whole.upper - size * 0.1);
    userRange_ = QCPRange(lower, lower + size);
    request(Cause::interaction);
}

void LivePanel::Private::fit() {
    userRange_.reset();
    for (LivePlot* plot : plots_) {
        plot->resetValueZoom();
    }
    seriesStale_ = true;
    request(Cause::interaction);
}

void LivePanel::Private::showCrosshair(LivePlotKind plot, std::optional<double> x) {
    hovered_ = plot;
    crosshair_ = x;
    for (LivePlot* one : plots_) {
        one->setCrosshair(x);
    }
    showReadout();
}

void LivePanel::Private::showReadout() {
    if (crosshair_ && store_.hasPoints() && !clock_.isPlaying()) {
        readout_->setText(readout(hovered_, store_, theme_, options_, *crosshair_));
    } else if (replayActive_) {
        readout_->setText(raceText(store_, theme_, clock_.position(), clock_.length()));
    } else {
        readout_->setText(summaryOf(LivePlotKind::throughput, store_, options_, false).toHtmlEscaped());
    }
}

void LivePanel::Private::seek(double seconds) {
    if (!q_->canReplay()) {
        return;
    }
    if (!replayActive_) {
        q_->startReplay(controls_->slowdown());
    }
    clock_.pause();
    clock_.seek(seconds);
    replayTimer_.stop();
    options_.untilSeconds = clock_.position();
    showReplayState();
    seriesStale_ = true;
    request(Cause::interaction);
}

void LivePanel::Private::playPause() {
    if (!replayActive_) {
        q_->startReplay(controls_->slowdown());
    } else if (clock_.isPlaying()) {
        clock_.pause();
        replayTimer_.stop();
        request(Cause::data);
    } else {
        clock_.resume();
        sinceTick_.start();
        replayTimer_.start();
    }
    showReplayState();
}

void LivePanel::Private::showReplayState() {
    const double length = clock_.length();
    controls_->showReplay(clock_.isPlaying(), replayActive_,
                          replayActive_ && length > 0 ? clock_.position() / length : 0);
}

void LivePanel::Private::tick() {
    clock_.advance(static_cast<double>(sinceTick_.nsecsElapsed()) / 1e9);
    sinceTick_.start();
    options_.untilSeconds = clock_.position();
    seriesStale_ = true;
    showReplayState();
    if (!clock_.isPlaying()) {
        replayTimer_.stop();
        replayActive_ = false;
        options_.untilSeconds = std::numeric_limits<double>::infinity();
        showReplayState();
        emit q_->replayFinished();
    }
    if (clock_.isPlaying()) {
        refresh();  // the timer's own beat is the frame's: a second timer would skip every third
    } else {
        request(Cause::data);
    }
}

}  // namespace mmapscope
