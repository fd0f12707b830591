// One of Live's plots: lines with labels at their ends, sparse markers, a crosshair. Draws bounded points
// only.
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <optional>
#include <vector>

#include "widgets/envelope.h"
#include "widgets/live_track.h"
#include "widgets/theme.h"

namespace mmapscope {

struct LiveSeries {
    int arm = 0;
    LiveColumn column = LiveColumn::throughput;
    std::vector<PlotPoint> points;  ///< sorted by x
    QPen pen;
    QCPScatterStyle::ScatterShape marker = QCPScatterStyle::ssNone;
    QString label;  ///< at the line's end; empty: none
    bool rightAxis = false;
    bool step = false;  ///< holds its value until the next point
};

/// Value of a series at x: linear between points (held for steps); nullopt before, after, or in a gap.
[[nodiscard]] std::optional<double> valueAt(const LiveSeries& series, double x);

class SeriesMarks;
class CrosshairItem;

class LivePlot : public QCustomPlot {
    Q_OBJECT

  public:
    explicit LivePlot(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Kept until the next call; nothing is drawn before refresh().
    void setSeries(std::vector<LiveSeries> series);
    [[nodiscard]] const std::vector<LiveSeries>& series() const { return series_; }
    /// Said in the middle while there is nothing to draw.
    void setEmptyText(const QString& text);
    /// `fixed`: the right axis doesn't follow the values (yes and no).
    void setRightAxis(bool visible, std::optional<QCPRange> fixed = std::nullopt);
    /// The upper end of x that leaves room for every label at its line's end, when x begins at 0.
    [[nodiscard]] double rangeWithLabels() const;
    void setSharpEdges(bool fast) { fast_ = fast; }  ///< true: no antialiasing, while things move
    /// Left and right axis from 0 to a little above the highest value; not after the user zoomed the values.
    void fitValues();
    void resetValueZoom() { valuesZoomed_ = false; }
    /// Tick labels of the range, then the margins they need: all plots that share margins prepare before any
    /// lays out.
    void prepareLayout();
    void layOut();
    /// Decimates to the visible range and width; draw with replot().
    void decimate();

    void setCrosshair(std::optional<double> x);
    [[nodiscard]] std::size_t drawnPoints() const;

  signals:
    void hovered(double x);  ///< or moved there by key
    void left();
    void armClicked(int arm);
    void fitWanted();
    void rangeWanted(const QCPRange& range);  ///< panned or zoomed: all linked plots should show this
    void redrawWanted();                      ///< resized, or the values were zoomed

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void zoomAround(double x, double factor);

    std::vector<LiveSeries> series_;
    std::vector<QCPGraph*> graphs_;  ///< graphs_[i] draws series_[i]; spare ones are hidden
    SeriesMarks* marks_ = nullptr;
    CrosshairItem* crosshair_ = nullptr;
    QCPItemText* empty_ = nullptr;
    QPoint pressed_;
    std::optional<QCPRange> draggedFrom_;
    std::optional<QCPRange> fixedRight_;
    bool valuesZoomed_ = false;
    bool fast_ = false;
};

}  // namespace mmapscope
