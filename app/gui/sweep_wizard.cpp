#include "app/gui/sweep_wizard.h"

#include <QAbstractButton>
#include <utility>

#include "app/gui/arms_panel.h"
#include "app/gui/sweep_pages.h"
#include "study/preselection.h"

namespace mmapscope {

SweepWizard::SweepWizard(const ArmsPanel& chosenArms, const std::optional<TargetFacts>& target,
                         unsigned threads, QWidget* parent)
    : QWizard(parent),
      file_(new SweepFilePage),
      arms_(new SweepArmsPage),
      memory_(new SweepMemoryPage),
      cost_(new SweepCostPage),
      threads_(threads) {
    setWindowTitle(tr("Sweep over sizes"));
    setObjectName(QStringLiteral("sweepWizard"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWizardStyle(QWizard::ClassicStyle);
    setOption(QWizard::NoBackButtonOnStartPage);
    setPage(kFile, file_);
    setPage(kArms, arms_);
    setPage(kMemory, memory_);
    setPage(kCost, cost_);
    setButtonText(QWizard::FinishButton, tr("&Start"));
    resize(760, 640);
    arms_->arms()->setThreadsAndLimit(threads, std::nullopt);
    connect(file_, &SweepFilePage::targetChanged, this, [this] {
        if (file_->target()) {
            arms_->arms()->setTarget(*file_->target());
        }
    });
    if (target && !target->file.isFolder()) {
        file_->setTarget(*target);
        arms_->arms()->copyFrom(chosenArms);
    }
    connect(this, &QDialog::accepted, this, &SweepWizard::take);
}

void SweepWizard::chooseFile(const QString& path) {
    file_->open(path);
}

void SweepWizard::initializePage(int id) {
    QWizard::initializePage(id);
    if (id == kMemory && file_->target()) {
        const Bytes bytes = file_->target()->file.bytes;
        capJob_.start([](BackgroundJob::Link&) { return std::pair(findCapPlace(), thisMachine().memory); },
                      [this, bytes](const std::pair<Result<CapPlace>, Bytes>& machine) {
                          memory_->setFile(bytes, machine.first, machine.second);
                      });
    } else if (id == kCost) {
        const auto sizes = memory_->sizes();
        cost_->setWork(arms_->arms()->arms().size(), sizes ? *sizes : std::vector<Bytes>(),
                       memory_->memoryCap().has_value());
    }
}

void SweepWizard::take() {
    const auto sizes = memory_->sizes();
    if (!file_->target() || !sizes) {
        return;
    }
    const ArmsPanel& arms = *arms_->arms();
    emit chosen({*file_->target(), std::string(arms.workload().id), arms.workloadParameters(), arms.arms(),
                 *sizes, cost_->cache(), cost_->rounds(), cost_->morePoints(), memory_->memoryCap()});
}

}  // namespace mmapscope
