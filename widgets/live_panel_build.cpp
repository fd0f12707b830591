// How Live is put together, and which of its plots are there.
#include <QCheckBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "widgets/arm_legend.h"
#include "widgets/axis_ticks.h"
#include "widgets/live_controls.h"
#include "widgets/live_panel_private.h"
#include "widgets/live_series_menu.h"
#include "widgets/plot_header.h"

namespace mmapscope {

namespace {

QSharedPointer<QCPAxisTicker> tickerFor(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
            return QSharedPointer<NumberTicker>::create(false);
        case LivePlotKind::faults:
        case LivePlotKind::scheduling:
        case LivePlotKind::machine:
            return QSharedPointer<NumberTicker>::create(true);
        case LivePlotKind::memory:
        case LivePlotKind::hugePages:
        case LivePlotKind::storage:
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
      readout_(new QLabel(panel)),
      menu_(new LiveSeriesMenu(panel)) {
    auto* layout = new QVBoxLayout(q_);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(2);
    layout->addWidget(legend_);
    layout->addWidget(makePlots(), 1);
    readout_->setTextFormat(Qt::RichText);
    readout_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    readout_->setWordWrap(true);
    readout_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    readout_->setFixedHeight(readout_->fontMetrics().lineSpacing() * 2 + 4);  // the plots must not jump
    layout->addWidget(readout_);
    layout->addWidget(controls_);
    controls_->setSeriesMenu(menu_);

    refreshTimer_.setSingleShot(true);
    settleTimer_.setSingleShot(true);
    replayTimer_.setInterval(kFrameInterval);
    replayTimer_.setTimerType(Qt::PreciseTimer);
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
    connect(menu_, &QMenu::aboutToShow, q_, [this] { menu_->show(options_.series, store_); });
    connect(menu_, &LiveSeriesMenu::seriesWanted, q_,
            [this](LiveColumn column, bool shown) { choose(column, shown); });
    restyle();
}

QWidget* LivePanel::Private::makePlots() {
    auto* inside = new QWidget;
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    for (const LivePlotKind kind : kPlots) {
        const auto i = static_cast<std::size_t>(kind);
        headers_[i] = new PlotHeader(inside);
        headers_[i]->setToolTip(helpOf(kind));
        if (kind == LivePlotKind::faults) {
            totals_ = new QCheckBox(LivePanel::tr("running total"), headers_[i]);
            totals_->setToolTip(LivePanel::tr("Show faults so far instead of faults per second"));
            connect(totals_, &QCheckBox::toggled, q_, [this](bool totals) { q_->setFaultTotals(totals); });
            headers_[i]->addControl(totals_);
        }
        auto* plot = new LivePlot(inside);
        plots_[i] = plot;
        plot->setAccessibleName(titleOf(kind));
        layout->addWidget(headers_[i]);
        layout->addWidget(plot, kind == LivePlotKind::throughput ? 12 : 9);

        connect(plot, &LivePlot::hovered, q_, [this, kind](double x) { showCrosshair(kind, x); });
        connect(plot, &LivePlot::left, q_, [this, kind] { showCrosshair(kind, std::nullopt); });
        connect(plot, &LivePlot::armClicked, q_,
                [this](int arm) { q_->setArmVisible(static_cast<std::uint32_t>(arm), false); });
        connect(plot, &LivePlot::fitWanted, q_, [this] { fit(); });
        connect(plot, &LivePlot::rangeWanted, q_, [this](const QCPRange& range) { setRange(range); });
        connect(plot, &LivePlot::redrawWanted, q_, [this] { request(Cause::interaction); });
    }
    // Where a figure is easily misread, also on the plot itself.
    plotOf(LivePlotKind::hugePages)->setToolTip(helpOf(LivePlotKind::hugePages));
    plotOf(LivePlotKind::machine)->setToolTip(helpOf(LivePlotKind::machine));
    makeTickers();
    margins_ = std::make_unique<QCPMarginGroup>(nullptr);
    scroll_ = new QScrollArea(q_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);  // a plot that gets the focus is scrolled to
    scroll_->setWidget(inside);
    connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, q_,
            [this] { request(Cause::interaction); });
    return scroll_;
}

void LivePanel::Private::makeTickers() {
    for (const LivePlotKind kind : kPlots) {
        auto ticker = tickerFor(kind);
        ticker->setTickCount(4);
        plotOf(kind)->yAxis->setTicker(ticker);
    }
    auto faults = QSharedPointer<NumberTicker>::create(true);
    faults->setTickCount(3);
    plotOf(LivePlotKind::faults)->yAxis2->setTicker(faults);
    auto share = QSharedPointer<NumberTicker>::create(false);
    share->setTickCount(3);
    plotOf(LivePlotKind::machine)->yAxis2->setTicker(share);
    auto eligible = QSharedPointer<QCPAxisTickerText>::create();
    eligible->addTick(0, LivePanel::tr("no"));
    eligible->addTick(1, LivePanel::tr("yes"));
    plotOf(LivePlotKind::hugePages)->yAxis2->setTicker(eligible);
}

LivePlotKind LivePanel::Private::lowest() const {
    LivePlotKind last = kPlots.front();
    for (const LivePlotKind kind : kPlots) {
        last = isShown(kind) ? kind : last;
    }
    return last;
}

std::vector<LivePlot*> LivePanel::Private::shownPlots() const {
    std::vector<LivePlot*> plots;
    for (const LivePlotKind kind : kPlots) {
        if (isShown(kind)) {
            plots.push_back(plotOf(kind));
        }
    }
    return plots;
}

void LivePanel::Private::showPlots() {
    for (const LivePlotKind kind : kPlots) {
        const bool shown = isShown(kind);
        LivePlot* plot = plotOf(kind);
        // A hidden plot's labels must not widen the margins that the others share.
        plot->axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, shown ? margins_.get() : nullptr);
        // Only the lowest plot says what x is; the others share its ticks.
        plot->xAxis->setTickLabels(kind == lowest());
        plot->xAxis->setLabel({});
        plot->setVisible(shown);
        headers_[static_cast<std::size_t>(kind)]->setVisible(shown);
    }
    showKeys();
    wordsChanged();
    dataChanged();
}

void LivePanel::Private::choose(LiveColumn column, bool shown) {
    SeriesSet wanted = options_.series;
    wanted.set(static_cast<std::size_t>(column), shown);
    if (wanted.any() && wanted != options_.series) {
        options_.series = wanted;
        showPlots();
        emit q_->shownSeriesChanged();
    }
    menu_->show(options_.series, store_);
}

}  // namespace mmapscope
