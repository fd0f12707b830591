#include "widgets/ratio_chart.h"

#include <algorithm>

namespace mmapscope {

namespace {

/// From here on an interval as a whole is called faster or slower (see verdictOf).
constexpr double kTieMargin = 0.01;

QString figure(double value) {
    return QString::number(value, 'f', 2);
}

}  // namespace

RatioChart::RatioChart(QWidget* parent) : QCustomPlot(parent), theme_(Theme::forPalette(palette())) {
    setInteractions(QCP::iNone);
    axisRect()->setMinimumMargins(QMargins(4, 6, 14, 4));
    yAxis->setRangeReversed(true);
    yAxis->grid()->setVisible(false);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0);
    xAxis->setSubTicks(false);
    setAccessibleName(tr("Ratios to the baseline"));
}

QSize RatioChart::sizeHint() const {
    const int line = fontMetrics().height();
    return {400, static_cast<int>(std::max<std::size_t>(2, bars_.size())) * line * 2 + line * 4};
}

QSize RatioChart::minimumSizeHint() const {
    const int bars = static_cast<int>(std::clamp<std::size_t>(bars_.size(), 2, 12));
    return {200, fontMetrics().height() * (bars + 4)};
}

void RatioChart::setTheme(const Theme& theme) {
    theme_ = theme;
    rebuild();
}

void RatioChart::setBars(std::vector<RatioBar> bars, const QString& over) {
    bars_ = std::move(bars);
    over_ = over;
    setMaximumHeight(sizeHint().height() * 2);  // a few bars stay bars in a tall window
    updateGeometry();
    rebuild();
}

void RatioChart::addText(double x, double place, const QString& text, const QColor& color, bool bold) {
    auto* item = new QCPItemText(this);
    item->position->setCoords(x, place);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    item->setPadding(QMargins(8, 0, 0, 0));
    QFont itemFont = font();
    itemFont.setBold(bold);
    item->setFont(itemFont);
    item->setColor(color);
    item->setText(text);
}

QCPAbstractPlottable* RatioChart::addBody(const RatioBar& bar, double place) {
    const QColor color = theme_.armColor(bar.arm);
    auto* body = new QCPBars(yAxis, xAxis);
    body->setBaseValue(1);
    body->setWidth(0.5);
    QColor fill = color;
    fill.setAlphaF(0.35F);
    body->setBrush(fill);
    body->setPen(QPen(color, 1));
    body->setData({place}, {bar.interval->ratio - 1});  // lengths from the base value
    return body;
}

QCPAbstractPlottable* RatioChart::addDot(const RatioBar& bar, double place) {
    const QColor color = theme_.armColor(bar.arm);
    auto* dot = new QCPGraph(yAxis, xAxis);
    dot->setLineStyle(QCPGraph::lsNone);
    dot->setScatterStyle(QCPScatterStyle(theme_.armMarker(bar.arm), QPen(color, 1.6), QBrush(color), 10));
    dot->setData({place}, {bar.interval->ratio});
    return dot;
}

void RatioChart::addBar(const RatioBar& bar, double place) {
    const QColor color = theme_.armColor(bar.arm);
    if (!bar.interval) {
        const QString absent = bar.isDot ? tr("no verdict") : tr("unranked");
        addText(1, place, bar.isBaseline ? tr("1.00 baseline") : absent, theme_.mutedText(), false);
        return;
    }
    const auto [ratio, low, high] = *bar.interval;
    QCPAbstractPlottable* const body = bar.isDot ? addDot(bar, place) : addBody(bar, place);
    body->setSelectable(QCP::stNone);
    auto* whiskers = new QCPErrorBars(yAxis, xAxis);
    whiskers->setDataPlottable(body);
    whiskers->setErrorType(QCPErrorBars::etValueError);
    whiskers->setData({std::max(0.0, ratio - low)}, {std::max(0.0, high - ratio)});
    whiskers->setPen(QPen(bar.isDot ? color : theme_.text(), 1.4));
    whiskers->setWhiskerWidth(9);
    whiskers->setSymbolGap(0);
    whiskers->setSelectable(QCP::stNone);
    addText(std::max({high, ratio, 1.0}), place, figure(ratio), color, true);
}

void RatioChart::setRange() {
    double low = 1;
    double high = 1;
    for (const RatioBar& bar : bars_) {
        if (bar.interval) {
            low = std::min({low, bar.interval->low, bar.interval->ratio});
            high = std::max({high, bar.interval->high, bar.interval->ratio});
        }
    }
    // At least ±5 %, so that a tie looks like one; room for the figures at the right.
    low = std::max(0.0, std::min(0.95, low - (high - low) * 0.06));
    high = std::max(1.05, high);
    xAxis->setRange(low, high + (high - low) * 0.16);
    yAxis->setRange(-0.7, static_cast<double>(std::max<std::size_t>(1, bars_.size())) - 0.3);
}

void RatioChart::rebuild() {
    clearPlottables();
    clearItems();
    theme_.applyTo(this);
    setRange();

    auto* tie = new QCPItemRect(this);
    for (QCPItemPosition* corner : {tie->topLeft, tie->bottomRight}) {
        corner->setTypeX(QCPItemPosition::ptPlotCoords);
        corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    tie->topLeft->setCoords(1 - kTieMargin, 0);
    tie->bottomRight->setCoords(1 + kTieMargin, 1);
    tie->setPen(Qt::NoPen);
    tie->setBrush(theme_.gridLine());
    tie->setLayer(QStringLiteral("background"));
    auto* one = new QCPItemStraightLine(this);
    one->point1->setCoords(1, 0);
    one->point2->setCoords(1, 1);
    one->setPen(QPen(theme_.text(), 1.2));
    one->setLayer(QStringLiteral("grid"));

    const auto names = QSharedPointer<QCPAxisTickerText>::create();
    QString baseline;
    QStringList words;
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const RatioBar& bar = bars_[i];
        names->addTick(static_cast<double>(i), bar.id);
        addBar(bar, static_cast<double>(i));
        baseline = bar.isBaseline ? bar.id : baseline;
        if (bar.interval) {
            words << tr("%1 %2, between %3 and %4")
                         .arg(bar.id, figure(bar.interval->ratio), figure(bar.interval->low),
                              figure(bar.interval->high));
        }
    }
    yAxis->setTicker(names);
    yAxis->setTickLabelColor(theme_.text());
    const QString base = baseline.isEmpty() ? tr("the baseline") : baseline;
    const QString by = over_.isEmpty() ? base : over_;
    // Names of studies are long.
    const QChar turn = over_.isEmpty() ? u' ' : u'\n';
    xAxis->setLabel(tr("throughput over %1:%2faster when the whole line lies right of the grey band, slower "
                       "when left of it, else tied")
                        .arg(by, turn));

    setAccessibleDescription(words.isEmpty()
                                 ? tr("No ratios yet")
                                 : tr("Throughput over %1: %2").arg(by, words.join(QStringLiteral("; "))));
    replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace mmapscope
