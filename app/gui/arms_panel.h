// Arms: what is done with the bytes, and by which sources they may come.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "app/gui/arms_model.h"
#include "app/gui/target_facts.h"
#include "widgets/background_job.h"
#include "workload/workload.h"

class QComboBox;
class QLabel;
class QToolButton;
class QTreeView;

namespace mmapscope {

class HowPanel;
class ParametersModel;

class ArmsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit ArmsPanel(QWidget* parent = nullptr);

    /// Another file: its workload is preselected, and sensible arms, unless a person chose for that workload.
    void setTarget(const TargetFacts& target);
    /// What an arm needs depends on both; availability is asked again.
    void setThreadsAndLimit(unsigned threads, std::optional<Bytes> limit);

    /// The same file, workload and arms as another panel's.
    void copyFrom(const ArmsPanel& other);

    [[nodiscard]] const WorkloadType& workload() const;
    [[nodiscard]] const Parameters& workloadParameters() const;
    [[nodiscard]] std::vector<ArmRequest> arms() const { return model_->chosen(threads_); }
    /// A file is there, the workload can use it, and an arm is ticked.
    [[nodiscard]] bool ready() const { return ready_ && !arms().empty(); }
    [[nodiscard]] ArmsModel* model() const { return model_; }

  signals:
    /// arms() or ready() may have changed.
    void changed();
    void rejected(const QString& reason);

  private:
    struct Answers;
    void buildWorkloadPart();
    /// Edits parameters in `view`, with a dialog for those that name files.
    void editIn(QTreeView* view);
    void buildTree();
    void workloadChosen();
    void preselect();
    void ask();
    void take(const Answers& answers);
    void showCurrent();

    ArmsModel* model_;
    ParametersModel* workloadModel_;
    QComboBox* workload_;
    QToolButton* optionsButton_;
    QTreeView* options_;
    QLabel* verdict_;
    QLabel* why_;  ///< why these arms are ticked, until a person chooses others
    QTreeView* tree_;
    HowPanel* how_;
    QToolButton* again_;
    QToolButton* remove_;
    std::optional<TargetFacts> target_;
    unsigned threads_ = 1;
    std::optional<Bytes> limit_;
    bool ready_ = false;
    BackgroundJob askJob_;
};

}  // namespace mmapscope
