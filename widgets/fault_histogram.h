// Bars over powers of two: how far page faults lie apart, or how many pages each of them mapped.
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <cstdint>
#include <vector>

#include "widgets/theme.h"

namespace mmapscope {

struct HistogramBin {
    QString name;           ///< what the bin begins with: "64 KiB"
    bool labelled = false;  ///< on the axis
    std::uint64_t forward = 0;
    std::uint64_t backward = 0;  ///< drawn downwards
};

class FaultHistogram : public QCustomPlot {
    Q_OBJECT

  public:
    explicit FaultHistogram(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// `axis`: under the bars. `empty`: said where there is nothing to count.
    void setBins(std::vector<HistogramBin> bins, const QString& axis, const QString& empty);
    [[nodiscard]] const std::vector<HistogramBin>& bins() const { return bins_; }

    [[nodiscard]] QSize sizeHint() const override { return {250, 180}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 110}; }

  protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void rebuild();
    void addBars(bool forward);
    [[nodiscard]] double binPixels() const;
    [[nodiscard]] QString wordsOf(const HistogramBin& bin) const;

    std::vector<HistogramBin> bins_;
    QString axis_, emptyText_;
    Theme theme_;
};

}  // namespace mmapscope
