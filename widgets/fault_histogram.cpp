#include "widgets/fault_histogram.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

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

QString figure(std::uint64_t count) {
    constexpr std::uint64_t kMostDigits = 100000;  // more of them don't fit on a bar
    const auto value = static_cast<double>(count);
    return count < kMostDigits ? countText(value) : compactNumber(value);
}

constexpr double kBarWidth = 0.78;
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

double FaultHistogram::binPixels() const {
    constexpr double kAxisWidth = 60;  // about: the margins are known only once it is drawn
    return std::max(1.0,
                    (width() - kAxisWidth) / static_cast<double>(std::max<std::size_t>(1, bins_.size())));
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
    bars->setWidth(kBarWidth);
    bars->setPen(QPen(color, 1));
    // The hatch is the second code beside the hue.
    QColor fill = color;
    fill.setAlphaF(forward ? 0.55F : 0.8F);
    bars->setBrush(QBrush(fill, forward ? Qt::SolidPattern : Qt::BDiagPattern));
    bars->setData(places, heights, true);
    bars->setSelectable(QCP::stNone);
    // The highest bars' figures, as far as they don't lie on each other; the others are told to the pointer.
    std::vector<std::size_t> order(bins_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return bins_[a].*kWays[forward ? 1 : 0] > bins_[b].*kWays[forward ? 1 : 0];
    });
    const QFontMetricsF metrics(font());
    const double perBin = binPixels();
    std::vector<std::pair<double, double>> taken;  // from, to
    for (const std::size_t i : order) {
        const std::uint64_t count = bins_[i].*kWays[forward ? 1 : 0];
        const double half = metrics.horizontalAdvance(figure(count)) / 2 / perBin + 0.1;
        const double place = static_cast<double>(i);
        bool free = std::all_of(taken.begin(), taken.end(), [&](const auto& one) {
            return place + half < one.first || place - half > one.second;
        });
        for (std::size_t j = 0; j < bins_.size(); ++j) {
            const double gap = std::abs(static_cast<double>(j) - place) - kBarWidth / 2;
            free = free && (gap > half || bins_[j].*kWays[forward ? 1 : 0] <= count);
        }
        if (count == 0 || !free) {
            continue;
        }
        taken.emplace_back(place - half, place + half);
        auto* text = new QCPItemText(this);
        text->setText(figure(count));
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
    double named = 0;  // up to there the axis is taken by names
    auto names = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const HistogramBin& bin = bins_[i];
        up = std::max(up, bin.forward);
        down = std::max(down, bin.backward);
        const double place = static_cast<double>(i) * binPixels();
        const double half = QFontMetricsF(font()).horizontalAdvance(bin.name) / 2 + 3;
        if (bin.labelled && (place - half > named || names->ticks().isEmpty())) {
            names->addTick(static_cast<double>(i), bin.name);
            named = place + half;
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
    const double room = whole * (down > 0 ? 0.2 : 0.14);
    yAxis->setRange(down > 0 ? -static_cast<double>(down) - room : 0, static_cast<double>(up) + room);
    xAxis->setLabel(!any ? QString() : down > 0 ? tr("%1\n↑ forward, ↓ backward").arg(axis_) : axis_);
    if (any) {
        addBars(true);
        addBars(false);
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
        rebuild();  // other figures fit
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
