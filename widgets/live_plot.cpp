#include "widgets/live_plot.h"

#include <algorithm>
#include <cmath>

#include "widgets/axis_ticks.h"
#include "widgets/plot_items.h"

namespace mmapscope {

std::optional<double> valueAt(const LiveSeries& series, double x) {
    const auto& points = series.points;
    const auto after = std::lower_bound(points.begin(), points.end(), x,
                                        [](const PlotPoint& point, double at) { return point.x < at; });
    if (after == points.end() || (after == points.begin() && after->x > x)) {
        return std::nullopt;
    }
    double y = after->y;
    if (after->x > x) {
        const PlotPoint& before = *(after - 1);
        const double share = (x - before.x) / (after->x - before.x);
        y = series.step ? before.y : before.y + (after->y - before.y) * share;
    }
    return std::isnan(y) ? std::nullopt : std::optional(y);
}

LivePlot::LivePlot(QWidget* parent) : QCustomPlot(parent) {
    // Panning and zooming are done here, not by QCustomPlot: it would redraw at every event, undecimated.
    setInteractions(QCP::iNone);
    axisRect()->setMinimumMargins(QMargins(0, 8, 12, 4));
    // Hints of QCustomPlot itself: polylines without caps, cached tick labels.
    setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(72);
    xAxis->setTickLength(0, 4);
    yAxis->setTickLength(0, 4);
    yAxis2->setTickLength(0, 4);
    for (QCPAxis* axis : {xAxis, yAxis, yAxis2}) {
        axis->setSubTicks(false);
        axis->ticker()->setTickCount(4);
    }
    yAxis2->setVisible(false);
    yAxis2->grid()->setVisible(false);

    addLayer(QStringLiteral("marks"), layer(QStringLiteral("main")), QCustomPlot::limAbove);
    marks_ = new SeriesMarks(this);
    marks_->setLayer(QStringLiteral("marks"));
    // A layer with a buffer of its own: moving the crosshair redraws nothing else.
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    crosshair_ = new CrosshairItem(this);
    crosshair_->setLayer(QStringLiteral("overlay"));
    empty_ = new QCPItemText(this);
    empty_->setLayer(QStringLiteral("marks"));
    empty_->position->setType(QCPItemPosition::ptAxisRectRatio);
    empty_->position->setCoords(0.5, 0.5);
    empty_->setVisible(false);
}

void LivePlot::setTheme(const Theme& theme) {
    theme.applyTo(this);
    marks_->setTheme(theme);
    crosshair_->setTheme(theme);
    empty_->setColor(theme.mutedText());
    empty_->setFont(font());
}

void LivePlot::setSeries(std::vector<LiveSeries> series) {
    series_ = std::move(series);
    while (graphs_.size() < series_.size()) {
        graphs_.push_back(addGraph());
        graphs_.back()->setSelectable(QCP::stNone);
        graphs_.back()->setAdaptiveSampling(false);  // decimate() has done it, and kept the spikes
    }
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
        QCPGraph* graph = graphs_[i];
        graph->setVisible(i < series_.size());
        if (i >= series_.size()) {
            graph->data()->clear();
            continue;
        }
        graph->setPen(series_[i].pen);
        graph->setValueAxis(series_[i].rightAxis ? yAxis2 : yAxis);
        graph->setLineStyle(series_[i].step ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
        graph->setName(series_[i].label);
    }
    empty_->setVisible(series_.empty());
}

void LivePlot::setEmptyText(const QString& text) {
    empty_->setText(text);
}

void LivePlot::setRightAxis(bool visible, std::optional<QCPRange> fixed) {
    yAxis2->setVisible(visible);
    yAxis2->setTickLabels(visible);
    fixedRight_ = fixed;
}

double LivePlot::rangeWithLabels() const {
    double upper = 0;
    const QFontMetricsF metrics(font());
    const double width = std::max(1, axisRect()->width());
    for (const LiveSeries& series : series_) {
        if (!series.points.empty() && !series.label.isEmpty()) {
            const double label = std::min(metrics.horizontalAdvance(series.label) + 16, width * 0.5);
            upper = std::max(upper, series.points.back().x * width / (width - label));
        }
    }
    return upper;
}

void LivePlot::fitValues() {
    if (valuesZoomed_) {
        return;
    }
    double left = 0;
    double right = 0;
    for (const LiveSeries& series : series_) {
        double& highest = series.rightAxis ? right : left;
        for (const PlotPoint& point : series.points) {
            highest = point.y > highest ? point.y : highest;
        }
    }
    yAxis->setRange(0, left > 0 ? left * 1.12 : 1);
    yAxis2->setRange(fixedRight_.value_or(QCPRange(0, right > 0 ? right * 1.12 : 1)));
}

void LivePlot::prepareLayout() {
    plotLayout()->update(QCPLayoutElement::upPreparation);
}

void LivePlot::layOut() {
    plotLayout()->update(QCPLayoutElement::upMargins);
    plotLayout()->update(QCPLayoutElement::upLayout);
}

void LivePlot::decimate() {
    const QCPRange range = xAxis->range();
    // One point per two pixels: a column of four pixels gives two.
    const auto columns = static_cast<std::size_t>(std::max(8, axisRect()->width() / 4));
    for (std::size_t i = 0; i < series_.size(); ++i) {
        QVector<QCPGraphData> drawn;
        const auto points = envelope(series_[i].points, range.lower, range.upper, columns);
        drawn.reserve(static_cast<qsizetype>(points.size()));
        for (const PlotPoint& point : points) {
            drawn.append(QCPGraphData(point.x, point.y));
        }
        graphs_[i]->data()->set(drawn, true);
    }
    setNotAntialiasedElements(fast_ ? QCP::aeAll : QCP::AntialiasedElements(QCP::aeNone));
}

void LivePlot::setCrosshair(std::optional<double> x) {
    if (crosshair_->x() != x) {
        crosshair_->setX(x);
        layer(QStringLiteral("overlay"))->replot();
    }
}

std::size_t LivePlot::drawnPoints() const {
    std::size_t points = 0;
    for (const QCPGraph* graph : graphs_) {
        points += static_cast<std::size_t>(graph->data()->size());
    }
    return points;
}

void LivePlot::zoomAround(double x, double factor) {
    const QCPRange range = xAxis->range();
    emit rangeWanted({x - (x - range.lower) * factor, x + (range.upper - x) * factor});
}

void LivePlot::mousePressEvent(QMouseEvent* event) {
    QCustomPlot::mousePressEvent(event);
    pressed_ = event->pos();
    if (event->button() == Qt::LeftButton && axisRect()->rect().contains(pressed_)) {
        draggedFrom_ = xAxis->range();
    }
}

void LivePlot::mouseMoveEvent(QMouseEvent* event) {
    if (draggedFrom_ && event->buttons().testFlag(Qt::LeftButton)) {
        const double shift =
            (pressed_.x() - event->position().x()) * draggedFrom_->size() / std::max(1, axisRect()->width());
        emit rangeWanted({draggedFrom_->lower + shift, draggedFrom_->upper + shift});
    }
    if (axisRect()->rect().contains(event->pos())) {
        setCursor(marks_->armAt(event->pos()) >= 0 ? Qt::PointingHandCursor : Qt::CrossCursor);
        emit hovered(xAxis->pixelToCoord(event->position().x()));
    } else {
        unsetCursor();
        emit left();
    }
}

void LivePlot::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    draggedFrom_.reset();
    const int arm = marks_->armAt(event->pos());
    if (event->button() == Qt::LeftButton && arm >= 0 && (event->pos() - pressed_).manhattanLength() < 4) {
        emit armClicked(arm);
    }
}

