// The window's Learn tab with real lessons: from start page to explanation, stop, page, Compare, presenting.
#include <QDir>
#include <QDockWidget>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QtTest>

#include "app/gui/lesson_session.h"
#include "app/gui/main_window.h"
#include "app/gui/study_controller.h"
#include "gui_support.h"
#include "widgets/compare_panel.h"
#include "widgets/learn_panel.h"
#include "widgets/lesson_chart.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kPatienceMs = 60'000;

template <class Widget>
Widget* part(const QWidget& window, const char* name) {
    auto* found = window.findChild<Widget*>(QLatin1String(name));
    if (found == nullptr) {
        qFatal("there is no %s", name);
    }
    return found;
}

bool isEmpty(const QString& folder) {
    return QDir(folder).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
}

}  // namespace

class TestGuiLearn : public QObject {
    Q_OBJECT

  private:
    const Home home_;
    const QTemporaryDir samples_{QStringLiteral("/var/tmp/tst_gui_learn-XXXXXX")};
    std::unique_ptr<MainWindow> window_;

    LearnPanel* panel() { return window_->findChild<LearnPanel*>(); }
    QString page() { return part<QTextBrowser>(*window_, "lessonPage")->toPlainText(); }
    void measure(const char* option) {
        QTest::mouseClick(part<QRadioButton>(*window_, option), Qt::LeftButton, {}, QPoint(8, 8));
        QTest::mouseClick(part<QPushButton>(*window_, "lessonRun"), Qt::LeftButton);
    }

  private slots:
    void init() {
        window_ = std::make_unique<MainWindow>();
        window_->setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window_->lessonSession()->setFolder(samples_.path());
        window_->resize(1200, 900);
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
        QTest::mouseClick(part<QPushButton>(*window_, "startLearn"), Qt::LeftButton);
        QVERIFY(panel()->isVisible());
    }
    void cleanup() { window_.reset(); }

