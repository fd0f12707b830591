// The window while a study is planned, runs, ends, or is opened.
#include <QFileInfo>
#include <QStackedWidget>
#include <QTabWidget>
#include <algorithm>
#include <utility>

#include "app/gui/advice_dialog.h"
#include "app/gui/arms_panel.h"
#include "app/gui/kernel_feed.h"
#include "app/gui/lesson_session.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/status_line.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/sweep_wizard.h"
#include "app/gui/target_panel.h"
#include "app/gui/user_data.h"
#include "app/gui/window_actions.h"
#include "core/text.h"
#include "run/memory_cap.h"
#include "study/observed_mapping.h"
#include "study/sweep_points.h"
#include "widgets/compare_panel.h"
#include "widgets/fault_map_panel.h"
#include "widgets/kernel_panel.h"
#include "widgets/live_panel.h"
#include "widgets/sweep_panel.h"
#include "widgets/why_section.h"

namespace mmapscope {
namespace {

QString idleText(const Study& study) {
    const auto runs = study.runs.size();
    const QString count = runs == 1 ? MainWindow::tr("1 run") : MainWindow::tr("%1 runs").arg(runs);
    return study.complete ? MainWindow::tr("Finished: %1").arg(count)
                          : MainWindow::tr("Stopped after %1; what was measured is kept").arg(count);
}

}  // namespace

void MainWindow::showTarget() {
    message_->dismiss();
    const FileFacts& file = target_->target()->file;
    const QString path = QString::fromStdString(file.path);
    addRecent(RecentKind::files, path);
    updateRecent();
    const auto study = controller_->study();
    if (study != nullptr && study == studyWhenAsked_ && study->plan.file != file.path) {
        controller_->forget();
        live_->clear();
        faultMap_->clear();
        compare_->clear();
        sweep_->clear();
        kernel_->clearMapping();
    }
    arms_->setTarget(*target_->target());
    feed_->observe(file);
    setWindowTitle(tr("%1 – mmapscope").arg(QFileInfo(path).fileName()));
    centre_->setCurrentIndex(kTabsPage);
    status_->showIdle(tr("Press Run (F5) to measure the ticked arms"));
    updateState();
    if (sweepChosen_ != nullptr && sweepChosen_->target.file.path == file.path) {
        startSweep();
    }
}

void MainWindow::run() {
    if (controller_->running() || lessons_->running() || !arms_->ready()) {
        return;
    }
    const CacheState cache = bar_->settings().cache;
    if (cache == CacheState::asis || cache == CacheState::resident) {
        start();
    } else {
        askBeforeEviction([this] { start(); });
    }
}

StudyRequest MainWindow::studyRequest() const {
    const StudySettings& settings = bar_->settings();
    StudyRequest request;
    request.file = target_->target()->file.path;
    request.workload = arms_->workload().id;
    request.workloadParameters = arms_->workloadParameters();
    request.arms = arms_->arms();
    request.rounds = settings.rounds;
    request.warmups = settings.warmups;
    request.cache = settings.cache;
    request.isolation = settings.isolation;
    request.limit = settings.limit;
    request.pinCpus = settings.pinCpus;
    request.why = settings.why;
    request.traceFaults = settings.traceFaults;
    request.memoryCap = settings.memoryCap;
    request.workerProgram = workerProgram_.toStdString();
    return request;
}

void MainWindow::start() {
    StudyRequest request = studyRequest();
    message_->dismiss();
    target_->setMeasuring(true);
    controller_->start(std::move(request), autosavePath(QString::fromStdString(request.file)));
    status_->showIdle(tr("Planning the study"));
    updateState();
}

void MainWindow::askAdvice() {
    if (controller_->running() || !target_->target()) {
        return;
    }
    const std::string path = target_->target()->file.path;
    auto* dialog =
        new AdviceDialog(path, std::string(arms_->workload().id), arms_->workloadParameters(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &AdviceDialog::measureAsked, this,
            [this, path](const StudyRequest& study, const ArmRequest& advised) {
                const auto go = [this, path, study, advised] {
                    if (controller_->running() || lessons_->running()) {
                        return;
                    }
                    advised_ = advised;
                    studyWhenAdvised_ = controller_->study();
                    StudyRequest request = study;
                    request.workerProgram = workerProgram_.toStdString();
                    message_->dismiss();
                    target_->setMeasuring(true);
                    controller_->start(std::move(request), autosavePath(QString::fromStdString(path)));
                    updateState();
                };
                const bool leavesCache =
                    study.cache == CacheState::asis || study.cache == CacheState::resident;
                leavesCache ? go() : askBeforeEviction(go);
            });
    dialog->open();
}

void MainWindow::askSweep() {
    if (controller_->running()) {
        return;
    }
    auto* wizard = new SweepWizard(*arms_, target_->target(), bar_->settings().threads, this);
    connect(wizard, &SweepWizard::chosen, this, [this](const SweepChoice& choice) {
        sweepChosen_ = std::make_unique<SweepChoice>(choice);
        const QString path = QString::fromStdString(choice.target.file.path);
        if (target_->target() && target_->target()->file.path == choice.target.file.path) {
            startSweep();
        } else {
            openPath(path);  // started once it is there
        }
    });
    wizard->open();
}

void MainWindow::startSweep() {
    const auto choice = std::move(sweepChosen_);
    if (choice == nullptr || controller_->running()) {
        return;
    }
    SweepRequest request{studyRequest(), choice->sizes, choice->morePoints};
    StudyRequest& study = request.study;
    study.workload = choice->workload;
    study.workloadParameters = choice->workloadParameters;
    study.arms = choice->arms;
    study.limit.reset();
    study.rounds = choice->rounds;
    study.warmups = 0;
    study.cache = choice->cache;
    study.memoryCap = choice->memoryCap;
    study.isolation = choice->memoryCap ? Isolation::worker : study.isolation;
    const auto go = [this, request] {
        message_->dismiss();
        target_->setMeasuring(true);
        controller_->start(request, autosavePath(QString::fromStdString(request.study.file)));
        status_->showIdle(tr("Planning the sweep"));
        updateState();
    };
    const bool leavesCache = choice->cache == CacheState::asis || choice->cache == CacheState::resident;
    leavesCache ? go() : askBeforeEviction(go);
}

void MainWindow::resumeSweep() {
    if (controller_->resumable()) {
        message_->dismiss();
        target_->setMeasuring(true);
        controller_->resume();
        status_->showIdle(tr("Looking whether the sweep can go on"));
        updateState();
    }
}

void MainWindow::showPoint(Bytes size) {
    const auto study = controller_->study();
    if (study != nullptr && study->sweep) {
        compare_->setStudy(pointOf(*study, size));
        tabs_->setCurrentWidget(compare_);
        status_->showIdle(tr("The runs at %1").arg(QString::fromStdString(formatBytes(size))));
    }
}

void MainWindow::showPlanned() {
    live_->begin(*controller_->study());
    faultMap_->clear();
    const Study& planned = *controller_->study();
    const bool explains = bar_->settings().why && !planned.sweep && !planned.plan.memoryCap;
    compare_->setWhyStage(explains ? WhyStage::waiting : WhyStage::notAsked);
    compare_->setStudy(*controller_->study());
    kernel_->clearMapping();
    centre_->setCurrentIndex(kTabsPage);
    sweep_->setStudy(controller_->study());
    tabs_->setCurrentWidget(controller_->study()->sweep ? static_cast<QWidget*>(sweep_) : live_);
    updateState();  // only now it is known to be a sweep
}

void MainWindow::showProgress(const Progress& progress) {
    status_->showProgress(progress, armName(progress.arm));
    if (progress.stage == StudyStage::explaining) {
        compare_->setWhyStage(WhyStage::explaining, progress.fraction);
    }
}

void MainWindow::showSamples(std::uint32_t arm, std::span<const Sample> samples) {
    live_->addSamples(arm, samples);
    if (!samples.empty()) {
        kernel_->setMapping(armName(arm), samples.back());
    }
}

void MainWindow::showRunEnd() {
    const Study& study = *controller_->study();
    const RunRecord& run = study.runs.back();
    live_->runEnded(study);
    if (run.faultTrace) {
        faultMap_->setStudy(controller_->study());
    }
    if (study.sweep) {
        sweep_->setStudy(controller_->study());
    } else {
        compare_->setStudy(study);
    }
    if (run.phase == Phase::inspection && run.status == RunStatus::ok) {
        kernel_->setInspection(armName(run.arm), run);
        kernel_->setHugeEntries(pageCacheByHugeEntries(study));
    }
    if (run.residency) {
        kernel_->setResidency(run.residency);
    }
}

void MainWindow::showFinished() {
    compare_->setWhyStage(WhyStage::idle);
    live_->setMeasuring(false);
    target_->setMeasuring(false);
    updateState();
    const auto study = controller_->study();
    const auto advised = std::exchange(advised_, std::nullopt);
    const auto before = std::exchange(studyWhenAdvised_, nullptr);
    if (study == nullptr || study->runs.empty()) {
        status_->showIdle(tr("Nothing was measured"));
        return;
    }
    showStudy();
    if (target_->target()) {
        feed_->observe(target_->target()->file);  // preparing the cache may have changed its folios
    }
    if (study->complete && !study->sweep) {
        tabs_->setCurrentWidget(compare_);
    }
    if (advised && study != before && study->complete) {
        message_->showMessage(MessageLine::Kind::note,
                              QString::fromStdString(judgeAdvice(*study, *advised).sentence));
    }
}

void MainWindow::showStudy() {
    const Study& study = *controller_->study();
    live_->showStudy(study);
    faultMap_->setStudy(controller_->study());
    compare_->setStudy(study);
    sweep_->setStudy(controller_->study());
    if (study.sweep) {
        tabs_->setCurrentWidget(sweep_);
    } else if (std::exchange(compareNext_, false)) {
        tabs_->setCurrentWidget(compare_);
    }
    centre_->setCurrentIndex(kTabsPage);
    setWindowTitle(tr("%1 – mmapscope").arg(QFileInfo(QString::fromStdString(study.plan.file)).fileName()));
    status_->showIdle(idleText(study));
    showMapping();
    updateState();
}

void MainWindow::showMapping() {
    const auto study = controller_->study();
    if (study == nullptr || controller_->running()) {
        return;
    }
    const std::optional<std::uint32_t> selected = compare_->selectedArm();
    const auto tells = [&](const RunRecord& run) {
        return run.phase == Phase::inspection && run.status == RunStatus::ok &&
               (selected ? run.arm == *selected : run.mapping && run.mapping->thpEligible.has_value());
    };
    const auto run = std::find_if(study->runs.begin(), study->runs.end(), tells);
    kernel_->clearMapping();
    kernel_->setHugeEntries(pageCacheByHugeEntries(*study));
    if (run == study->runs.end()) {
        return;
    }
    kernel_->setInspection(armName(run->arm), *run);
    kernel_->setResidency(run->residency);
}

void MainWindow::updateState() {
    const auto study = controller_->study();
    lessons_->setBusy(controller_->running());
    actions_->setState(arms_->ready(), controller_->running() || lessons_->running(),
                       study != nullptr && !study->runs.empty());
    const bool editable = !controller_->running();
    bar_->setEnabled(editable);
    arms_->setEnabled(editable);
    sweep_->setState(controller_->running() && study != nullptr && study->sweep,
                     controller_->resumable() && !lessons_->running());
}

QString MainWindow::armName(std::uint32_t arm) const {
    const auto study = controller_->study();
    return study != nullptr && arm < study->arms.size() ? QString::fromStdString(study->arms[arm].id)
                                                        : QString();
}

void MainWindow::showError(const QString& error) {
    message_->showMessage(MessageLine::Kind::error, error);
}

}  // namespace mmapscope
