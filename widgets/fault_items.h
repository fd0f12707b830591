// What the fault map draws with: its dots from the raster, and the crosshair on one of them.
#pragma once

#include <qcustomplot.h>

#include <QImage>

#include "widgets/fault_plot.h"

namespace mmapscope {

/// The picture of one axis rect: the file's faults, or the strip of the others.
class FaultDots : public QCPAbstractItem {
    Q_OBJECT

  public:
    FaultDots(FaultPlot* plot, QCPAxisRect* rect);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

  protected:
    void draw(QCPPainter* painter) override;

  private:
    FaultPlot* plot_;
    QCPAxisRect* rect_;
};

class FaultCrosshair : public QCPAbstractItem {
    Q_OBJECT

  public:
    explicit FaultCrosshair(FaultPlot* plot);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

  protected:
    void draw(QCPPainter* painter) override;

  private:
    FaultPlot* plot_;
};

}  // namespace mmapscope
