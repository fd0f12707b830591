// The window's Learn tab: what it asks of the window, and presenting.
#include <QDockWidget>
#include <QFileDialog>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>

#include "app/gui/lesson_session.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/study_controller.h"
#include "app/gui/window_actions.h"
#include "widgets/learn_panel.h"

namespace mmapscope {

void MainWindow::connectLearn() {
    connect(actions_, &WindowActions::learnAsked, this, &MainWindow::showLearn);
    connect(actions_, &WindowActions::presentAsked, this, [this] { present(!learn_->presenting()); });
    connect(learn_, &LearnPanel::presentAsked, this, &MainWindow::present);
    connect(learn_, &LearnPanel::saveAsked, this, &MainWindow::askLessonPage);
    connect(actions_, &WindowActions::stopAsked, lessons_, &LessonSession::stop);
    connect(lessons_, &LessonSession::runningChanged, this, &MainWindow::updateState);
    connect(lessons_, &LessonSession::failed, this, &MainWindow::showError);
    connect(lessons_, &LessonSession::written, this, [this](const QString& path) {
        message_->showMessage(MessageLine::Kind::note, tr("Written: %1").arg(path));
        emit exported(path);
    });
    connect(lessons_, &LessonSession::studySaved, this, [this](const QString& path) {
        if (!controller_->running()) {
            openStudy(path);
            compareNext_ = true;
        }
    });
}

void MainWindow::setWorkerProgram(const QString& path) {
    workerProgram_ = path;
    lessons_->setWorkerProgram(path);
}

void MainWindow::showLearn() {
    centre_->setCurrentIndex(kTabsPage);
    tabs_->setCurrentWidget(learn_);
    learn_->setFocus();
}

void MainWindow::present(bool presenting) {
    if (presenting == learn_->presenting()) {
        return;
    }
    if (presenting) {
        showLearn();
        layoutBefore_ = saveState(kLayoutVersion);
        for (QDockWidget* dock : findChildren<QDockWidget*>()) {
            dock->hide();
        }
        for (QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            bar->hide();
        }
    } else {
        restoreState(layoutBefore_, kLayoutVersion);
    }
    menuBar()->setVisible(!presenting);
    statusBar()->setVisible(!presenting);
    tabs_->tabBar()->setVisible(!presenting);
    learn_->setPresenting(presenting);
}

void MainWindow::askLessonPage() {
    auto* dialog =
        new QFileDialog(this, tr("Save the lesson's page"), QString(), tr("Markdown (*.md);;PDF (*.pdf)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("md"));
    dialog->selectFile(QStringLiteral("lesson-%1").arg(QString::fromStdString(learn_->lesson().id)));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.contains(QStringLiteral("pdf")) ? QStringLiteral("pdf")
                                                                        : QStringLiteral("md"));
    });
    connect(dialog, &QFileDialog::fileSelected, lessons_, &LessonSession::savePage);
    dialog->open();
}

}  // namespace mmapscope
