// What the status bar says while a study runs: phase, how far, time left, and what the observing cost.
#pragma once

#include <QString>

#include "study/study_runner.h"

class QLabel;
class QProgressBar;
class QStatusBar;

namespace mmapscope {

/// "round 2 of 5 · mmap · 43 %", "warm-up · read · 8 %", "preparing the page cache · 0 %".
[[nodiscard]] QString phaseText(const Progress& progress, const QString& arm);

class StatusLine {
  public:
    explicit StatusLine(QStatusBar* bar);

    void showProgress(const Progress& progress, const QString& arm);
    /// Nothing runs: one sentence about what there is.
    void showIdle(const QString& text);

  private:
    QLabel* phase_;
    QProgressBar* progress_;
    QLabel* left_;
    QLabel* observer_;
};

}  // namespace mmapscope