    void fromPredictionToExplanation() {
        auto* run = part<QPushButton>(*window_, "lessonRun");
        QVERIFY(!run->isEnabled());
        measure("lessonOption-every");
        QVERIFY(window_->lessonSession()->running());
        QVERIFY(part<QPushButton>(*window_, "lessonStop")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running(), kPatienceMs);
        QVERIFY2(page().contains("You predicted: One for every page"), qPrintable(page()));
        QVERIFY(page().contains("Explanation") && !page().contains("{{"));
        auto* chart = part<LessonChart>(*window_, "lessonChart");
        QVERIFY(chart->isVisible());
        QVERIFY2(
            chart->words().contains("mmap: ") && chart->words().contains("Predicted: One for every page"),
            qPrintable(chart->words()));
        QVERIFY2(isEmpty(samples_.path()), "samples were left");

        QTest::mouseClick(part<QPushButton>(*window_, "lessonVariation1"), Qt::LeftButton);
        QVERIFY(window_->lessonSession()->running());
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running(), kPatienceMs);
        QVERIFY2(page().contains("larger pieces"), qPrintable(page()));
    }

    void byKeyboard() {
        auto* list = part<QListWidget>(*window_, "lessonList");
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Down);
        QTest::keyClick(list, Qt::Key_Up);
        auto* option = part<QRadioButton>(*window_, "lessonOption-some");
        option->setFocus();
        QTest::keyClick(option, Qt::Key_Space);
        auto* run = part<QPushButton>(*window_, "lessonRun");
        QVERIFY(run->isEnabled());
        run->setFocus();
        QTest::keyClick(run, Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running() && page().contains("Explanation"),
                                 kPatienceMs);
    }

    void stoppedLeavesNothing() {
        panel()->choose(5);  // the longest
        measure("lessonOption-tied");
        QTRY_VERIFY_WITH_TIMEOUT(!isEmpty(samples_.path()), kPatienceMs);
        QTest::mouseClick(part<QPushButton>(*window_, "lessonStop"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running(), kPatienceMs);
        QVERIFY(!page().contains("Explanation"));
        QVERIFY(part<QPushButton>(*window_, "lessonRun")->isVisible());
        QVERIFY2(isEmpty(samples_.path()), "samples were left");
    }

    /// Two measurements at once would disturb each other.
    void nothingElseRunsMeanwhile() {
        panel()->choose(5);
        measure("lessonOption-tied");
        for (const char* action : {"actionRun", "actionSweep"}) {
            QVERIFY(!part<QAction>(*window_, action)->isEnabled());
        }
        window_->run();
        QVERIFY(!window_->controller()->running());
        QTest::keyClick(window_.get(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running(), kPatienceMs);
        QVERIFY(part<QAction>(*window_, "actionSweep")->isEnabled());
    }

    void closingWhileItRuns() {
        panel()->choose(5);
        measure("lessonOption-tied");
        QTRY_VERIFY_WITH_TIMEOUT(!isEmpty(samples_.path()), kPatienceMs);
        window_->close();
        window_.reset();
        QTRY_VERIFY_WITH_TIMEOUT(isEmpty(samples_.path()), kPatienceMs);
    }

    void pagesAreSavedAndStudiesOpen() {
        measure("lessonOption-some");
        QTRY_VERIFY_WITH_TIMEOUT(!window_->lessonSession()->running(), kPatienceMs);
        const QTemporaryDir out;
        QSignalSpy written(window_->lessonSession(), &LessonSession::written);
        QTest::keyClicks(part<QPlainTextEdit>(*window_, "lessonWords"), "It maps around.");
        window_->lessonSession()->savePage(out.filePath("page.md"));
        window_->lessonSession()->savePage(out.filePath("page.pdf"));
        QCOMPARE(written.size(), 2);
        QFile markdown(out.filePath("page.md"));
        QVERIFY(markdown.open(QIODevice::ReadOnly));
        QVERIFY(markdown.readAll().contains("## In my own words\n\nIt maps around."));
        QFile pdf(out.filePath("page.pdf"));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        const QByteArray bytes = pdf.readAll();
        QVERIFY(bytes.startsWith("%PDF") && bytes.size() > 10'000 && bytes.contains("/Image"));
        QSignalSpy failed(window_->lessonSession(), &LessonSession::failed);
        window_->lessonSession()->savePage(QStringLiteral("/nonexistent/page.md"));
        QCOMPARE(failed.size(), 1);

        QTest::mouseClick(part<QPushButton>(*window_, "lessonCompare"), Qt::LeftButton);
        auto* tabs = part<QTabWidget>(*window_, "tabs");
        QTRY_VERIFY_WITH_TIMEOUT(qobject_cast<ComparePanel*>(tabs->currentWidget()) != nullptr, kPatienceMs);
        QCOMPARE(window_->controller()->study()->arms.size(), std::size_t(2));
    }

    void presenting() {
        auto* dock = window_->findChild<QDockWidget*>();
        QVERIFY(dock->isVisible());
        QTest::keyClick(window_.get(), Qt::Key_F11);
        QVERIFY(panel()->presenting() && !dock->isVisible() && !window_->menuBar()->isVisible());
        QCOMPARE(panel()->font().pointSize(), 24);
        QVERIFY(!part<QListWidget>(*window_, "lessonList")->isVisible());
        QTest::keyClick(part<QTextBrowser>(*window_, "lessonPage"), Qt::Key_Escape);
        QVERIFY(!panel()->presenting() && dock->isVisible() && window_->menuBar()->isVisible());
        QVERIFY(panel()->font().pointSize() < 24);
        QTest::keyClick(window_.get(), Qt::Key_F11);
        QTest::keyClick(window_.get(), Qt::Key_F11);
        QVERIFY(!panel()->presenting() && dock->isVisible());
    }
};

QTEST_MAIN(TestGuiLearn)
#include "tst_gui_learn.moc"
