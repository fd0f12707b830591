// What the window remembers, refuses and restyles, apart from running studies.
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/start_page.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/theme_setting.h"
#include "app/gui/user_data.h"
#include "gui_support.h"
#include "widgets/live_panel.h"
#include "widgets/live_series_menu.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class TestWindowState : public QObject {
    Q_OBJECT

  private:
    Home home_;

    template <class T>
    static T* part(const MainWindow& window, const char* name) {
        return window.findChild<T*>(QLatin1String(name));
    }

  private slots:
    void settingsAndLayoutOutliveTheWindow() {
        {
            MainWindow window;
            window.show();
            part<QComboBox>(window, "cache")->setCurrentIndex(2);
            part<QSpinBox>(window, "threads")->setValue(2);
            part<QDockWidget>(window, "dockKernel")->hide();
            window.close();
        }
        MainWindow window;
        window.show();
        const StudySettings& settings = window.findChild<StudyBar*>()->settings();
        QCOMPARE(settings.cache, CacheState::cold);
        QCOMPARE(settings.threads, 2U);
        QVERIFY(!part<QDockWidget>(window, "dockKernel")->isVisible());
        part<QAction>(window, "actionRestoreLayout")->trigger();
        QVERIFY(part<QDockWidget>(window, "dockKernel")->isVisible());
        part<QComboBox>(window, "cache")->setCurrentIndex(0);
        part<QSpinBox>(window, "threads")->setValue(1);
        window.close();
    }

    void theSeriesOfLiveOutliveTheWindow() {
        QStringList shown;
        {
            MainWindow window;
            window.show();
            auto* menu = window.findChild<LiveSeriesMenu*>();
            emit menu->aboutToShow();
            menu->actionOf(LiveColumn::ioPressure)->trigger();
            menu->actionOf(LiveColumn::anon)->trigger();
            shown = window.findChild<LivePanel*>()->shownSeries();
        }  // even where the window wasn't closed in good order
        QVERIFY(shown.contains(QStringLiteral("io-pressure")));
        QVERIFY(!shown.contains(QStringLiteral("anon")));
        MainWindow window;
        window.show();
        QCOMPARE(window.findChild<LivePanel*>()->shownSeries(), shown);
    }

    void theThemeChangesWhileItRuns() {
        MainWindow window;
        window.show();
        setTheme(ThemeChoice::dark);
        QTRY_VERIFY(window.palette().color(QPalette::Window).lightness() < 100);
        QCOMPARE(rememberedTheme(), ThemeChoice::dark);
        const QImage dark = part<QAction>(window, "actionOpen")->icon().pixmap(24).toImage();
        setTheme(ThemeChoice::light);
        QTRY_VERIFY(window.palette().color(QPalette::Window).lightness() > 150);
        QVERIFY(part<QAction>(window, "actionOpen")->icon().pixmap(24).toImage() != dark);
    }

    void whatCannotBeCutForThreadsCannotRunAndSaysWhy() {
        const QString sample = home_.makeSample(CorpusKind::zstd, mib(1), "one-frame.zst");
        MainWindow window;
        window.show();
        window.openPath(sample);
        QTRY_VERIFY(window.armsPanel()->ready());
        part<QSpinBox>(window, "threads")->setValue(2);
        QVERIFY(!window.armsPanel()->ready());
        auto* verdict = part<QLabel>(window, "workloadVerdict");
        QTRY_VERIFY(verdict->isVisible() && !verdict->text().isEmpty());
        QVERIFY(!part<QAction>(window, "actionRun")->isEnabled());
        part<QComboBox>(window, "workload")->setCurrentText(QStringLiteral("scan"));
        QTRY_VERIFY(window.armsPanel()->ready());
        part<QSpinBox>(window, "threads")->setValue(1);
    }

    void aMalformedLimitIsSaidAndTakenBack() {
        MainWindow window;
        window.show();
        auto* limit = part<QLineEdit>(window, "limit");
        limit->setText(QStringLiteral("lots"));
        emit limit->editingFinished();
        QVERIFY(window.findChild<MessageLine*>()->text().contains(QStringLiteral("lots")));
        QVERIFY(limit->text().isEmpty());
        limit->setText(QStringLiteral("1MiB"));
        emit limit->editingFinished();
        QCOMPARE(window.findChild<StudyBar*>()->settings().limit, std::optional(mib(1)));
    }

    void malformedPinningIsSaidAndTakenBack() {
        MainWindow window;
        window.show();
        auto* pinning = part<QLineEdit>(window, "pinning");
        pinning->setText(QStringLiteral("3-1"));
        emit pinning->editingFinished();
        QVERIFY(window.findChild<MessageLine*>()->text().contains(QStringLiteral("3-1")));
        QVERIFY(pinning->text().isEmpty());
        QVERIFY(window.findChild<StudyBar*>()->settings().pinCpus.empty());
    }

    void aCancelledSampleLeavesNothing() {
        MainWindow window;
        window.show();
        auto* start = window.findChild<StartPage*>();
        const QSignalSpy ready(start, &StartPage::sampleReady);
        start->makeSample(CorpusKind::zstd, gib(1));
        auto* progress = part<QProgressBar>(window, "sampleProgress");
        QTRY_VERIFY(progress->value() > 0);
        QTest::mouseClick(part<QPushButton>(window, "sampleCancel"), Qt::LeftButton);
        QVERIFY(!progress->isVisible());
        QTRY_COMPARE(QDir(samplesFolder()).entryList(QDir::Files | QDir::Hidden).size(), 0);
        QCOMPARE(ready.count(), 0);
    }

    void anotherFileTakesTheOldResultsAway() {
        const QString first = home_.makeSample(CorpusKind::bytes, mib(1), "first.bin");
        const QString second = home_.makeSample(CorpusKind::bytes, mib(1), "second.bin");
        MainWindow window;
        window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window.show();
        window.findChild<StudyBar*>()->setRounds(1);
        rememberMayEvict();
        window.openPath(first);
        QTRY_VERIFY(window.armsPanel()->ready());
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        window.run();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QVERIFY(part<QAction>(window, "exportRunsCsv")->isEnabled());
        window.openPath(second);
        QTRY_VERIFY(window.windowTitle().contains(QStringLiteral("second.bin")));
        QVERIFY(window.controller()->study() == nullptr);
        QVERIFY(!part<QAction>(window, "exportRunsCsv")->isEnabled());
        QCOMPARE(recent(RecentKind::files).mid(0, 2), QStringList({second, first}));
    }

    void aMissingWorkerIsSaidInOneLine() {
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(1), "third.bin");
        MainWindow window;
        window.setWorkerProgram(home_.path("no-such-worker"));
        window.show();
        rememberMayEvict();
        window.openPath(sample);
        QTRY_VERIFY(window.armsPanel()->ready());
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        window.run();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QVERIFY(!window.findChild<MessageLine*>()->text().isEmpty() ||
                (window.controller()->study() != nullptr &&
                 window.controller()->study()->runs.front().status == RunStatus::failed));
    }
};

QTEST_MAIN(TestWindowState)
#include "tst_gui_window_state.moc"
