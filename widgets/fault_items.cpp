#include "widgets/fault_items.h"

#include <cmath>

namespace mmapscope {

FaultDots::FaultDots(FaultPlot* plot, QCPAxisRect* rect) : QCPAbstractItem(plot), plot_(plot), rect_(rect) {
    setClipToAxisRect(true);
    setClipAxisRect(rect);
    setSelectable(false);
    setLayer(QStringLiteral("main"));
}

void FaultDots::draw(QCPPainter* painter) {
    const FaultRaster& raster = plot_->raster();
    const double ratio = plot_->pixelRatio();
    const QRect area = rect_->rect();
    painter->drawImage(area.topLeft(),
                       rect_ == plot_->strip()
                           ? raster.paintElsewhere(plot_->theme_, ratio,
                                                   static_cast<int>(std::lround(area.height() * ratio)))
                           : raster.paint(plot_->theme_, ratio));
}

FaultCrosshair::FaultCrosshair(FaultPlot* plot) : QCPAbstractItem(plot), plot_(plot) {
    setClipToAxisRect(false);
    setSelectable(false);
}

void FaultCrosshair::draw(QCPPainter* painter) {
    const auto fault = plot_->crosshair();
    if (!fault || !plot_->run_) {
        return;
    }
    const FaultTrace& trace = plot_->run_->trace();
    const QRectF area = plot_->axisRect()->rect();
    const QRectF strip = plot_->strip()->rect();
    QPointF place = pixelOf(trace, *fault, plot_->view()) / plot_->pixelRatio() + area.topLeft();
    const bool inFile = trace.offset[*fault] != FaultTrace::kElsewhere;
    if (place.x() < area.left() || place.x() > area.right() + 1) {
        return;
    }
    const double x = std::floor(place.x()) + 0.5;
    painter->setPen(QPen(plot_->theme_.text(), 1));
    painter->drawLine(QPointF(x, area.top()), QPointF(x, strip.bottom()));
    if (inFile) {
        if (place.y() < area.top() || place.y() > area.bottom() + 1) {
            return;
        }
        const double y = std::floor(place.y()) + 0.5;
        painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    } else {
        place.setY(strip.center().y());
    }
    painter->setAntialiasing(true);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(plot_->theme_.plotBackground(), 4));
    painter->drawEllipse(place, 6, 6);
    painter->setPen(QPen(plot_->theme_.text(), 1.6));
    painter->drawEllipse(place, 6, 6);
}

}  // namespace mmapscope
