// Why in the real window: from its check box to bars, stopped halfway, saved, opened again, and taken away.
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QSignalSpy>
#include <algorithm>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/user_data.h"
#include "gui_support.h"
#include "report/study_file.h"
#include "source/source.h"
#include "widgets/compare_panel.h"
#include "widgets/why_chart.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kPatience = 60000;  // ms; other programs may be busy

const WhyChart* chartOf(const MainWindow& window) {
    return window.findChild<ComparePanel*>()->whyChart();
}

QString phaseOf(const MainWindow& window) {
    return window.findChild<QLabel*>("phase")->text();
}

}  // namespace

class TestGuiWhy : public QObject {
    Q_OBJECT

    Home home_;
    QString sample_;

    std::unique_ptr<MainWindow> readyWindow() const {
        auto window = std::make_unique<MainWindow>();
        window->setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window->show();
        window->openPath(sample_);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(window->armsPanel()->ready(), kPatience); }();
        window->findChild<StudyBar*>()->setRounds(5);
        return window;
    }

    StudyRequest request(const char* file) const {
        StudyRequest request;
        request.file = home_.path(file).toStdString();
        request.workload = "scan";
        for (const char* source : {"read", "mmap"}) {
            ArmRequest arm;
            arm.source = source;
            arm.sourceParameters = *parseParameters(findSource(source)->parameters, {});
            request.arms.push_back(arm);
        }
        request.rounds = 5;
        request.cache = CacheState::asis;
        request.why = true;
        request.workerProgram = MMAPSCOPE_WORKER;
        return request;
    }

  private slots:
    void initTestCase() {
        sample_ = home_.makeSample(CorpusKind::zstd, mib(8), "sample.zst");
        QVERIFY(!sample_.isEmpty());
        QVERIFY(!home_.makeSample(CorpusKind::bytes, mib(192), "large.bin").isEmpty());
        rememberMayEvict();
    }

    void aTickedStudyShowsABarAnArm() {
        auto window = readyWindow();
        QVERIFY(window->findChild<QCheckBox*>("why")->isChecked());
        const WhyChart* chart = chartOf(*window);
        StudyController* controller = window->controller();
        QString waiting;
        QString explaining;
        QString phase;
        std::size_t runsBefore = 0;
        std::size_t startedLate = 0;
        connect(controller, &StudyController::progressed, this, [&](const Progress& progress) {
            if (progress.stage == StudyStage::explaining) {
                explaining = chart->notice();
                phase = phaseOf(*window);
                runsBefore = controller->study()->runs.size();
            } else if (progress.stage == StudyStage::running) {
                waiting = chart->notice();
            }
        });
        connect(controller, &StudyController::runStarted, this,
                [&] { startedLate += runsBefore > 0 ? 1 : 0; });
        const QSignalSpy finished(controller, &StudyController::finished);
        const QSignalSpy saved(controller, &StudyController::saved);
        window->run();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);

        QVERIFY2(waiting.contains("Not taken apart yet"), qPrintable(waiting));
        QVERIFY2(explaining.contains("Finding out"), qPrintable(explaining));
        QVERIFY2(phase.contains("where the time went"), qPrintable(phase));
        const auto study = controller->study();
        QCOMPARE(startedLate, std::size_t(0));  // its runs are none of the study's
        QCOMPARE(study->runs.size(), runsBefore);
        QVERIFY(study->complete);
        QCOMPARE(study->attribution.size(), study->arms.size());
        QVERIFY(study->splitRuns.size() >= study->arms.size());
        QCOMPARE(chart->bars().size(), study->arms.size());
        for (const WhyBar& bar : chart->bars()) {
            const Attribution& attribution = study->attribution[bar.arm];
            double sum = 0;
            for (const WhySegment& segment : bar.segments) {
                sum += (segment.end - segment.begin) * (segment.takesBack ? -1 : 1);
            }
            QCOMPARE(sum, static_cast<double>(attribution.wall.count()));
            QVERIFY(chart->accessibleDescription().contains(bar.id));
        }
        QVERIFY(window->findChild<QLabel*>("whySentences")
                    ->text()
                    .contains(QString::fromStdString(study->attribution[0].sentence)));

        // It is on disk, and opens with its bars.
        QTRY_COMPARE(saved.count(), 1);
        const QString path = saved.front().front().toString();
        const auto loaded = loadStudy(path.toStdString());
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QCOMPARE(loaded->attribution.size(), study->attribution.size());
        QCOMPARE(loaded->splitRuns.size(), study->splitRuns.size());
        MainWindow other;
        other.openStudy(path);
        QTRY_COMPARE(chartOf(other)->bars().size(), study->arms.size());
        QCOMPARE(chartOf(other)->accessibleDescription(), chart->accessibleDescription());

        // What is taken away holds it, too.
        const QSignalSpy exported(window.get(), &MainWindow::exported);
        window->exportTo(ReportFormat::markdown, home_.path("study.md"));
        QTRY_COMPARE(exported.count(), 1);
        QFile file(home_.path("study.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString markdown = QString::fromUtf8(file.readAll());
        QVERIFY(markdown.contains("unexplained"));
        const QString begin = QString::fromStdString(study->attribution[0].sentence).left(20);
        QVERIFY(markdown.contains(begin));
        window->findChild<QAction*>("copyMarkdown")->trigger();
        QTRY_VERIFY(QGuiApplication::clipboard()->text().contains(begin));
    }

    void withoutTheTickItSaysSo() {
        auto window = readyWindow();
        window->findChild<QCheckBox*>("why")->setChecked(false);
        QString whileRunning;
        connect(window->controller(), &StudyController::runEnded, this,
                [&] { whileRunning = chartOf(*window)->notice(); });
        const QSignalSpy finished(window->controller(), &StudyController::finished);
        window->run();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY2(whileRunning.contains("Tick Why"), qPrintable(whileRunning));
        QVERIFY(window->controller()->study()->complete);
        QVERIFY(chartOf(*window)->bars().empty());
        QVERIFY2(chartOf(*window)->notice().contains("made without"), qPrintable(chartOf(*window)->notice()));
    }

    void aStopWhileExplainingKeepsTheFinishedStudy() {
        auto window = readyWindow();
        StudyController* controller = window->controller();
        bool stopped = false;
        connect(controller, &StudyController::progressed, this, [&](const Progress& progress) {
            if (progress.stage == StudyStage::explaining && !stopped) {
                stopped = true;
                controller->stop();
            }
        });
        const QSignalSpy finished(controller, &StudyController::finished);
        // Long enough runs that the stop comes before the last of them.
        controller->start(request("large.bin"), home_.path("stopped.json"));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(stopped);
        const auto study = controller->study();
        QVERIFY(study->complete);
        for (const ArmSummary& arm : study->summary) {
            QVERIFY2(arm.runs == 5, qPrintable(QString::fromStdString(arm.unrankedReason)));
            QVERIFY(arm.medianWall.has_value());
        }
        const auto tells = [](const Study& one) {
            return std::any_of(one.warnings.begin(), one.warnings.end(), [](const std::string& warning) {
                return warning.find("where the time went") != std::string::npos;
            });
        };
        QVERIFY(tells(*study));
        if (study->attribution.empty()) {
            QVERIFY2(!chartOf(*window)->notice().contains("made without") || study->splitRuns.empty(),
                     qPrintable(chartOf(*window)->notice()));
        }
        const auto loaded = loadStudy(home_.path("stopped.json").toStdString());
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QVERIFY(loaded->complete);

        // Another baseline doesn't make that warning go.
        const QSignalSpy replaced(controller, &StudyController::studyReplaced);
        controller->setBaseline(1);
        QTRY_COMPARE(replaced.count(), 1);
        QCOMPARE(controller->study()->plan.baseline, 1U);
        QVERIFY(tells(*controller->study()));
    }

    void theTickIsRemembered() {
        StudyBar bar;
        auto* why = bar.findChild<QCheckBox*>("why");
        QVERIFY(!why->toolTip().isEmpty());
        why->setChecked(false);
        QVERIFY(!bar.settings().why);
        bar.save();
        QVERIFY(!StudyBar().settings().why);
        why->setChecked(true);
        bar.save();
        QVERIFY(StudyBar().settings().why);
    }
};

QTEST_MAIN(TestGuiWhy)
#include "tst_gui_why.moc"
