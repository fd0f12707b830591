#include "widgets/fault_plot.h"

#include <algorithm>
#include <cmath>

#include "widgets/axis_ticks.h"
#include "widgets/fault_items.h"

namespace mmapscope {

namespace {

constexpr int kStripHeight = 14;
constexpr double kRoom = 0.02;  ///< around the data when fitted
constexpr double kLeastSeconds = 1e-9;
constexpr double kReach = 24;  ///< px from the pointer to the fault it asks for
constexpr double kNs = 1e9;
constexpr int kSettle = 160;  // ms of rest before all the screen's pixels are used again

QCPRange withRoom(double end) {
    return {-end * kRoom, end * (1 + kRoom)};
}

/// `range` no larger than a few times `whole` nor smaller than `least`, and never out of sight of it.
QCPRange kept(const QCPRange& range, const QCPRange& whole, double least) {
    const double size = std::clamp(range.size(), least, whole.size() * 4);
    const double lower =
        std::clamp(range.center() - size / 2, whole.lower - size * 0.9, whole.upper - size * 0.1);
    return {lower, lower + size};
}

QCPRange around(const QCPRange& range, double centre, double factor) {
    return {centre - (centre - range.lower) * factor, centre + (range.upper - centre) * factor};
}

}  // namespace

FaultPlot::FaultPlot(QWidget* parent)
    : QCustomPlot(parent), theme_(Theme::forPalette(palette())), strip_(new QCPAxisRect(this)) {
    setInteractions(QCP::iNone);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 180);
    plotLayout()->addElement(1, 0, strip_);
    plotLayout()->setRowSpacing(0);
    strip_->setSizeConstraintRect(QCPLayoutElement::scrInnerRect);
    strip_->setMinimumSize(QSize(1, kStripHeight));
    strip_->setMaximumSize(QSize(QWIDGETSIZE_MAX, kStripHeight));
    axisRect()->setMinimumMargins(QMargins(0, 8, 12, 4));
    strip_->setMinimumMargins(QMargins(0, 2, 12, 4));
    auto* margins = new QCPMarginGroup(this);
    for (QCPAxisRect* rect : {axisRect(), strip_}) {
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
        for (QCPAxis* axis : rect->axes()) {
            axis->setSubTicks(false);
            axis->setTickLength(0, 4);
            axis->setLayer(QStringLiteral("axes"));
            axis->grid()->setLayer(QStringLiteral("grid"));
        }
    }
    xAxis->setTickLabels(false);
    QCPAxis* stripValues = strip_->axis(QCPAxis::atLeft);
    stripValues->setRange(0, 1);
    stripValues->setTickLength(0);
    stripValues->grid()->setVisible(false);
    auto name = QSharedPointer<QCPAxisTickerText>::create();
    name->addTick(0.5, tr("elsewhere"));
    stripValues->setTicker(name);
    auto ticker = QSharedPointer<OffsetTicker>::create();
    ticker->setTickCount(6);
    yAxis->setTicker(ticker);
    connect(xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this](const QCPRange& range) { strip_->axis(QCPAxis::atBottom)->setRange(range); });

    dots_ = new FaultDots(this, axisRect());
    elsewhere_ = new FaultDots(this, strip_);
    // A layer with a buffer of its own: moving the crosshair redraws nothing else.
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    crosshair_ = new FaultCrosshair(this);
    crosshair_->setLayer(QStringLiteral("overlay"));
    empty_ = new QCPItemText(this);
    empty_->setClipToAxisRect(false);
    empty_->position->setType(QCPItemPosition::ptAxisRectRatio);
    empty_->position->setAxisRect(axisRect());
    empty_->position->setCoords(0.5, 0.5);
    empty_->setTextAlignment(Qt::AlignCenter);
    settle_.setSingleShot(true);
    settle_.setInterval(kSettle);
    connect(&settle_, &QTimer::timeout, this, [this] { replot(QCustomPlot::rpQueuedReplot); });
    fit();
}

void FaultPlot::setTheme(const Theme& theme) {
    theme_ = theme;
    theme.applyTo(this);
    strip_->axis(QCPAxis::atLeft)->setBasePen(Qt::NoPen);
    empty_->setColor(theme.mutedText());
    empty_->setFont(font());
    labelAxes();
    replot(QCustomPlot::rpQueuedReplot);
}

