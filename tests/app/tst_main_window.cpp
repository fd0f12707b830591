// The real window, from a dropped file to a table taken away.
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/start_page.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/user_data.h"
#include "core/text.h"
#include "gui_support.h"
#include "report/study_file.h"
#include "widgets/compare_panel.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr qint64 kLongestStallMs = 3000;  // everything is several times slower
#else
constexpr qint64 kLongestStallMs = 500;
#endif
constexpr int kPatience = 60000;  // ms; other programs may be busy

void trigger(const MainWindow& window, const char* action) {
    auto* found = window.findChild<QAction*>(QLatin1String(action));
    QVERIFY(found != nullptr);
    QVERIFY2(found->isEnabled(), action);
    found->trigger();
}

QString message(const MainWindow& window) {
    return window.findChild<MessageLine*>()->text();
}

std::vector<QByteArrayList> csvRows(const QString& path) {
    QFile file(path);
    std::vector<QByteArrayList> rows;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (!line.trimmed().isEmpty()) {
                QByteArrayList fields;
                bool quoted = false;
                for (const QByteArray& part : line.trimmed().split(',')) {
                    // A value with a comma in it is quoted (RFC 4180).
                    if (quoted) {
                        fields.back() += ',' + part;
                    } else {
                        fields.push_back(part);
                    }
                    quoted = quoted != (part.count('"') % 2 == 1);
                }
                rows.push_back(fields);
            }
        }
    }
    return rows;
}

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

  private:
    Home home_;
    QString sample_;

    /// A window that shows the sample, with arms ready and five rounds asked for.
    std::unique_ptr<MainWindow> readyWindow() {
        auto window = std::make_unique<MainWindow>();
        window->setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window->show();
        window->findChild<StudyBar*>()->setRounds(5);
        dropFile(*window, sample_);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(window->armsPanel()->ready(), kPatience); }();
        return window;
    }

  private slots:
    void initTestCase() {
        sample_ = home_.makeSample(CorpusKind::zstd, mib(16), "sample.zst");
        QVERIFY(!sample_.isEmpty());
        QVERIFY2(QFile::exists(QStringLiteral(MMAPSCOPE_WORKER)), "mmapscope-worker isn't built");
    }

    void fromADroppedFileToATableTakenAway() {
        StallWatch watch;
        auto window = readyWindow();
        QCOMPARE(window->armsPanel()->workload().id, std::string_view("zstd"));
        QVERIFY(window->armsPanel()->arms().size() >= 2);
        QVERIFY(window->findChild<QLabel*>("targetName")->text().contains("sample.zst"));

        const QSignalSpy finished(window->controller(), &StudyController::finished);
        const QSignalSpy samples(window->controller(), &StudyController::samplesArrived);
        trigger(*window, "actionRun");
        agreeToEviction(*window);
        QVERIFY(window->controller()->running());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        qInfo("longest stall of the event loop: %lld ms", static_cast<long long>(watch.longestMs()));
        QVERIFY(watch.longestMs() < kLongestStallMs);
        QVERIFY2(message(*window).isEmpty(), qPrintable(message(*window)));

        const auto study = window->controller()->study();
        QVERIFY(study->complete);
        QCOMPARE(study->plan.rounds, 5U);
        auto* compare = window->findChild<ComparePanel*>();
        QCOMPARE(compare->table()->model()->rowCount(), static_cast<int>(study->arms.size()));
        QCOMPARE(window->findChild<QTabWidget*>("tabs")->currentWidget(), compare);
        for (const ArmSummary& arm : study->summary) {
            QVERIFY(arm.outcomesAgree == true);
            QVERIFY(arm.medianWall.has_value());
        }

        const QSignalSpy exported(window.get(), &MainWindow::exported);
        const QString path = home_.path("runs.csv");
        window->exportTo(ReportFormat::csv, path);
        QTRY_COMPARE(exported.count(), 1);
        const auto rows = csvRows(path);
        QCOMPARE(rows.size(), study->runs.size() + 1);
        QVERIFY(rows[0].contains("wall_ns"));
        for (const QByteArrayList& row : rows) {
            QCOMPARE(row.size(), rows[0].size());
        }
    }

    void anotherBaselineIsSummarizedAnew() {
        auto window = readyWindow();
        const QSignalSpy finished(window->controller(), &StudyController::finished);
        window->run();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(window->controller()->study()->summary[0].verdict, Verdict::baseline);
        const QSignalSpy replaced(window->controller(), &StudyController::studyReplaced);
        emit window->findChild<ComparePanel*>()->baselineChosen(1);
        QTRY_COMPARE(replaced.count(), 1);
        const auto study = window->controller()->study();
        QCOMPARE(study->plan.baseline, 1U);
        QCOMPARE(study->summary[1].verdict, Verdict::baseline);
        QVERIFY(study->summary[0].ratio.has_value());
    }

    void aStopKeepsWhatIsDoneAndItIsOnDisk() {
        auto window = readyWindow();
        window->findChild<StudyBar*>()->setRounds(500);
        const QSignalSpy ended(window->controller(), &StudyController::runEnded);
        const QSignalSpy finished(window->controller(), &StudyController::finished);
        window->run();
        QTRY_VERIFY_WITH_TIMEOUT(ended.count() >= 2, kPatience);
        trigger(*window, "actionStop");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        const auto study = window->controller()->study();
        QVERIFY(!study->complete);
        QVERIFY(study->runs.size() >= 2);
        QVERIFY(window->findChild<ComparePanel*>()->table()->model()->rowCount() > 0);

        const QDir folder(studiesFolder());
        const QStringList saved = folder.entryList({"*.mmapscope"}, QDir::Files, QDir::Name);
        QVERIFY(!saved.isEmpty());
        const auto loaded = loadStudy(folder.filePath(saved.back()).toStdString());
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QCOMPARE(loaded->runs.size(), study->runs.size());
        // It can be run again at once.
        QVERIFY(window->findChild<QAction*>("actionRun")->isEnabled());
    }

    void closingWhileRunningEndsTheStudySoon() {
        auto window = readyWindow();
        window->findChild<StudyBar*>()->setRounds(500);
        const QSignalSpy ended(window->controller(), &StudyController::runEnded);
        window->run();
        QTRY_VERIFY_WITH_TIMEOUT(ended.count() >= 1, kPatience);
        QElapsedTimer timer;
        timer.start();
        window->close();
        window.reset();
        qInfo("closed while running in %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 2000);
    }

    void aSavedStudyOpensAsItWas() {
        const QDir folder(studiesFolder());
        const QStringList saved = folder.entryList({"*.mmapscope"}, QDir::Files, QDir::Name);
        QVERIFY(!saved.isEmpty());
        MainWindow window;
        const QSignalSpy replaced(window.controller(), &StudyController::studyReplaced);
        dropFile(window, folder.filePath(saved.front()));
        QTRY_COMPARE(replaced.count(), 1);
        QVERIFY(window.controller()->study()->complete);
        QVERIFY(window.findChild<ComparePanel*>()->table()->model()->rowCount() > 1);
        QVERIFY(recent(RecentKind::studies).contains(folder.filePath(saved.front())));
    }

    void aFolderIsReadAsOne() {
        QVERIFY(QDir().mkpath(home_.path("torrent/inner")));
        QVERIFY(QFile::copy(sample_, home_.path("torrent/a.zst")));
        QVERIFY(QFile::copy(sample_, home_.path("torrent/inner/b.zst")));
        MainWindow window;
        window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window.show();
        window.findChild<StudyBar*>()->setRounds(5);
        dropFile(window, home_.path("torrent"));
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        QCOMPARE(window.armsPanel()->workload().id, std::string_view("pieces"));
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        trigger(window, "actionRun");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        const auto study = window.controller()->study();
        QVERIFY(study->complete);
        QCOMPARE(study->plan.folderFiles, std::uint64_t{2});
        QVERIFY(study->runs.back().status == RunStatus::ok);
    }

    void badFilesAreSaidInOneLine_data() {
        QTest::addColumn<QString>("path");
        QFile broken(home_.path("broken.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"format\":\"mmapscope-study\",\"version\":1,\"plan\":");
        QTest::newRow("missing") << home_.path("missing.bin");
        QVERIFY(QDir().mkpath(home_.path("empty")));
        QTest::newRow("empty folder") << home_.path("empty");
        QTest::newRow("device") << QStringLiteral("/dev/null");
        QTest::newRow("kernel file") << QStringLiteral("/proc/version");
        QTest::newRow("truncated study") << home_.path("broken.json");
    }
    void badFilesAreSaidInOneLine() {
        QFETCH(const QString, path);
        MainWindow window;
        window.show();
        window.openPath(path);
        QTRY_VERIFY(!message(window).isEmpty());
        QVERIFY(!message(window).contains('\n'));
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        QVERIFY(!window.findChild<QAction*>("actionRun")->isEnabled());
    }

    void anExportThatCannotBeWrittenIsSaidInOneLine() {
        auto window = readyWindow();
        const QDir folder(studiesFolder());
        window->openStudy(
            folder.filePath(folder.entryList({"*.mmapscope"}, QDir::Files, QDir::Name).front()));
        QTRY_VERIFY(window->controller()->study() != nullptr);
        window->exportTo(ReportFormat::markdown, home_.path("no/such/folder/x.md"));
        QTRY_VERIFY(!message(*window).isEmpty());
        QVERIFY(message(*window).contains("x.md"));
    }

    void aSampleIsTwoClicksFromAComparison() {
        MainWindow window;
        window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window.show();
        window.findChild<StudyBar*>()->setRounds(5);
        auto* size = window.findChild<QComboBox*>("sampleSize");
        size->setCurrentIndex(size->findData(QVariant::fromValue(mib(16).count())));
        QTest::mouseClick(window.findChild<QPushButton*>("sampleTicks"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        QCOMPARE(window.armsPanel()->workload().id, std::string_view("ticks"));
        QVERIFY(QFile::exists(samplesFolder() + "/" + sampleName(CorpusKind::ticks, mib(16))));
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        trigger(window, "actionRun");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(window.controller()->study()->complete);
    }

    void everyControlHasAnAccessibleName() {
        auto window = readyWindow();
        for (const QWidget* widget : window->findChildren<QWidget*>()) {
            const bool control = qobject_cast<const QComboBox*>(widget) != nullptr ||
                                 qobject_cast<const QSpinBox*>(widget) != nullptr ||
                                 qobject_cast<const QAbstractItemView*>(widget) != nullptr;
            const bool inner = widget->objectName().startsWith("qt_") ||
                               qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr ||
                               QByteArray(widget->metaObject()->className()).startsWith("QComboBox") ||
                               qobject_cast<const QHeaderView*>(widget) != nullptr;
            if (control && !inner) {
                QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
            }
        }
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
