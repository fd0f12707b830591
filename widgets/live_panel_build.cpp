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
#include "widgets/residency_section.h"

namespace mmapscope {

namespace {

constexpr int kLeast = 72;         ///< pixels that a plot can't do without
constexpr int kLeastLowest = 112;  ///< with the numbers and the name of x

/// Scrolls up and down only: as wide as the widest header at least.
class PlotScroll : public QScrollArea {
  public:
    PlotScroll(QWidget* inside, QWidget* parent) : QScrollArea(parent) {
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);  // a plot that gets the focus is scrolled to
        setWidget(inside);
    }
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
                kLeast + kLeastLowest};
    }

  protected:
    bool eventFilter(QObject* object, QEvent* event) override {
        if (event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return QScrollArea::eventFilter(object, event);
    }
};

QSharedPointer<QCPAxisTicker> tickerFor(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
        case LivePlotKind::pressure:
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
      menu_(new LiveSeriesMenu(panel)),
      residency_(new ResidencySection(panel)) {
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
    layout->addWidget(residency_);
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
    connect(menu_, &LiveSeriesMenu::seriesWanted, q_, [this](LiveColumn column, bool shown) {
        SeriesSet wanted = options_.series;
        choose(wanted.set(static_cast<std::size_t>(column), shown));
    });
    connect(menu_, &LiveSeriesMenu::firstChoiceWanted, q_, [this] { choose(seriesAtFirst()); });
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
        headers_[i]->setToolTip(wrapped(helpOf(kind)));
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
    for (const LivePlotKind kind : {LivePlotKind::hugePages, LivePlotKind::machine, LivePlotKind::pressure}) {
        plotOf(kind)->setToolTip(wrapped(helpOf(kind)));
    }
    makeTickers();
    margins_ = std::make_unique<QCPMarginGroup>(nullptr);
    auto* scroll = new PlotScroll(inside, q_);
    connect(scroll->verticalScrollBar(), &QScrollBar::valueChanged, q_,
            [this] { request(Cause::interaction); });
    return scroll;
}

void LivePanel::Private::makeTickers() {
    for (const LivePlotKind kind : kPlots) {
        auto ticker = tickerFor(kind);
        ticker->setTickCount(4);
        plotOf(kind)->yAxis->setTicker(ticker);
    }
    for (const LivePlotKind kind : {LivePlotKind::faults, LivePlotKind::machine}) {
        auto counts = QSharedPointer<NumberTicker>::create(true);
        counts->setTickCount(3);
        plotOf(kind)->yAxis2->setTicker(counts);
    }
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
        plot->setMinimumHeight(kind == lowest() ? kLeastLowest : kLeast);
        plot->setVisible(shown);
        headers_[static_cast<std::size_t>(kind)]->setVisible(shown);
    }
    showKeys();
    wordsChanged();
    dataChanged();
}

void LivePanel::Private::choose(const SeriesSet& wanted) {
    if (wanted.any() && wanted != options_.series) {
        options_.series = wanted;
        showPlots();
        emit q_->shownSeriesChanged();
    }
    menu_->show(options_.series, store_);
}

}  // namespace mmapscope
