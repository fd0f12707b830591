// Compare's Why: the heading, the bars, what is chosen in them, and a sentence an arm.
#pragma once

#include <QWidget>

#include "study/study.h"
#include "widgets/theme.h"

class QLabel;

namespace mmapscope {

class WhyChart;

/// Of the study on show.
enum class WhyStage {
    idle,        ///< nothing runs
    waiting,     ///< its rounds run; then its times will be taken apart
    notAsked,    ///< it runs and was not asked to
    explaining,  ///< its times are being taken apart
};

class WhySection : public QWidget {
    Q_OBJECT

  public:
    explicit WhySection(QWidget* parent = nullptr);

    /// Without attributions it says why there are none and how to get them.
    void setStudy(const Study& study);
    /// `fraction`: of explaining, 0 to 1.
    void setStage(WhyStage stage, double fraction = 0);
    void setTheme(const Theme& theme);
    [[nodiscard]] WhyChart* chart() const { return chart_; }
    /// What is said of the chosen piece, or how to choose one.
    [[nodiscard]] QLabel* detail() const { return detail_; }

  private:
    void refresh();
    void showDetail();
    [[nodiscard]] QString notice() const;

    WhyChart* chart_;
    QLabel* detail_;
    QLabel* sentences_;
    Theme theme_;
    Study shown_;  ///< arms, attributions and what tells why there are none
    WhyStage stage_ = WhyStage::idle;
    int percent_ = 0;
};

}  // namespace mmapscope
