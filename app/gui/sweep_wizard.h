// Asks for a sweep page by page: the file, what to compare, memory and sizes, how and at what cost. The
// window then shows it running.
#pragma once

#include <QWizard>
#include <optional>

#include "app/gui/target_facts.h"
#include "study/sweep.h"
#include "widgets/background_job.h"

namespace mmapscope {

class ArmsPanel;
class SweepArmsPage;
class SweepCostPage;
class SweepFilePage;
class SweepMemoryPage;

struct SweepChoice {
    TargetFacts target;
    std::string workload;
    Parameters workloadParameters;
    std::vector<ArmRequest> arms;
    std::vector<Bytes> sizes;
    CacheState cache = CacheState::warm;
    unsigned rounds = 7;
    unsigned morePoints = 8;
    std::optional<Bytes> memoryCap;
};

class SweepWizard : public QWizard {
    Q_OBJECT
  public:
    /// `chosen`: what the window has; the wizard begins with it. Arms run by `threads`.
    SweepWizard(const ArmsPanel& chosen, const std::optional<TargetFacts>& target, unsigned threads,
                QWidget* parent = nullptr);

    /// Another file, as if chosen on the first page.
    void chooseFile(const QString& path);

  signals:
    void chosen(const mmapscope::SweepChoice& choice);

  private:
    enum Page { kFile, kArms, kMemory, kCost };
    void initializePage(int id) override;
    void take();

    SweepFilePage* file_;
    SweepArmsPage* arms_;
    SweepMemoryPage* memory_;
    SweepCostPage* cost_;
    BackgroundJob capJob_;
    unsigned threads_;
};

}  // namespace mmapscope
