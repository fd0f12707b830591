#include "widgets/live_panel_private.h"

#include <QCheckBox>
#include <QComboBox>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/arm_legend.h"
#include "widgets/axis_ticks.h"
#include "widgets/live_controls.h"
#include "widgets/plot_header.h"

namespace mmapscope {

namespace {

constexpr double kMiB = 1.0 / (1U << 20U);

QSharedPointer<QCPAxisTicker> tickerFor(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
        case LivePlotKind::faults:
            return QSharedPointer<NumberTicker>::create(plot == LivePlotKind::faults);
        case LivePlotKind::memory:
        case LivePlotKind::hugePages:
            break;
    }
    return QSharedPointer<BinaryTicker>::create();
}

}  // namespace

LivePanel::Private::Private(LivePanel* panel)
    : q_(panel),
      theme_(Theme::forPalette(panel->palette())),
      controls_(new LiveControls(panel)),
      legend_(new ArmLegend(panel)),
      readout_(new QLabel(panel)) {
    auto* layout = new QVBoxLayout(q_);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(2);
    layout->addWidget(legend_);
    buildPlots();
    for (const LivePlotKind kind : kPlots) {
        const auto i = static_cast<std::size_t>(kind);
        layout->addWidget(headers_[i]);
        layout->addWidget(plots_[i], kind == LivePlotKind::hugePages    ? 9
                                     : kind == LivePlotKind::throughput ? 12
                                                                        : 9);
    }
    readout_->setTextFormat(Qt::RichText);
    readout_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    readout_->setWordWrap(true);
    readout_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    readout_->setFixedHeight(readout_->fontMetrics().lineSpacing() * 2 + 4);  // the plots must not jump
    layout->addWidget(readout_);
    layout->addWidget(controls_);

    refreshTimer_.setSingleShot(true);
    settleTimer_.setSingleShot(true);
    replayTimer_.setInterval(kFrameInterval);
    sinceRefresh_.start();
    connect(&refreshTimer_, &QTimer::timeout, q_, [this] { refresh(); });
    connect(&settleTimer_, &QTimer::timeout, q_, [this] {
        moving_ = false;
        request(Cause::data);
    });
    connect(&replayTimer_, &QTimer::timeout, q_, [this] { tick(); });

    connect(legend_, &ArmLegend::visibilityWanted, q_,
            [this](std::uint32_t arm, bool visible) { q_->setArmVisible(arm, visible); });
    connect(controls_, &LiveControls::bytesAxisWanted, q_, [this](bool bytes) { q_->setBytesAxis(bytes); });
    connect(controls_, &LiveControls::fitWanted, q_, [this] { fit(); });
    connect(controls_, &LiveControls::playPauseWanted, q_, [this] { playPause(); });
    connect(controls_, &LiveControls::slowdownWanted, q_,
            [this](double slowdown) { clock_.setSlowdown(slowdown); });
    connect(controls_, &LiveControls::seekWanted, q_,
            [this](double fraction) { seek(fraction * store_.longestSeconds()); });
    connect(controls_, &LiveControls::wholeWanted, q_, [this] { q_->stopReplay(); });
    restyle();
}

