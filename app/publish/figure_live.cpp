// Throughput, faults and memory over the time of each arm's last run: Live's own plots, drawn once.
#include <QCoreApplication>
#include <algorithm>

#include "app/publish/figure.h"
#include "widgets/axis_ticks.h"
#include "widgets/live_plot.h"
#include "widgets/live_store.h"
#include "widgets/live_view.h"

namespace mmapscope {
namespace {

struct LiveFigure {
    Q_DECLARE_TR_FUNCTIONS(LiveFigure)
};

LivePlotKind livePlotOf(PlotKind kind) {
    return kind == PlotKind::throughput ? LivePlotKind::throughput
           : kind == PlotKind::faults   ? LivePlotKind::faults
                                        : LivePlotKind::memory;
}

class LivePart : public FigurePart {
  public:
    LivePart(const LiveStore& store, LivePlotKind kind, const FigureStyle& style)
        : store_(store), kind_(kind), style_(style) {
        preparePlot(plot_, style_);
        plot_.setTheme(style_.theme);
        if (kind_ == LivePlotKind::faults) {
            plot_.yAxis->setTicker(QSharedPointer<NumberTicker>::create(true));
            plot_.yAxis2->setTicker(QSharedPointer<NumberTicker>::create(true));
        } else {
            plot_.yAxis->setTicker(QSharedPointer<BinaryTicker>::create());
        }
        plot_.setSeries(seriesFor(kind_, store_, style_.theme, options_));
        makeKey();
        labelValues();
    }

    Heights heights(int width) override {
        const int key = keyHeight(key_, style_, width);
        return {key + style_.line() * 10, key + style_.line() * 28, key + style_.line() * 400};
    }

    void paint(QCPPainter& painter, const QSize& size) override {
        paintKey(painter, key_, style_, size.width());
        const int key = keyHeight(key_, style_, size.width());
        const QSize rest(size.width(), size.height() - key);
        resizePlot(plot_, rest);
        plot_.fitValues();
        plot_.yAxis->setLabel(wrapped(label_, style_.text, rest.height() * 3 / 4, 3).join(u'\n'));
        for (int pass = 0; pass < 2; ++pass) {  // the room for labels depends on the width there is
            showWholeRuns();
            plot_.prepareLayout();
            plot_.layOut();
        }
        plot_.decimate();
        painter.translate(0, key);
        plot_.toPainter(&painter, rest.width(), rest.height());
    }

  private:
    void makeKey() {
        const auto& series = plot_.series();
        const auto drawn = [&](auto is) { return std::any_of(series.begin(), series.end(), is); };
        for (std::size_t arm = 0; arm < store_.arms().size(); ++arm) {
            const int index = static_cast<int>(arm);
            if (drawn([&](const LiveSeries& one) { return one.arm == index; })) {
                QPen pen = style_.theme.armPen(index);
                if (kind_ == LivePlotKind::memory) {
                    pen.setStyle(Qt::SolidLine);  // dashes tell the quantities there
                }
                key_.push_back({store_.arms()[arm].id, pen, style_.theme.armMarker(index)});
            }
        }
        const auto kinds = kindsOf(kind_, options_);
        for (const SeriesKind& kind : kinds) {
            const bool shown = drawn([&](const LiveSeries& one) { return one.column == kind.column; });
            if (kinds.size() < 2 || !shown) {
                continue;
            }
            QPen pen(style_.theme.mutedText(), kind.width, kind.dash);
            pen.setCapStyle(Qt::FlatCap);
            const bool major = kind.column == LiveColumn::majorRate;
            key_.push_back({kind.rightAxis ? LiveFigure::tr("%1 (right axis)").arg(kind.name) : kind.name,
                            pen, major ? QCPScatterStyle::ssTriangle : QCPScatterStyle::ssNone});
        }
    }

    void labelValues() {
        const auto& series = plot_.series();
        const bool right =
            std::any_of(series.begin(), series.end(), [](const LiveSeries& one) { return one.rightAxis; });
        plot_.setRightAxis(right);
        label_ =
            LiveFigure::tr("%1, %2", "quantity, unit").arg(titleOf(kind_), unitOf(kind_, store_, options_));
        if (right) {
            plot_.yAxis2->setLabel(LiveFigure::tr("major faults, per second"));
        }
    }

    void showWholeRuns() {
        const double end = std::max(store_.longestSeconds(), 1e-9);
        const QCPRange range(0, std::min(std::max(end, plot_.rangeWithLabels()), end * 1.6));
        const TimeUnit unit = timeUnitFor(range.upper / 2);
        auto ticker = QSharedPointer<TimeTicker>::create();
        ticker->setUnit(unit);
        ticker->setTickCount(8);
        plot_.xAxis->setTicker(ticker);
        plot_.xAxis->setRange(range);
        plot_.xAxis->setLabel(
            LiveFigure::tr("time since the run's clock started, %1").arg(QString::fromUtf8(unit.name)));
    }

    LiveStore store_;
    LivePlotKind kind_;
    FigureStyle style_;
    LiveOptions options_;
    QString label_;
    LivePlot plot_;
    std::vector<KeyEntry> key_;
};

}  // namespace

void addLiveParts(Figure& figure, const Study& study, PlotKind kind, const FigureStyle& style) {
    LiveStore store;
    store.showStudy(study);
    const LivePlotKind plot = livePlotOf(kind);
    figure.description = summaryOf(plot, store, {}, true);
    QStringList none;
    for (const LiveArm& arm : store.arms()) {
        if (!arm.finished && !arm.problem.isEmpty()) {
            none << LiveFigure::tr("%1 is not shown: %2", "arm, reason").arg(arm.id, arm.problem);
        }
    }
    figure.notes << none;
    figure.parts.push_back(std::make_unique<LivePart>(store, plot, style));
}

}  // namespace mmapscope
