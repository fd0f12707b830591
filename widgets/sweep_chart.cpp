#include "widgets/sweep_chart.h"

#include <algorithm>
#include <cmath>

#include "widgets/axis_ticks.h"
#include "widgets/text.h"

namespace mmapscope {
namespace {

double mib(Bytes bytes) {
    return static_cast<double>(bytes.count()) / (1U << 20U);
}

/// 1, 2, 4, 8 … MiB.
class SizeTicker : public QCPAxisTickerLog {
  public:
    SizeTicker() { setLogBase(2); }

  protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return tick >= 1024 ? QStringLiteral("%1 Gi").arg(tick / 1024) : QString::number(tick);
    }
};

class CountTicker : public QCPAxisTickerLog {
  protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return compactNumber(tick); }
};

}  // namespace

SweepChart::SweepChart(const QString& title, QWidget* parent)
    : QCustomPlot(parent), title_(title), theme_(Theme::forPalette(palette())) {
    setInteractions(QCP::iNone);
    setMinimumHeight(fontMetrics().height() * 9);
    setAccessibleName(title);
    xAxis->setScaleType(QCPAxis::stLogarithmic);
    xAxis->setTicker(QSharedPointer<SizeTicker>::create());
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    yAxis->setTicker(QSharedPointer<CountTicker>::create());
}

void SweepChart::setTheme(const Theme& theme) {
    theme_ = theme;
    rebuild();
}

void SweepChart::setLines(std::vector<SweepLine> lines, std::vector<SweepMark> marks,
                          std::optional<Bytes> cap, const QString& unit) {
    lines_ = std::move(lines);
    marks_ = std::move(marks);
    cap_ = cap;
    unit_ = unit;
    rebuild();
}

void SweepChart::addLine(const SweepLine& line) {
    QVector<double> x, y, low, high;
    for (const SweepValue& value : line.values) {
        // A log axis has no place for none: such points are left out, and the line with them.
        if (value.value > 0) {
            x << mib(value.size);
            y << value.value;
            low << std::max(value.low, value.value / 1e3);
            high << value.high;
        }
    }
    const QColor color = theme_.armColor(line.arm);
    auto* bottom = addGraph();
    bottom->setData(x, low, true);
    bottom->setPen(Qt::NoPen);
    auto* top = addGraph();
    top->setData(x, high, true);
    top->setPen(Qt::NoPen);
    QColor band = color;
    band.setAlphaF(0.18F);
    top->setBrush(band);
    top->setChannelFillGraph(bottom);
    auto* middle = addGraph();
    middle->setData(x, y, true);
    middle->setPen(theme_.armPen(line.arm));
    middle->setScatterStyle(QCPScatterStyle(theme_.armMarker(line.arm), color, color, 6));
}

/// At the lines' right ends, moved apart so that none covers another.
void SweepChart::addNames() {
    struct Name {
        const SweepLine* line;
        double x, y;  ///< y in pixels
    };
    std::vector<Name> names;
    for (const SweepLine& line : lines_) {
        if (!line.values.empty() && line.values.back().value > 0) {
            names.push_back(
                {&line, mib(line.values.back().size), yAxis->coordToPixel(line.values.back().value)});
        }
    }
    std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    double lowest = -INFINITY;
    for (Name& name : names) {
        name.y = std::max(name.y, lowest + fontMetrics().height());
        lowest = name.y;
        auto* label = new QCPItemText(this);
        label->position->setCoords(name.x, yAxis->pixelToCoord(name.y));
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        label->setPadding(QMargins(8, 0, 0, 0));
        label->setColor(theme_.armColor(name.line->arm));
        label->setText(name.line->id);
        label->setClipToAxisRect(false);
    }
}

void SweepChart::addMarks() {
    for (const SweepMark& mark : marks_) {
        auto* band = new QCPItemRect(this);
        for (QCPItemPosition* corner : {band->topLeft, band->bottomRight}) {
            corner->setTypeX(QCPItemPosition::ptPlotCoords);
            corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        band->topLeft->setCoords(mib(mark.low), 0);
        band->bottomRight->setCoords(mib(mark.high), 1);
        QColor color = theme_.armColor(mark.arm);
        band->setPen(QPen(color, 1, Qt::DotLine));
        color.setAlphaF(0.10F);
        band->setBrush(color);
        band->setLayer(QStringLiteral("background"));
    }
    if (cap_) {
        auto* line = new QCPItemStraightLine(this);
        line->point1->setCoords(mib(*cap_), 1);
        line->point2->setCoords(mib(*cap_), 2);
        line->setPen(QPen(theme_.text(), 1.4, Qt::DashLine));
        auto* label = new QCPItemText(this);
        label->position->setTypeX(QCPItemPosition::ptPlotCoords);
        label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        label->position->setCoords(mib(*cap_), 0);
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setPadding(QMargins(4, 2, 0, 0));
        label->setColor(theme_.text());
        label->setText(tr("memory cap %1").arg(bytesText(*cap_)));
    }
}

void SweepChart::rebuild() {
    clearPlottables();
    clearItems();
    theme_.applyTo(this);
    int widest = 0;
    for (const SweepLine& line : lines_) {
        widest = std::max(widest, fontMetrics().horizontalAdvance(line.id));
    }
    axisRect()->setMinimumMargins(QMargins(4, 6, widest + 16, 4));
    QStringList words;
    double least = INFINITY, most = 0, smallest = INFINITY, largest = 0;
    for (const SweepLine& line : lines_) {
        addLine(line);
        for (const SweepValue& value : line.values) {
            smallest = std::min(smallest, mib(value.size));
            largest = std::max(largest, mib(value.size));
            if (value.value > 0) {
                least = std::min(least, value.low > 0 ? value.low : value.value);
                most = std::max(most, value.high);
            }
        }
        if (!line.values.empty()) {
            words << tr("%1 from %2 to %3 %4")
                         .arg(line.id, compactNumber(line.values.front().value),
                              compactNumber(line.values.back().value), unit_);
        }
    }
    addMarks();
    if (largest > 0) {
        xAxis->setRange(smallest / 1.1, largest * 1.1);
    }
    if (most > 0) {
        yAxis->setRange(least / 1.3, most * 1.3);
    }
    xAxis->setLabel(tr("working-set size, MiB"));
    yAxis->setLabel(unit_);
    setAccessibleDescription(words.isEmpty() ? tr("No sweep yet") : words.join(QStringLiteral("; ")));
    replot(QCustomPlot::rpImmediateRefresh);  // lays the axes out: names are placed in pixels
    addNames();
    replot(QCustomPlot::rpQueuedReplot);
}

void SweepChart::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    rebuild();
}

void SweepChart::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    const double at = std::log(std::max(1e-6, xAxis->pixelToCoord(event->pos().x())));
    std::optional<Bytes> nearest;
    double distance = INFINITY;
    for (const SweepLine& line : lines_) {
        for (const SweepValue& value : line.values) {
            if (const double off = std::abs(std::log(mib(value.size)) - at); off < distance) {
                distance = off;
                nearest = value.size;
            }
        }
    }
    if (nearest) {
        emit sizeChosen(*nearest);
    }
}

}  // namespace mmapscope