void LivePanel::Private::buildPlots() {
    auto* margins = static_cast<QCPMarginGroup*>(nullptr);
    for (const LivePlotKind kind : kPlots) {
        const auto i = static_cast<std::size_t>(kind);
        headers_[i] = new PlotHeader(q_);
        if (QWidget* control = makeControl(kind)) {
            headers_[i]->addControl(control);
        }
        auto* plot = new LivePlot(q_);
        plots_[i] = plot;
        if (margins == nullptr) {
            margins = new QCPMarginGroup(plot);
        }
        plot->axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
        auto ticker = tickerFor(kind);
        ticker->setTickCount(4);
        plot->yAxis->setTicker(ticker);
        plot->setAccessibleName(titleOf(kind));
        // Only the lowest plot says what x is; the others share its ticks.
        const bool lowest = kind == LivePlotKind::hugePages;
        plot->xAxis->setTickLabels(lowest);

        connect(plot, &LivePlot::hovered, q_, [this, kind](double x) { showCrosshair(kind, x); });
        connect(plot, &LivePlot::left, q_, [this, kind] { showCrosshair(kind, std::nullopt); });
        connect(plot, &LivePlot::armClicked, q_,
                [this](int arm) { q_->setArmVisible(static_cast<std::uint32_t>(arm), false); });
        connect(plot, &LivePlot::fitWanted, q_, [this] { fit(); });
        connect(plot, &LivePlot::rangeWanted, q_, [this](const QCPRange& range) { setRange(range); });
        connect(plot, &LivePlot::redrawWanted, q_, [this] { request(Cause::interaction); });
    }
    auto faults = QSharedPointer<NumberTicker>::create(true);
    faults->setTickCount(3);
    plotOf(LivePlotKind::faults)->yAxis2->setTicker(faults);
    auto eligible = QSharedPointer<QCPAxisTickerText>::create();
    eligible->addTick(0, LivePanel::tr("no"));
    eligible->addTick(1, LivePanel::tr("yes"));
    plotOf(LivePlotKind::hugePages)->yAxis2->setTicker(eligible);
    plotOf(LivePlotKind::throughput)->setEmptyText(LivePanel::tr("Nothing measured yet: press Run"));
    plotOf(LivePlotKind::memory)->setEmptyText(LivePanel::tr("No samples of memory"));
    plotOf(LivePlotKind::faults)->setEmptyText(LivePanel::tr("No faults counted"));
    plotOf(LivePlotKind::hugePages)
        ->setEmptyText(LivePanel::tr("No huge pages: nothing mapped with them, and none in the pool"));
}

QWidget* LivePanel::Private::makeControl(LivePlotKind kind) {
    if (kind == LivePlotKind::faults) {
        totals_ = new QCheckBox(LivePanel::tr("running total"), q_);
        totals_->setToolTip(LivePanel::tr("Show faults so far instead of faults per second"));
        connect(totals_, &QCheckBox::toggled, q_, [this](bool totals) { q_->setFaultTotals(totals); });
        return totals_;
    }
    if (kind == LivePlotKind::memory) {
        memoryKind_ = new QComboBox(q_);
        memoryKind_->addItems({LivePanel::tr("all kinds"), LivePanel::tr("anon"), LivePanel::tr("file"),
                               LivePanel::tr("huge pages"), LivePanel::tr("page tables")});
        memoryKind_->setAccessibleName(LivePanel::tr("Kind of memory shown"));
        memoryKind_->setToolTip(
            LivePanel::tr("anon: RssAnon, heap and buffers\nfile: RssFile and RssShmem, mapped page cache\n"
                          "huge pages: HugetlbPages, which RSS doesn't contain\npage tables: VmPTE"));
        connect(memoryKind_, &QComboBox::currentIndexChanged, q_, [this](int index) {
            options_.memory = static_cast<MemoryKind>(index);
            showKeys();
            dataChanged();
        });
        return memoryKind_;
    }
    return nullptr;
}

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
        plotOf(kind)->setAccessibleDescription(summaryOf(kind, store_));
    }
    const bool possible = q_->canReplay();
    controls_->setReplayPossible(
        possible, measuring_ ? LivePanel::tr("Replay waits until measuring has ended: "
                                             "drawing would disturb the runs")
                             : LivePanel::tr("Nothing to replay yet: run a study or open one"));
    showReplayState();
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
}

void LivePanel::Private::showKeys() {
    for (const LivePlotKind kind : kPlots) {
        headers_[static_cast<std::size_t>(kind)]->setKey(kindsOf(kind, options_), theme_);
    }
}

void LivePanel::Private::rebuildSeries() {
    seriesStale_ = false;
    for (const LivePlotKind kind : kPlots) {
        const auto i = static_cast<std::size_t>(kind);
        LivePlot* plot = plots_[i];
        plot->setSeries(seriesFor(kind, store_, theme_, options_));
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
    for (const LivePlot* plot : plots_) {
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
    plotOf(LivePlotKind::hugePages)->xAxis->setLabel(label);
}

void LivePanel::Private::layOut() {
    for (LivePlot* plot : plots_) {
        plot->prepareLayout();
    }
    for (LivePlot* plot : plots_) {
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
    for (LivePlot* plot : plots_) {
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
        readout_->setText(summaryOf(LivePlotKind::throughput, store_, false).toHtmlEscaped());
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
    request(clock_.isPlaying() ? Cause::interaction : Cause::data);
}

}  // namespace mmapscope
