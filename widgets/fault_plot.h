// The fault map itself: a dot per fault over time and file offset, a strip for those elsewhere, a crosshair.
#pragma once

#include <qcustomplot.h>

#include <QTimer>
#include <optional>

#include "widgets/fault_raster.h"
#include "widgets/theme.h"
#include "widgets/traced_run.h"

namespace mmapscope {

class FaultDots;
class FaultCrosshair;

class FaultPlot : public QCustomPlot {
    Q_OBJECT

  public:
    explicit FaultPlot(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Fits when it is another run. nullopt: none.
    void setRun(std::optional<TracedRun> run);
    [[nodiscard]] const std::optional<TracedRun>& run() const { return run_; }
    void setHue(FaultHue hue);
    [[nodiscard]] FaultHue hue() const { return hue_; }
    /// Said in the middle while there is no run.
    void setEmptyText(const QString& text);

    void fit();
    /// Seconds and bytes; kept near the data, and not finer than a nanosecond and a few bytes.
    void setRanges(QCPRange seconds, QCPRange bytes);
    [[nodiscard]] QCPAxisRect* strip() const { return strip_; }
    /// The picture of what is in view now; counted anew only where the view or the run changed.
    const FaultRaster& raster();
    [[nodiscard]] FaultView view() const;
    /// Of raster(), in which view() counts too: the screen's, but 1 while things move, since four times the
    /// pixels cost frames.
    [[nodiscard]] double pixelRatio() const;
    /// At once, as if nothing had moved: for a plot that is drawn but once.
    void useAllPixels() { settle_.stop(); }

    void setCrosshair(std::optional<std::size_t> fault);
    [[nodiscard]] std::optional<std::size_t> crosshair() const { return fault_; }

  signals:
    /// The fault under the crosshair changed.
    void faultShown();

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    friend class FaultDots;
    friend class FaultCrosshair;

    [[nodiscard]] QCPRange wholeSeconds() const;
    [[nodiscard]] QCPRange wholeBytes() const;
    void zoom(QPointF around, double timeFactor, double byteFactor);
    void pan(double timeShare, double byteShare);
    /// To the next (1) or the previous (-1) fault in view.
    void stepCrosshair(int way);
    void labelAxes();
    void hover(QPointF place);
    void forget();

    std::optional<TracedRun> run_;
    Theme theme_;
    FaultHue hue_ = FaultHue::kind;
    double lastByte_ = 1;
    QCPAxisRect* strip_;
    FaultDots* dots_;
    FaultDots* elsewhere_;
    FaultCrosshair* crosshair_;
    QCPItemText* empty_;
    FaultRaster raster_;
    QTimer settle_;  ///< runs while things move
    bool counted_ = false;
    FaultView countedView_;
    std::optional<std::size_t> fault_;
    QPointF pressed_;
    struct Dragged {
        QCPRange seconds, bytes;
    };
    std::optional<Dragged> dragged_;
};

}  // namespace mmapscope