void LivePlot::mouseDoubleClickEvent(QMouseEvent*) {
    draggedFrom_.reset();
    emit fitWanted();
}

void LivePlot::wheelEvent(QWheelEvent* event) {
    event->accept();
    const double steps = event->angleDelta().y() / 120.0;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {  // the values instead of the shared axis
        for (QCPAxis* axis : {yAxis, yAxis2}) {
            if (axis == yAxis2 && fixedRight_) {
                continue;
            }
            axis->setRange(0, axis->range().upper * std::pow(0.8, steps));
        }
        valuesZoomed_ = true;
        emit redrawWanted();
    } else if (event->angleDelta().x() != 0) {
        const double shift = -event->angleDelta().x() / 120.0 * xAxis->range().size() / 10;
        emit rangeWanted({xAxis->range().lower + shift, xAxis->range().upper + shift});
    } else {
        zoomAround(xAxis->pixelToCoord(event->position().x()), std::pow(0.8, steps));
    }
}

void LivePlot::keyPressEvent(QKeyEvent* event) {
    const QCPRange range = xAxis->range();
    const double at = crosshair_->x().value_or(range.center());
    const bool pan = event->modifiers().testFlag(Qt::ControlModifier);
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const double step = range.size() / (pan ? 10 : 100) * (event->key() == Qt::Key_Left ? -1 : 1);
            if (pan) {
                emit rangeWanted({range.lower + step, range.upper + step});
            } else {
                emit hovered(std::clamp(at + step, range.lower, range.upper));
            }
            break;
        }
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomAround(at, 0.8);
            break;
        case Qt::Key_Minus:
            zoomAround(at, 1.25);
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            emit fitWanted();
            break;
        default:
            QCustomPlot::keyPressEvent(event);
    }
}

void LivePlot::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    emit left();
}

void LivePlot::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    emit redrawWanted();
}

}  // namespace mmapscope
