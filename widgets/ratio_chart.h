// The ratios of Compare as a picture: a bar from 1.00 to each arm's ratio, with its interval.
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <optional>
#include <vector>

#include "study/statistics.h"
#include "widgets/theme.h"

namespace mmapscope {

struct RatioBar {
    int arm = 0;  ///< index into study.arms, for its colour
    QString id;
    std::optional<RatioInterval> interval;  ///< absent: unranked, or the baseline itself
    bool isBaseline = false;
};

class RatioChart : public QCustomPlot {
    Q_OBJECT

  public:
    explicit RatioChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// From top to bottom.
    void setBars(std::vector<RatioBar> bars);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  private:
    void rebuild();
    void addBar(const RatioBar& bar, double place);
    void addText(double x, double place, const QString& text, const QColor& color, bool bold);
    void setRange();

    std::vector<RatioBar> bars_;
    Theme theme_;
};

}  // namespace mmapscope
