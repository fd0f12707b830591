// Sweep: throughput and what explains it against working-set size, with the cap and the crossovers.
#pragma once

#include <QWidget>
#include <memory>

#include "study/study.h"
#include "widgets/background_job.h"
#include "widgets/theme.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace mmapscope {

class SweepChart;

class SweepPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SweepPanel(QWidget* parent = nullptr);

    /// A study that is no sweep clears it. May be called again as a sweep grows; figured out on another
    /// thread.
    void setStudy(std::shared_ptr<const Study> study);
    void clear();
    [[nodiscard]] QString words() const;

    /// What can be done with the sweep on show: pause it while it runs, go on with it once it was stopped.
    void setState(bool running, bool resumable);

  signals:
    void pauseAsked();
    void resumeAsked();
    /// Show the runs of that size.
    void pointChosen(mmapscope::Bytes size);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    struct Shown;
    static Shown figureOut(const Study& sweep);
    void showFigures();
    void restyle();

    std::shared_ptr<const Shown> shown_;
    BackgroundJob job_;
    SweepChart* throughput_;
    SweepChart* explained_;
    QComboBox* what_;
    QPushButton* pause_;
    QPushButton* resume_;
    QComboBox* size_;
    QPushButton* compare_;
    QLabel* words_;
    Theme theme_;
};

}  // namespace mmapscope
