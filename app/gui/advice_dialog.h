// Which arm to use for the open file, and why; found out in the background.
#pragma once

#include <QDialog>
#include <memory>

#include "study/advisor.h"
#include "widgets/background_job.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mmapscope {

class AdviceDialog : public QDialog {
    Q_OBJECT

  public:
    AdviceDialog(const std::string& file, const std::string& workload, const Parameters& parameters,
                 QWidget* parent = nullptr);

    [[nodiscard]] QString advice() const;  ///< its first line; empty until it is there
    [[nodiscard]] QPushButton* measureButton() const { return measure_; }

  signals:
    void ready();
    /// The user wants the arms in question compared; to be run as it is, but for the worker's program.
    void measureAsked(const mmapscope::StudyRequest& study, const mmapscope::ArmRequest& advised);

  private:
    struct Found {
        AdviceFacts facts;
        Advice advice;
    };
    void take(const Result<Found>& found);

    QLabel* head_;
    QPlainTextEdit* why_;
    QPushButton* measure_;
    std::shared_ptr<const Found> found_;
    BackgroundJob job_;
};

}  // namespace mmapscope
