// Ratios as a picture: a bar from 1.00 to each ratio, or a dot, with its interval.
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <optional>
#include <vector>

#include "study/statistics.h"
#include "widgets/theme.h"

namespace mmapscope {

struct RatioBar {
    int arm = 0;  ///< for its colour and marker
    QString id;
    std::optional<RatioInterval> interval;  ///< absent: unranked, or the baseline itself
    bool isBaseline = false;
    /// A dot with its marker instead of a bar: several of one kind stand under each other.
    bool isDot = false;
};

class RatioChart : public QCustomPlot {
    Q_OBJECT

  public:
    explicit RatioChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// From top to bottom. `over`: what the ratios are to; empty: the bar that is the baseline.
    void setBars(std::vector<RatioBar> bars, const QString& over = {});

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  private:
    void rebuild();
    void addBar(const RatioBar& bar, double place);
    QCPAbstractPlottable* addBody(const RatioBar& bar, double place);
    QCPAbstractPlottable* addDot(const RatioBar& bar, double place);
    void addText(double x, double place, const QString& text, const QColor& color, bool bold);
    void setRange();

    std::vector<RatioBar> bars_;
    QString over_;
    Theme theme_;
};

}  // namespace mmapscope
