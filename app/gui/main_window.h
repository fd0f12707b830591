// The window: docks around Live, Fault map and Compare, and the wiring between them and the study that runs.
#pragma once

#include <QMainWindow>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "app/publish/publish.h"
#include "corpus/corpus.h"
#include "study/study_runner.h"
#include "widgets/background_job.h"
#include "widgets/theme.h"

class QDockWidget;
class QStackedWidget;
class QTabWidget;

namespace mmapscope {

class ArmsPanel;
class ComparePanel;
class FaultMapPanel;
class KernelFeed;
class KernelPanel;
class LearnPanel;
class LessonSession;
class LivePanel;
class MessageLine;
class StartPage;
class StatusLine;
class StudyBar;
class SweepPanel;
struct SweepChoice;
class StudyController;
class TargetPanel;
class WindowActions;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A file to look at, or a study: which one is told from its content.
    void openPath(const QString& path);
    void openStudy(const QString& path);
    void exportTo(ReportFormat format, const QString& path);
    void exportPlot(const PlotOptions& options, const QString& path);
    /// Measures the ticked arms; asks first where the user's file would be evicted and never was agreed to.
    void run();
    /// Instead of the one beside this program.
    void setWorkerProgram(const QString& path);

    [[nodiscard]] StudyController* controller() const { return controller_; }
    [[nodiscard]] ArmsPanel* armsPanel() const { return arms_; }
    [[nodiscard]] LessonSession* lessonSession() const { return lessons_; }

  signals:
    void exported(const QString& path);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    /// Pages of the centre.
    enum Page { kStartPage, kTabsPage };
    /// Changes when docks or toolbars do, so that a remembered layout of another version isn't taken.
    static constexpr int kLayoutVersion = 1;

    void buildCentre();
    void buildDocks();
    QDockWidget* addDock(const QString& title, const QString& name, QWidget* content,
                         Qt::DockWidgetArea area);
    void connectActions();
    void connectTarget();
    void connectStudy();
    void connectLearn();
    void restoreLayout(bool remembered);

    void askOpen();
    void askOpenFolder();
    void askOpenStudy();
    void askAdvice();
    void showHistory();
    void askCompare();
    /// `paths` beside the open study where `withOpen`, else beside each other.
    void compareStudies(const QStringList& paths, bool withOpen);
    void askSave();
    void askExport(ReportFormat format);
    void askPlot();
    void askProgram();
    void askPlotFile(const PlotOptions& options);
    /// Written in the background; told in the window, and by exported().
    void writeExport(const QString& path, std::function<std::string()> content);
    /// Once for all files: what is agreed to is remembered.
    void askBeforeEviction(const std::function<void()>& agreed);
    [[nodiscard]] QString suggestedName(const QString& suffix) const;
    void makeSample(CorpusKind kind);
    void askRemoveSamples();
    void askReserve();
    void copyMarkdown();
    void copyTsv();
    void chooseTheme(ThemeChoice choice);
    void showHelp();
    void showLearn();
    /// Learn alone, in large type; or everything as it was before.
    void present(bool presenting);
    void askLessonPage();

    void start();
    void askSweep();
    /// The sweep that was chosen, once its file is the target.
    void startSweep();
    void resumeSweep();
    [[nodiscard]] StudyRequest studyRequest() const;
    /// The runs of one size of a sweep.
    void showPoint(Bytes size);
    void showPlanned();
    void showProgress(const Progress& progress);
    void showSamples(std::uint32_t arm, std::span<const Sample> samples);
    void showRunEnd();
    void showFinished();
    void showStudy();
    /// The mapping of the arm that is selected in Compare, as its inspection run saw it.
    void showMapping();
    void showTarget();
    void updateRecent();
    void updateState();
    void showError(const QString& error);
    [[nodiscard]] QString armName(std::uint32_t arm) const;

    WindowActions* actions_;
    StudyController* controller_;
    StudyBar* bar_;
    TargetPanel* target_;
    ArmsPanel* arms_;
    KernelPanel* kernel_;
    KernelFeed* feed_;
    LivePanel* live_;
    FaultMapPanel* faultMap_;
    ComparePanel* compare_;
    SweepPanel* sweep_;
    LearnPanel* learn_;
    LessonSession* lessons_;
    StartPage* start_;
    MessageLine* message_;
    QStackedWidget* centre_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    std::unique_ptr<StatusLine> status_;
    QByteArray firstLayout_;
    QByteArray layoutBefore_;   ///< presenting
    bool compareNext_ = false;  ///< the study that is being opened is to be seen in Compare
    /// On show when the file was asked for: gone once another file is there. One opened meanwhile stays.
    std::shared_ptr<const Study> studyWhenAsked_;
    std::unique_ptr<SweepChoice> sweepChosen_;       ///< waits for its file
    std::optional<ArmRequest> advised_;              ///< while the study that judges it runs
    std::shared_ptr<const Study> studyWhenAdvised_;  ///< on show before that one: judges nothing
    QString workerProgram_;
    BackgroundJob exportJob_;
};

}  // namespace mmapscope
