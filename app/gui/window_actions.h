// Every command of the window: its words, key, icon, menu and toolbar place. What it does is the window's.
#pragma once

#include <QObject>
#include <vector>

#include "corpus/corpus.h"
#include "report/formats.h"
#include "widgets/theme.h"

class QAction;
class QMainWindow;
class QMenu;
class QToolBar;

namespace mmapscope {

class WindowActions : public QObject {
    Q_OBJECT
  public:
    explicit WindowActions(QMainWindow* window);

    /// Commands that depend on what there is.
    void setState(bool canRun, bool running, bool hasStudy);
    void setRecent(const QStringList& files, const QStringList& studies);
    void setTheme(ThemeChoice choice);
    /// Dock toggles and the like, for the View menu.
    void addToView(const std::vector<QAction*>& actions);
    /// Draws the icons in the palette's colours.
    void restyle();

    [[nodiscard]] QToolBar* toolBar() const { return toolBar_; }

  signals:
    void openAsked();
    void openFolderAsked();
    void openStudyAsked();
    void fileChosen(const QString& path);
    void studyChosen(const QString& path);
    void removeSamplesAsked();
    void sampleAsked(mmapscope::CorpusKind kind);
    void runAsked();
    void sweepAsked();
    void stopAsked();
    void adviceAsked();
    void historyAsked();
    void compareAsked();
    void saveAsked();
    void exportAsked(mmapscope::ReportFormat format);
    void plotAsked();
    void programAsked();
    void copyMarkdownAsked();
    void copyTsvAsked();
    void themeAsked(mmapscope::ThemeChoice choice);
    void restoreLayoutAsked();
    void helpAsked();
    void learnAsked();
    void presentAsked();

  private:
    QAction* add(const QString& name, const QString& text, const QKeySequence& key, const QString& tip,
                 const QString& icon = {});
    void makeActions();
    void makeExportMenu();
    void makeThemeMenu();
    void fillMenus();
    void fillToolBar();
    void fillRecent(QMenu* menu, const QStringList& paths, bool studies);

    QMainWindow* window_;
    QToolBar* toolBar_ = nullptr;
    QMenu* recentFiles_ = nullptr;
    QMenu* recentStudies_ = nullptr;
    QMenu* samples_ = nullptr;
    QMenu* export_ = nullptr;
    QMenu* view_ = nullptr;
    QMenu* theme_ = nullptr;
    QAction* open_ = nullptr;
    QAction* openFolder_ = nullptr;
    QAction* openStudy_ = nullptr;
    QAction* save_ = nullptr;
    QAction* advice_ = nullptr;
    QAction* history_ = nullptr;
    QAction* compare_ = nullptr;
    QAction* quit_ = nullptr;
    QAction* run_ = nullptr;
    QAction* sweep_ = nullptr;
    QAction* stop_ = nullptr;
    QAction* restore_ = nullptr;
    QAction* help_ = nullptr;
    QAction* learn_ = nullptr;
    QAction* present_ = nullptr;
    std::vector<QAction*> themed_;
};

}  // namespace mmapscope
