#include "widgets/fault_histogram.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/axis_ticks.h"
#include "widgets/text.h"

namespace mmapscope {

namespace {

/// Counts downwards are counts too.
class CountTicker : public NumberTicker {
  public:
    CountTicker() : NumberTicker(true) {}

  protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
        return NumberTicker::getTickLabel(std::abs(tick), locale, format, precision);
    }
};

constexpr std::uint64_t HistogramBin::*kWays[] = {&HistogramBin::backward, &HistogramBin::forward};

}  // namespace

FaultHistogram::FaultHistogram(QWidget* parent) : QCustomPlot(parent), theme_(Theme::forPalette(palette())) {
    setInteractions(QCP::iNone);
    setMouseTracking(true);
    axisRect()->setMinimumMargins(QMargins(4, 6, 8, 4));
    xAxis->setSubTicks(false);
    xAxis->setTickLength(0, 4);
    xAxis->grid()->setVisible(false);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0);
    auto counts = QSharedPointer<CountTicker>::create();
    counts->setTickCount(4);
    yAxis->setTicker(counts);
    rebuild();
}

void FaultHistogram::setTheme(const Theme& theme) {
    theme_ = theme;
    rebuild();
}

void FaultHistogram::setBins(std::vector<HistogramBin> bins, const QString& axis, const QString& empty) {
    bins_ = std::move(bins);
    axis_ = axis;
    emptyText_ = empty;
    rebuild();
}

QString FaultHistogram::wordsOf(const HistogramBin& bin) const {
    const QString forward = countText(static_cast<double>(bin.forward));
    return bin.backward == 0 ? tr("%1: %2").arg(bin.name, forward)
                             : tr("%1: %2 forward, %3 backward")
                                   .arg(bin.name, forward, countText(static_cast<double>(bin.backward)));
}

void FaultHistogram::addBars(bool forward) {
    const QColor color = forward ? theme_.minorFault() : theme_.majorFault();
    QVector<double> places;
    QVector<double> heights;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const std::uint64_t count = bins_[i].*kWays[forward ? 1 : 0];
        most = std::max(most, count);
        places.append(static_cast<double>(i));
        heights.append((forward ? 1 : -1) * static_cast<double>(count));
    }
    if (most == 0) {
        return;
    }
    auto* bars = new QCPBars(xAxis, yAxis);
    bars->setWidth(0.78);
    bars->setPen(QPen(color, 1));
    // The hatch is the second code beside the hue.
    QColor fill = color;
    fill.setAlphaF(forward ? 0.55F : 0.8F);
    bars->setBrush(QBrush(fill, forward ? Qt::SolidPattern : Qt::BDiagPattern));
    bars->setData(places, heights, true);
    bars->setSelectable(QCP::stNone);
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const std::uint64_t count = bins_[i].*kWays[forward ? 1 : 0];
        if (count == 0 || count * 12 < most) {  // lower ones by the pointer; text over text says nothing
            continue;
        }
        auto* text = new QCPItemText(this);
        text->setText(compactNumber(static_cast<double>(count)));
        text->setFont(font());
        text->setColor(theme_.text());
        text->setPositionAlignment(Qt::AlignHCenter | (forward ? Qt::AlignBottom : Qt::AlignTop));
        text->position->setCoords(static_cast<double>(i), heights[static_cast<qsizetype>(i)]);
        text->setClipToAxisRect(false);
    }
}

void FaultHistogram::rebuild() {
    clearPlottables();
    clearItems();
    theme_.applyTo(this);
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    QStringList words;
    auto names = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const HistogramBin& bin = bins_[i];
        up = std::max(up, bin.forward);
        down = std::max(down, bin.backward);
        if (bin.labelled) {
            names->addTick(static_cast<double>(i), bin.name);
        }
        if (bin.forward + bin.backward > 0) {
            words << wordsOf(bin);
        }
    }
    xAxis->setTicker(names);
    const bool any = up + down > 0;
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLabels(any);
        axis->grid()->setVisible(any && axis == yAxis);
    }
    xAxis->setRange(-0.7, std::max<double>(1, static_cast<double>(bins_.size())) - 0.3);
    // Room above and below for the figures.
    const double whole = std::max(1.0, static_cast<double>(up) + static_cast<double>(down));
    yAxis->setRange(down > 0 ? -static_cast<double>(down) - whole * 0.14 : 0,
                    static_cast<double>(up) + whole * 0.14);
    xAxis->setLabel(any ? axis_ : QString());
    if (any) {
        addBars(true);
        addBars(false);
        if (down > 0) {
            for (const bool forward : {true, false}) {
                auto* text = new QCPItemText(this);
                text->position->setType(QCPItemPosition::ptAxisRectRatio);
                text->position->setCoords(1, forward ? 0 : 1);
                text->setPositionAlignment(Qt::AlignRight | (forward ? Qt::AlignTop : Qt::AlignBottom));
                text->setText(forward ? tr("↑ forward") : tr("↓ backward"));
                text->setColor(theme_.mutedText());
                text->setFont(font());
            }
        }
    } else {
        auto* text = new QCPItemText(this);
        text->position->setType(QCPItemPosition::ptAxisRectRatio);
        text->position->setCoords(0.5, 0.5);
        text->setText(emptyText_);
        text->setColor(theme_.mutedText());
        text->setFont(font());
    }
    setAccessibleDescription(any ? words.join(QStringLiteral("; ")) : emptyText_);
    replot(QCustomPlot::rpQueuedReplot);
}

void FaultHistogram::resizeEvent(QResizeEvent* event) {
    if (!event->size().isEmpty()) {  // a side that was hidden has no size at first, nor anything to paint on
        QCustomPlot::resizeEvent(event);
    }
}

void FaultHistogram::mouseMoveEvent(QMouseEvent* event) {
    const auto bin = static_cast<std::ptrdiff_t>(std::lround(xAxis->pixelToCoord(event->position().x())));
    const bool there = axisRect()->rect().contains(event->pos()) && bin >= 0 &&
                       bin < static_cast<std::ptrdiff_t>(bins_.size());
    QToolTip::showText(event->globalPosition().toPoint(),
                       there ? wordsOf(bins_[static_cast<std::size_t>(bin)]) : QString(), this);
}

}  // namespace mmapscope
