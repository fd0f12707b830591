// Compare's Why: the heading, the bars, and a sentence an arm.
#pragma once

#include <QWidget>

#include "study/study.h"
#include "widgets/theme.h"

class QLabel;

namespace mmapscope {

class WhyChart;

class WhySection : public QWidget {
    Q_OBJECT

  public:
    explicit WhySection(QWidget* parent = nullptr);

    /// Without attributions it says how to get them.
    void setStudy(const Study& study);
    void setTheme(const Theme& theme);
    [[nodiscard]] WhyChart* chart() const { return chart_; }

  private:
    WhyChart* chart_;
    QLabel* sentences_;
};

}  // namespace mmapscope
