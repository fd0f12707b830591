#include "widgets/plot_items.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mmapscope {

namespace {

constexpr double kMarkerSize = 6;
constexpr double kLabelGap = 9;         ///< px from a line's end to its label
constexpr double kMarkerSpacing = 110;  ///< px between the sparse markers of a line
constexpr std::size_t kFewPoints = 24;  ///< every point gets its marker up to here

QCPAxis* valueAxisOf(const LivePlot* plot, const LiveSeries& series) {
    return series.rightAxis ? plot->yAxis2 : plot->yAxis;
}

QFont labelFont(const QWidget* widget) {
    QFont font = widget->font();
    font.setPointSizeF(font.pointSizeF() * 0.92);
    return font;
}

}  // namespace

void spreadLabels(std::vector<double>& centres, double height, double top, double bottom) {
    if (centres.empty()) {
        return;
    }
    std::vector<std::size_t> order(centres.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return centres[a] < centres[b]; });
    double least = top + height / 2;
    for (const std::size_t i : order) {
        centres[i] = std::max(centres[i], least);
        least = centres[i] + height;
    }
    double most = bottom - height / 2;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        centres[*i] = std::min(centres[*i], most);
        most = centres[*i] - height;
    }
}

SeriesMarks::SeriesMarks(LivePlot* plot) : QCPAbstractItem(plot), plot_(plot) {
    setClipToAxisRect(true);
    setSelectable(false);
}

int SeriesMarks::armAt(const QPointF& position) const {
    for (const auto& [rect, arm] : hits_) {
        if (rect.contains(position)) {
            return arm;
        }
    }
    return -1;
}

void SeriesMarks::drawMarkers(QCPPainter* painter, const LiveSeries& series, QCPAxis* valueAxis) const {
    if (series.marker == QCPScatterStyle::ssNone) {
        return;
    }
    QCPAxis* keyAxis = plot_->xAxis;
    QCPScatterStyle style(series.marker, series.pen.color(), QBrush(series.pen.color()), kMarkerSize);
    style.applyTo(painter, QPen(series.pen.color(), 1.4));
    const auto drawAt = [&](double x, double y) {
        if (!std::isnan(y)) {
            style.drawShape(painter, keyAxis->coordToPixel(x), valueAxis->coordToPixel(y));
        }
    };
    if (series.points.size() <= kFewPoints) {
        for (const PlotPoint& point : series.points) {
            drawAt(point.x, point.y);
        }
        return;
    }
    // At multiples of a step of the axis, so that they keep their place on the line when it is panned; each
    // arm a little further on, so that markers of lines that lie on each other don't.
    const double pixels = std::max(1, plot_->axisRect()->width());
    const double step = std::exp2(std::round(std::log2(keyAxis->range().size() * kMarkerSpacing / pixels)));
    const double shift = step * std::fmod(0.29 + 0.37 * series.arm, 1.0);
    const double begin = std::max(series.points.front().x, keyAxis->range().lower);
    const double end = std::min(series.points.back().x, keyAxis->range().upper);
    for (double k = std::ceil((begin - shift) / step); k * step + shift <= end; ++k) {
        const double x = k * step + shift;
        if (const auto y = valueAt(series, x)) {
            drawAt(x, *y);
        }
    }
}

void SeriesMarks::draw(QCPPainter* painter) {
    hits_.clear();
    std::vector<Label> labels;
    const QCPRange range = plot_->xAxis->range();
    const QFontMetricsF metrics(labelFont(plot_));
    for (const LiveSeries& series : plot_->series()) {
        QCPAxis* valueAxis = valueAxisOf(plot_, series);
        drawMarkers(painter, series, valueAxis);
        if (series.label.isEmpty()) {
            continue;
        }
        for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
            if (point->x <= range.upper && !std::isnan(point->y)) {
                if (point->x >= range.lower) {
                    const QPointF anchor(plot_->xAxis->coordToPixel(point->x),
                                         valueAxis->coordToPixel(point->y));
                    labels.push_back(
                        {anchor, anchor.y(), &series, metrics.horizontalAdvance(series.label) + 8});
                }
                break;
            }
        }
    }
    drawLabels(painter, labels);
}

void SeriesMarks::drawLabels(QCPPainter* painter, std::vector<Label>& labels) {
    painter->setFont(labelFont(plot_));
    const double height = QFontMetricsF(painter->font()).height();
    const QRectF area = plot_->axisRect()->rect();
    // Only labels over the same stretch of x can overlap: those are spread together.
    std::sort(labels.begin(), labels.end(),
              [](const Label& a, const Label& b) { return a.anchor.x() < b.anchor.x(); });
    std::size_t begin = 0;
    while (begin < labels.size()) {
        const auto leftOf = [&](const Label& label) {
            return std::min(label.anchor.x() + kLabelGap, area.right() - label.width);
        };
        std::size_t end = begin + 1;
        double right = leftOf(labels[begin]) + labels[begin].width;
        while (end < labels.size() && leftOf(labels[end]) < right) {
            right = std::max(right, leftOf(labels[end]) + labels[end].width);
            ++end;
        }
        std::vector<double> centres;
        for (std::size_t i = begin; i < end; ++i) {
            // Pushed in from the right border, a label lies on its own line: then it goes above it.
            const bool pushed = labels[i].anchor.x() + kLabelGap + labels[i].width > area.right() + 1;
            centres.push_back(labels[i].anchor.y() - (pushed ? height * 0.8 : 0));
        }
        spreadLabels(centres, height, area.top(), area.bottom());
        for (std::size_t i = begin; i < end; ++i) {
            const LiveSeries& series = *labels[i].series;
            const QRectF box(leftOf(labels[i]), centres[i - begin] - height / 2, labels[i].width, height);
            QColor halo = theme_.plotBackground();
            halo.setAlpha(150);
            painter->fillRect(box.adjusted(3, 2, -3, -2), halo);
            if (std::abs(centres[i - begin] - labels[i].anchor.y()) > height * 0.6 &&
                labels[i].anchor.x() < box.left()) {
                painter->setPen(QPen(series.pen.color(), 1));
                painter->drawLine(labels[i].anchor + QPointF(2, 0),
                                  QPointF(box.left() + 2, box.center().y()));
            }
            painter->setPen(QPen(series.pen.color()));
            painter->drawText(box, Qt::AlignCenter, series.label);
            hits_.emplace_back(box, series.arm);
        }
        begin = end;
    }
}

CrosshairItem::CrosshairItem(LivePlot* plot) : QCPAbstractItem(plot), plot_(plot) {
    setClipToAxisRect(true);
    setSelectable(false);
}

void CrosshairItem::draw(QCPPainter* painter) {
    if (!x_ || !plot_->xAxis->range().contains(*x_)) {
        return;
    }
    const QRect area = plot_->axisRect()->rect();
    const double px = std::round(plot_->xAxis->coordToPixel(*x_)) + 0.5;
    painter->setPen(QPen(theme_.mutedText(), 1, Qt::SolidLine));
    painter->drawLine(QPointF(px, area.top()), QPointF(px, area.bottom()));
    painter->setAntialiasing(true);
    for (const LiveSeries& series : plot_->series()) {
        if (const auto y = valueAt(series, *x_)) {
            painter->setPen(QPen(theme_.plotBackground(), 1.5));
            painter->setBrush(series.pen.color());
            painter->drawEllipse(QPointF(px, valueAxisOf(plot_, series)->coordToPixel(*y)), 4, 4);
        }
    }
}

}  // namespace mmapscope
