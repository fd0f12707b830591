// The figure a lesson asked for as bars, one an arm, with the prediction on it.
#pragma once

#include <qcustomplot.h>

#include "lesson/lesson_plot.h"
#include "widgets/theme.h"

namespace mmapscope {

class LessonChart : public QCustomPlot {
    Q_OBJECT

  public:
    explicit LessonChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setPlot(LessonPlot plot);
    [[nodiscard]] bool hasBars() const { return !plot_.bars.empty(); }
    /// What is drawn, in one sentence: also its accessible description.
    [[nodiscard]] QString words() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void rebuild();
    void addText(double x, double place, const QString& text, const QColor& color);
    void addBar(const LessonBar& bar, double place);
    void addPrediction(double most);

    LessonPlot plot_;
    Theme theme_;
};

}  // namespace mmapscope
