#include "app/gui/window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "app/gui/icons.h"

namespace mmapscope {
namespace {

constexpr int kIconPixels = 20;

struct ExportItem {
    QString name, text;
    QKeySequence key;
};

ExportItem exportItem(ReportFormat format) {
    using W = WindowActions;
    switch (format) {
        case ReportFormat::table:
            return {QStringLiteral("exportTable"), W::tr("&Text…"), {}};
        case ReportFormat::markdown:
            return {QStringLiteral("exportMarkdown"), W::tr("&Markdown…"), {}};
        case ReportFormat::csv:
            return {QStringLiteral("exportRunsCsv"), W::tr("Runs as &CSV…"), Qt::CTRL | Qt::Key_E};
        case ReportFormat::summaryCsv:
            return {QStringLiteral("exportSummaryCsv"), W::tr("&Summary as CSV…"), {}};
        case ReportFormat::latex:
            return {QStringLiteral("exportLatex"), W::tr("&LaTeX…"), {}};
        case ReportFormat::html:
            return {QStringLiteral("exportHtml"), W::tr("Page with plots, &HTML…"), {}};
        case ReportFormat::json:
            break;
    }
    return {QStringLiteral("exportJson"), W::tr("&JSON…"), {}};
}

}  // namespace

WindowActions::WindowActions(QMainWindow* window) : QObject(window), window_(window) {
    makeActions();
    makeExportMenu();
    makeThemeMenu();
    fillMenus();
    fillToolBar();
    restyle();
    setState(false, false, false);
}

QAction* WindowActions::add(const QString& name, const QString& text, const QKeySequence& key,
                            const QString& tip, const QString& icon) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(key);
    const QString keyText = key.toString(QKeySequence::NativeText);
    action->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keyText));
    action->setStatusTip(tip);
    if (!icon.isEmpty()) {
        action->setData(icon);
        themed_.push_back(action);
    }
    window_->addAction(action);
    return action;
}

