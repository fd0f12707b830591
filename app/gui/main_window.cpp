#include "app/gui/main_window.h"

#include <QDockWidget>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "app/gui/arms_panel.h"
#include "app/gui/icons.h"
#include "app/gui/kernel_feed.h"
#include "app/gui/lesson_session.h"
#include "app/gui/message_line.h"
#include "app/gui/start_page.h"
#include "app/gui/status_line.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/sweep_wizard.h"
#include "app/gui/target_panel.h"
#include "app/gui/theme_setting.h"
#include "app/gui/user_data.h"
#include "app/gui/window_actions.h"
#include "widgets/compare_panel.h"
#include "widgets/fault_map_panel.h"
#include "widgets/kernel_panel.h"
#include "widgets/learn_panel.h"
#include "widgets/live_panel.h"
#include "widgets/sweep_panel.h"

namespace mmapscope {
namespace {

constexpr int kTargetWidth = 295;
constexpr int kKernelWidth = 245;
/// What the plots say in their headings must not push the docks out of the window.
constexpr QSize kLeastCentre(480, 320);

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      actions_(new WindowActions(this)),
      controller_(new StudyController(this)),
      bar_(new StudyBar),
      target_(new TargetPanel),
      arms_(new ArmsPanel),
      kernel_(new KernelPanel),
      feed_(new KernelFeed(this)),
      live_(new LivePanel),
      faultMap_(new FaultMapPanel),
      compare_(new ComparePanel),
      sweep_(new SweepPanel),
      learn_(new LearnPanel),
      lessons_(new LessonSession(learn_, this)),
      start_(new StartPage),
      message_(new MessageLine),
      status_(std::make_unique<StatusLine>(statusBar())) {
    setWindowTitle(tr("mmapscope"));
    setWindowIcon(programIcon());
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    addToolBarBreak();
    addToolBar(bar_);
    buildCentre();
    buildDocks();
    connectActions();
    connectTarget();
    connectStudy();
    connectLearn();
    resize(1440, 900);
    firstLayout_ = saveState(kLayoutVersion);
    restoreLayout(true);
    updateRecent();
    updateState();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre() {
    tabs_ = new QTabWidget;
    tabs_->setObjectName(QStringLiteral("tabs"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(live_, tr("Live"));
    tabs_->addTab(faultMap_, tr("Fault map"));
    tabs_->addTab(compare_, tr("Compare"));
    tabs_->addTab(sweep_, tr("Sweep"));
    tabs_->addTab(learn_, tr("Learn"));
    centre_ = new QStackedWidget;
    centre_->addWidget(start_);
    centre_->addWidget(tabs_);
    centre_->setMinimumSize(kLeastCentre);
    auto* whole = new QWidget;
    auto* box = new QVBoxLayout(whole);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(message_);
    box->addWidget(centre_, 1);
    setCentralWidget(whole);
}

QDockWidget* MainWindow::addDock(const QString& title, const QString& name, QWidget* content,
                                 Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title);
    dock->setObjectName(name);
    dock->setWidget(content);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildDocks() {
    QDockWidget* target =
        addDock(tr("Target"), QStringLiteral("dockTarget"), target_, Qt::LeftDockWidgetArea);
    QDockWidget* arms = addDock(tr("Arms"), QStringLiteral("dockArms"), arms_, Qt::LeftDockWidgetArea);
    QDockWidget* kernel =
        addDock(tr("Kernel"), QStringLiteral("dockKernel"), kernel_, Qt::RightDockWidgetArea);
    resizeDocks({target, kernel}, {kTargetWidth, kKernelWidth}, Qt::Horizontal);
    resizeDocks({target, arms}, {1, 3}, Qt::Vertical);
    actions_->addToView({target->toggleViewAction(), arms->toggleViewAction(), kernel->toggleViewAction(),
                         bar_->toggleViewAction()});
}

void MainWindow::connectActions() {
    connect(actions_, &WindowActions::openAsked, this, &MainWindow::askOpen);
    connect(actions_, &WindowActions::openFolderAsked, this, &MainWindow::askOpenFolder);
    connect(actions_, &WindowActions::adviceAsked, this, &MainWindow::askAdvice);
    connect(actions_, &WindowActions::historyAsked, this, &MainWindow::showHistory);
    connect(actions_, &WindowActions::compareAsked, this, &MainWindow::askCompare);
    connect(actions_, &WindowActions::openStudyAsked, this, &MainWindow::askOpenStudy);
    connect(actions_, &WindowActions::fileChosen, this, &MainWindow::openPath);
    connect(actions_, &WindowActions::studyChosen, this, &MainWindow::openStudy);
    connect(actions_, &WindowActions::sampleAsked, this, &MainWindow::makeSample);
    connect(actions_, &WindowActions::removeSamplesAsked, this, &MainWindow::askRemoveSamples);
    connect(actions_, &WindowActions::runAsked, this, &MainWindow::run);
    connect(actions_, &WindowActions::sweepAsked, this, &MainWindow::askSweep);
    connect(actions_, &WindowActions::stopAsked, controller_, &StudyController::stop);
    connect(actions_, &WindowActions::saveAsked, this, &MainWindow::askSave);
    connect(actions_, &WindowActions::exportAsked, this, &MainWindow::askExport);
    connect(actions_, &WindowActions::programAsked, this, &MainWindow::askProgram);
    connect(actions_, &WindowActions::plotAsked, this, &MainWindow::askPlot);
    connect(actions_, &WindowActions::copyMarkdownAsked, this, &MainWindow::copyMarkdown);
    connect(actions_, &WindowActions::copyTsvAsked, this, &MainWindow::copyTsv);
    connect(actions_, &WindowActions::themeAsked, this, &MainWindow::chooseTheme);
    connect(actions_, &WindowActions::restoreLayoutAsked, this, [this] { restoreLayout(false); });
    connect(actions_, &WindowActions::helpAsked, this, &MainWindow::showHelp);
    actions_->setTheme(rememberedTheme());
}

void MainWindow::connectTarget() {
    connect(start_, &StartPage::openAsked, this, &MainWindow::askOpen);
    connect(start_, &StartPage::learnAsked, this, &MainWindow::showLearn);
    connect(start_, &StartPage::fileChosen, this, &MainWindow::openPath);
    connect(start_, &StartPage::studyChosen, this, &MainWindow::openStudy);
    connect(start_, &StartPage::sampleReady, this, &MainWindow::openPath);
    connect(start_, &StartPage::failed, this, &MainWindow::showError);
    connect(target_, &TargetPanel::failed, this, &MainWindow::showError);
    connect(target_, &TargetPanel::studyFound, this, &MainWindow::openStudy);
    connect(target_, &TargetPanel::fileOpened, this, &MainWindow::showTarget);
    connect(target_, &TargetPanel::prepareAsked, this,
            [this](CacheState state) { askBeforeEviction([this, state] { target_->prepare(state); }); });
    connect(arms_, &ArmsPanel::changed, this, &MainWindow::updateState);
    connect(arms_, &ArmsPanel::rejected, this, &MainWindow::showError);
    connect(bar_, &StudyBar::rejected, this, &MainWindow::showError);
    connect(bar_, &StudyBar::changed, this,
            [this] { arms_->setThreadsAndLimit(bar_->settings().threads, bar_->settings().limit); });
    arms_->setThreadsAndLimit(bar_->settings().threads, bar_->settings().limit);
}

void MainWindow::connectStudy() {
    connect(feed_, &KernelFeed::thpRead, kernel_, &KernelPanel::setThp);
    connect(feed_, &KernelFeed::poolsRead, kernel_, &KernelPanel::setPools);
    connect(feed_, &KernelFeed::machineRead, kernel_,
            [this](const TlbGeometry& tlb, const std::vector<CounterFinding>& counters) {
                kernel_->setTlb(tlb);
                kernel_->setCounters(counters);
            });
    connect(feed_, &KernelFeed::observed, kernel_, &KernelPanel::setBehaviours);
    connect(kernel_, &KernelPanel::reserveWanted, this, &MainWindow::askReserve);
    connect(controller_, &StudyController::planned, this, &MainWindow::showPlanned);
    connect(controller_, &StudyController::progressed, this, &MainWindow::showProgress);
    connect(controller_, &StudyController::runStarted, this,
            [this](std::uint32_t arm, Phase phase, unsigned round) {
                live_->setMeasuring(phase == Phase::measured);
                live_->runStarted(arm, phase, round);
            });
    connect(controller_, &StudyController::samplesArrived, this, &MainWindow::showSamples);
    connect(controller_, &StudyController::runEnded, this, &MainWindow::showRunEnd);
    connect(controller_, &StudyController::finished, this, &MainWindow::showFinished);
    connect(controller_, &StudyController::studyReplaced, this, &MainWindow::showStudy);
    connect(controller_, &StudyController::saved, this, [this](const QString& path) {
        addRecent(RecentKind::studies, path);
        updateRecent();
    });
    connect(controller_, &StudyController::failed, this, &MainWindow::showError);
    connect(compare_->table()->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &MainWindow::showMapping);
    connect(live_, &LivePanel::shownSeriesChanged, this,
            [this] { QSettings().setValue(QStringLiteral("window/series"), live_->shownSeries()); });
    connect(compare_, &ComparePanel::baselineChosen, controller_, &StudyController::setBaseline);
    connect(sweep_, &SweepPanel::pointChosen, this, &MainWindow::showPoint);
    connect(sweep_, &SweepPanel::pauseAsked, controller_, &StudyController::stop);
    connect(sweep_, &SweepPanel::resumeAsked, this, &MainWindow::resumeSweep);
}

void MainWindow::restoreLayout(bool remembered) {
    const QSettings settings;
    const QByteArray state =
        remembered ? settings.value(QStringLiteral("window/state")).toByteArray() : QByteArray();
    if (state.isEmpty() || !restoreState(state, kLayoutVersion)) {
        restoreState(firstLayout_, kLayoutVersion);
    }
    if (remembered) {
        restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
        live_->setShownSeries(settings.value(QStringLiteral("window/series")).toStringList());
        compare_->restoreColumnState(settings.value(QStringLiteral("window/columns")).toByteArray());
    }
}

void MainWindow::updateRecent() {
    const QStringList files = recent(RecentKind::files);
    const QStringList studies = recent(RecentKind::studies);
    actions_->setRecent(files, studies);
    start_->setRecent(files, studies);
}

}  // namespace mmapscope