void FaultPlot::setRun(std::optional<TracedRun> run) {
    const bool same = run_ && run && run_->isSameRun(*run);
    run_ = std::move(run);
    empty_->setVisible(!run_);
    for (QCPAxisRect* rect : {axisRect(), strip_}) {
        for (const QCPAxis::AxisType type : {QCPAxis::atLeft, QCPAxis::atBottom}) {
            rect->axis(type)->setVisible(run_.has_value());
            rect->axis(type)->grid()->setVisible(run_.has_value() &&
                                                 (rect != strip_ || type != QCPAxis::atLeft));
        }
    }
    if (!same) {
        counted_ = false;
        lastByte_ = run_ ? run_->lastByte() : 1;
        forget();
        fit();
    }
    replot(QCustomPlot::rpQueuedReplot);
}

void FaultPlot::setHue(FaultHue hue) {
    hue_ = hue;
    counted_ = false;
    replot(QCustomPlot::rpQueuedReplot);
}

void FaultPlot::setEmptyText(const QString& text) {
    empty_->setText(text);
}

QCPRange FaultPlot::wholeSeconds() const {
    double end = 0;
    if (run_) {
        const auto& times = run_->trace().tNs;
        end = static_cast<double>(run_->run().wall.count());
        end = times.empty() ? end : std::max(end, static_cast<double>(times.back()));
    }
    return withRoom(end > 0 ? end / kNs : 1e-3);
}

QCPRange FaultPlot::wholeBytes() const {
    return withRoom(std::max(lastByte_, 1.0));
}

void FaultPlot::fit() {
    setRanges(wholeSeconds(), wholeBytes());
}

void FaultPlot::setRanges(QCPRange seconds, QCPRange bytes) {
    const double leastBytes = std::min<double>(static_cast<double>(pageSize().count()), wholeBytes().size());
    xAxis->setRange(kept(seconds, wholeSeconds(), kLeastSeconds));
    yAxis->setRange(kept(bytes, wholeBytes(), leastBytes));
    labelAxes();
    if (bufferDevicePixelRatio() > 1) {
        settle_.start();
    }
    replot(QCustomPlot::rpQueuedReplot);
}

void FaultPlot::labelAxes() {
    QCPAxis* time = strip_->axis(QCPAxis::atBottom);
    const QCPRange range = xAxis->range();
    const TimeUnit unit = timeUnitFor(std::max(range.upper, range.size()) / 2);
    auto ticker = QSharedPointer<TimeTicker>::create();
    ticker->setUnit(unit);
    ticker->setTickCount(8);
    time->setTicker(ticker);
    xAxis->setTicker(ticker);
    time->setLabel(tr("time since the run's clock started, %1").arg(QString::fromUtf8(unit.name)));
    yAxis->setLabel(tr("file offset, %1 (0 at the bottom)").arg(OffsetTicker::unitOf(yAxis->range())));
}

double FaultPlot::pixelRatio() const {
    return settle_.isActive() ? 1 : bufferDevicePixelRatio();
}

FaultView FaultPlot::view() const {
    const double ratio = pixelRatio();
    FaultView view;
    view.beginNs = xAxis->range().lower * kNs;
    view.endNs = xAxis->range().upper * kNs;
    view.beginByte = yAxis->range().lower;
    view.endByte = yAxis->range().upper;
    view.width = static_cast<int>(std::lround(axisRect()->width() * ratio));
    view.height = static_cast<int>(std::lround(axisRect()->height() * ratio));
    return view;
}

const FaultRaster& FaultPlot::raster() {
    const FaultView now = view();
    if (!counted_ || now != countedView_) {
        static const FaultTrace kNone;
        raster_.count(run_ ? run_->trace() : kNone, now, hue_);
        countedView_ = now;
        counted_ = true;
    }
    return raster_;
}

void FaultPlot::setCrosshair(std::optional<std::size_t> fault) {
    if (fault_ != fault) {
        fault_ = fault;
        layer(QStringLiteral("overlay"))->replot();
        emit faultShown();
    }
}

void FaultPlot::forget() {
    fault_.reset();
    dragged_.reset();
    emit faultShown();
}