void WindowActions::makeActions() {
    open_ = add(QStringLiteral("actionOpen"), tr("&Open…"), QKeySequence::Open, tr("Open a file to look at"),
                QStringLiteral("open"));
    openFolder_ = add(QStringLiteral("actionOpenFolder"), tr("Open fol&der…"), {},
                      tr("Open a folder, to read all its files as one"));
    openStudy_ = add(QStringLiteral("actionOpenStudy"), tr("Open s&tudy…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
                     tr("Open a saved study exactly as it was"));
    history_ = add(QStringLiteral("actionHistory"), tr("&History…"), Qt::CTRL | Qt::Key_H,
                   tr("Every study that was saved by itself: open, name, compare, delete"));
    compare_ = add(QStringLiteral("actionCompare"), tr("&Compare studies…"), Qt::CTRL | Qt::Key_D,
                   tr("Put saved studies beside the open one, or beside each other"));
    save_ = add(QStringLiteral("actionSave"), tr("&Save study…"), QKeySequence::Save,
                tr("Save the study; it is also saved by itself after every run"));
    quit_ = add(QStringLiteral("actionQuit"), tr("&Quit"), QKeySequence::Quit, tr("Stop what runs and quit"));
    run_ = add(QStringLiteral("actionRun"), tr("&Run"), Qt::Key_F5, tr("Measure the ticked arms"),
               QStringLiteral("run"));
    sweep_ = add(QStringLiteral("actionSweep"), tr("S&weep…"), Qt::Key_F6,
                 tr("Compare the ticked arms over sizes, and find where one becomes slower than the other"));
    advice_ = add(QStringLiteral("actionAdvice"), tr("&Advice…"), Qt::Key_F7,
                  tr("Which arm to use for this file, and why"));
    stop_ = add(QStringLiteral("actionStop"), tr("S&top"), Qt::Key_Escape, tr("Stop; what is done is kept"),
                QStringLiteral("stop"));
    restore_ = add(QStringLiteral("actionRestoreLayout"), tr("Restore &layout"), {},
                   tr("Put every dock and toolbar back where it was at first"));
    help_ = add(QStringLiteral("actionHelp"), tr("&Keys and about"), QKeySequence::HelpContents,
                tr("Keys, words and version"));
    learn_ = add(QStringLiteral("actionLearn"), tr("&Learn"), Qt::Key_F8,
                 tr("Lessons: predict, measure here, understand"));
    present_ = add(QStringLiteral("actionPresent"), tr("&Present a lesson"), Qt::Key_F11,
                   tr("Large type and nothing but the lesson; again, or Esc, to leave"));
    connect(learn_, &QAction::triggered, this, &WindowActions::learnAsked);
    connect(present_, &QAction::triggered, this, &WindowActions::presentAsked);
    connect(open_, &QAction::triggered, this, &WindowActions::openAsked);
    connect(openFolder_, &QAction::triggered, this, &WindowActions::openFolderAsked);
    connect(openStudy_, &QAction::triggered, this, &WindowActions::openStudyAsked);
    connect(history_, &QAction::triggered, this, &WindowActions::historyAsked);
    connect(compare_, &QAction::triggered, this, &WindowActions::compareAsked);
    connect(save_, &QAction::triggered, this, &WindowActions::saveAsked);
    connect(quit_, &QAction::triggered, window_, &QMainWindow::close);
    connect(run_, &QAction::triggered, this, &WindowActions::runAsked);
    connect(sweep_, &QAction::triggered, this, &WindowActions::sweepAsked);
    connect(advice_, &QAction::triggered, this, &WindowActions::adviceAsked);
    connect(stop_, &QAction::triggered, this, &WindowActions::stopAsked);
    connect(restore_, &QAction::triggered, this, &WindowActions::restoreLayoutAsked);
    connect(help_, &QAction::triggered, this, &WindowActions::helpAsked);

    samples_ = new QMenu(tr("&Sample"), window_);
    const auto sample = [this](const QString& text, CorpusKind kind) {
        connect(samples_->addAction(text), &QAction::triggered, this,
                [this, kind] { emit sampleAsked(kind); });
    };
    sample(tr("&zstd"), CorpusKind::zstd);
    sample(tr("&Tick CSV"), CorpusKind::ticks);
    sample(tr("Raw &bytes"), CorpusKind::bytes);
    samples_->addSeparator();
    connect(samples_->addAction(tr("&Remove samples…")), &QAction::triggered, this,
            &WindowActions::removeSamplesAsked);
}

void WindowActions::makeExportMenu() {
    export_ = new QMenu(tr("&Export"), window_);
    for (const ReportFormatFacts& facts : reportFormats()) {
        const ExportItem item = exportItem(facts.format);
        QAction* action = add(item.name, item.text, item.key, item.text);
        connect(action, &QAction::triggered, this,
                [this, format = facts.format] { emit exportAsked(format); });
        export_->addAction(action);
    }
    QAction* plot = add(QStringLiteral("exportPlot"), tr("&Plot…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
                        tr("Draw a plot as SVG, PNG or PDF"));
    connect(plot, &QAction::triggered, this, &WindowActions::plotAsked);
    export_->addSeparator();
    export_->addAction(plot);
    QAction* program = add(QStringLiteral("exportProgram"), tr("&Program in C…"), {},
                           tr("The selected arm, else the fastest, as a C program to start from"));
    connect(program, &QAction::triggered, this, &WindowActions::programAsked);
    export_->addAction(program);
    export_->addSeparator();
    QAction* markdown = add(QStringLiteral("copyMarkdown"), tr("Copy table as M&arkdown"),
                            Qt::CTRL | Qt::SHIFT | Qt::Key_C, tr("Copy the table as Markdown"));
    QAction* tsv = add(QStringLiteral("copyTsv"), tr("Copy table &tab-separated"), {},
                       tr("Copy the table, for a spreadsheet"));
    connect(markdown, &QAction::triggered, this, &WindowActions::copyMarkdownAsked);
    connect(tsv, &QAction::triggered, this, &WindowActions::copyTsvAsked);
    export_->addActions({markdown, tsv});
}

void WindowActions::makeThemeMenu() {
    theme_ = new QMenu(tr("&Theme"), window_);
    auto* group = new QActionGroup(theme_);
    const auto item = [&](const QString& text, ThemeChoice choice) {
        QAction* action = theme_->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(choice));
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice] { emit themeAsked(choice); });
    };
    item(tr("&System"), ThemeChoice::system);
    item(tr("&Light"), ThemeChoice::light);
    item(tr("&Dark"), ThemeChoice::dark);
}

