// What Live draws over its lines: markers and end labels, and the crosshair.
#pragma once

#include <qcustomplot.h>

#include <optional>
#include <vector>

#include "widgets/live_plot.h"

namespace mmapscope {

/// Text that may not overlap: moves the centres of equally high labels apart, keeping their order, within
/// [top, bottom] as far as they fit. In and out: pixel centres.
void spreadLabels(std::vector<double>& centres, double height, double top, double bottom);

class SeriesMarks : public QCPAbstractItem {
    Q_OBJECT

  public:
    SeriesMarks(LivePlot* plot);

    void setTheme(const Theme& theme) { theme_ = theme; }
    /// The arm whose label is there, or -1.
    [[nodiscard]] int armAt(const QPointF& position) const;
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

  protected:
    void draw(QCPPainter* painter) override;

  private:
    struct Label {
        QPointF anchor;
        double centre = 0;
        const LiveSeries* series = nullptr;
        double width = 0;
    };
    void drawMarkers(QCPPainter* painter, const LiveSeries& series, QCPAxis* valueAxis) const;
    void drawLabels(QCPPainter* painter, std::vector<Label>& labels);

    LivePlot* plot_;
    Theme theme_;
    std::vector<std::pair<QRectF, int>> hits_;
};

class CrosshairItem : public QCPAbstractItem {
    Q_OBJECT

  public:
    CrosshairItem(LivePlot* plot);

    void setTheme(const Theme& theme) { theme_ = theme; }
    void setX(std::optional<double> x) { x_ = x; }
    [[nodiscard]] std::optional<double> x() const { return x_; }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

  protected:
    void draw(QCPPainter* painter) override;

  private:
    LivePlot* plot_;
    Theme theme_;
    std::optional<double> x_;
};

}  // namespace mmapscope