void FaultPlot::hover(QPointF place) {
    if (!run_) {
        return;
    }
    const double ratio = pixelRatio();
    const bool inFile = axisRect()->rect().contains(place.toPoint());
    if (!inFile && !strip_->rect().contains(place.toPoint())) {
        unsetCursor();
        setCrosshair(std::nullopt);
        return;
    }
    setCursor(Qt::CrossCursor);
    setCrosshair(nearestFault(run_->trace(), view(), (place - axisRect()->rect().topLeft()) * ratio,
                              kReach * ratio, inFile));
}

void FaultPlot::zoom(QPointF place, double timeFactor, double byteFactor) {
    setRanges(around(xAxis->range(), xAxis->pixelToCoord(place.x()), timeFactor),
              around(yAxis->range(), yAxis->pixelToCoord(place.y()), byteFactor));
}

void FaultPlot::pan(double timeShare, double byteShare) {
    setRanges(xAxis->range() + xAxis->range().size() * timeShare,
              yAxis->range() + yAxis->range().size() * byteShare);
}

void FaultPlot::stepCrosshair(int way) {
    if (!run_) {
        return;
    }
    const FaultTrace& trace = run_->trace();
    const auto [first, last] = faultsBetween(trace, xAxis->range().lower * kNs, xAxis->range().upper * kNs);
    const auto inView = [&](std::size_t fault) {
        return trace.offset[fault] == FaultTrace::kElsewhere ||
               yAxis->range().contains(static_cast<double>(trace.offset[fault]));
    };
    // Stays where it is at either end.
    if (way > 0) {
        for (std::size_t i = fault_ && *fault_ >= first ? *fault_ + 1 : first; i < last; ++i) {
            if (inView(i)) {
                return setCrosshair(i);
            }
        }
    } else {
        for (std::size_t i = fault_ && *fault_ < last ? *fault_ : last; i > first; --i) {
            if (inView(i - 1)) {
                return setCrosshair(i - 1);
            }
        }
    }
}

void FaultPlot::mousePressEvent(QMouseEvent* event) {
    QCustomPlot::mousePressEvent(event);
    pressed_ = event->position();
    if (run_ && event->button() == Qt::LeftButton &&
        (axisRect()->rect() | strip_->rect()).contains(event->pos())) {
        dragged_ = Dragged{xAxis->range(), yAxis->range()};
    }
}

void FaultPlot::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ && event->buttons().testFlag(Qt::LeftButton)) {
        const QPointF moved = event->position() - pressed_;
        const QSize size = axisRect()->size();
        setRanges(dragged_->seconds - moved.x() / std::max(1, size.width()) * dragged_->seconds.size(),
                  dragged_->bytes + moved.y() / std::max(1, size.height()) * dragged_->bytes.size());
        setCrosshair(std::nullopt);
        return;
    }
    hover(event->position());
}

void FaultPlot::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    dragged_.reset();
}

void FaultPlot::mouseDoubleClickEvent(QMouseEvent*) {
    dragged_.reset();
    fit();
}

void FaultPlot::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!run_) {
        return;
    }
    const QPoint turned = event->angleDelta();
    const double factor = std::pow(0.8, (turned.y() != 0 ? turned.y() : turned.x()) / 120.0);
    const bool timeOnly = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool bytesOnly = event->modifiers().testFlag(Qt::ControlModifier);
    if (turned.y() == 0 && !timeOnly && !bytesOnly) {
        pan(-turned.x() / 1200.0, 0);
    } else {
        zoom(event->position(), bytesOnly ? 1 : factor, timeOnly ? 1 : factor);
    }
    hover(event->position());
}

void FaultPlot::keyPressEvent(QKeyEvent* event) {
    constexpr double kStep = 0.1;
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    const QPointF middle = axisRect()->rect().center();
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const int way = event->key() == Qt::Key_Left ? -1 : 1;
            control ? stepCrosshair(way) : pan(way * kStep, 0);
            break;
        }
        case Qt::Key_Up:
        case Qt::Key_Down:
            pan(0, event->key() == Qt::Key_Down ? -kStep : kStep);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(middle, 0.8, 0.8);
            break;
        case Qt::Key_Minus:
            zoom(middle, 1.25, 1.25);
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            fit();
            break;
        default:
            QCustomPlot::keyPressEvent(event);
    }
}

void FaultPlot::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    setCrosshair(std::nullopt);
}

void FaultPlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        setTheme(theme_);
    }
}

}  // namespace mmapscope