void WindowActions::fillMenus() {
    QMenu* file = window_->menuBar()->addMenu(tr("&File"));
    recentFiles_ = new QMenu(tr("Recent &files"), window_);
    recentStudies_ = new QMenu(tr("Recent st&udies"), window_);
    file->addAction(open_);
    file->addAction(openFolder_);
    file->addMenu(recentFiles_);
    file->addMenu(samples_);
    file->addSeparator();
    file->addAction(openStudy_);
    file->addMenu(recentStudies_);
    file->addAction(history_);
    file->addAction(compare_);
    file->addAction(save_);
    file->addMenu(export_);
    file->addSeparator();
    file->addAction(quit_);
    QMenu* run = window_->menuBar()->addMenu(tr("&Run"));
    run->addActions({run_, sweep_, advice_, stop_});
    view_ = window_->menuBar()->addMenu(tr("&View"));
    view_->addMenu(theme_);
    view_->addSeparator();
    view_->addAction(restore_);
    view_->addSeparator();
    QMenu* help = window_->menuBar()->addMenu(tr("&Help"));
    help->addActions({learn_, present_, help_});
    setRecent({}, {});
}

void WindowActions::fillToolBar() {
    toolBar_ = window_->addToolBar(tr("Commands"));
    toolBar_->setObjectName(QStringLiteral("commandBar"));
    toolBar_->setMovable(false);
    toolBar_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toolBar_->setIconSize(QSize(kIconPixels, kIconPixels));
    const auto addMenu = [this](QMenu* menu, const QString& name, const QString& tip, const QString& icon) {
        QAction* action = menu->menuAction();
        action->setObjectName(name);
        action->setToolTip(tip);
        action->setData(icon);
        themed_.push_back(action);
        toolBar_->addAction(action);
        auto* button = qobject_cast<QToolButton*>(toolBar_->widgetForAction(action));
        button->setPopupMode(QToolButton::InstantPopup);
    };
    toolBar_->addAction(open_);
    addMenu(samples_, QStringLiteral("menuSample"), tr("Make a file to try things on"),
            QStringLiteral("sample"));
    toolBar_->addSeparator();
    toolBar_->addActions({run_, stop_, sweep_});
    toolBar_->addSeparator();
    addMenu(export_, QStringLiteral("menuExport"), tr("Take the results away"), QStringLiteral("export"));
}

void WindowActions::setState(bool canRun, bool running, bool hasStudy) {
    run_->setEnabled(canRun && !running);
    sweep_->setEnabled(!running);
    advice_->setEnabled(canRun && !running);
    stop_->setEnabled(running);
    save_->setEnabled(hasStudy && !running);
    export_->menuAction()->setEnabled(hasStudy && !running);
    for (QAction* action : export_->actions()) {
        action->setEnabled(hasStudy && !running);
    }
    samples_->menuAction()->setEnabled(!running);
    open_->setEnabled(!running);
    openFolder_->setEnabled(!running);
    openStudy_->setEnabled(!running);
    compare_->setEnabled(!running);
}

void WindowActions::fillRecent(QMenu* menu, const QStringList& paths, bool studies) {
    menu->clear();
    menu->setEnabled(!paths.isEmpty());
    for (const QString& path : paths) {
        QAction* action =
            menu->addAction(QFileInfo(path).fileName().replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setToolTip(path);
        connect(action, &QAction::triggered, this,
                [this, path, studies] { studies ? emit studyChosen(path) : emit fileChosen(path); });
    }
    menu->setToolTipsVisible(true);
}

void WindowActions::setRecent(const QStringList& files, const QStringList& studies) {
    fillRecent(recentFiles_, files, false);
    fillRecent(recentStudies_, studies, true);
}

void WindowActions::setTheme(ThemeChoice choice) {
    for (QAction* action : theme_->actions()) {
        action->setChecked(action->data().toInt() == static_cast<int>(choice));
    }
}

void WindowActions::addToView(const std::vector<QAction*>& actions) {
    for (QAction* action : actions) {
        view_->addAction(action);
    }
}

void WindowActions::restyle() {
    for (QAction* action : themed_) {
        action->setIcon(themedIcon(action->data().toString(), window_->palette()));
    }
}

}  // namespace mmapscope
