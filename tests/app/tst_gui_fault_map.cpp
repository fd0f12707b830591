// A traced study in the real window: from the worker's perf events to the dots of the Fault map tab.
#include <QCheckBox>
#include <QSignalSpy>
#include <QTabWidget>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "gui_support.h"
#include "probe/fault_trace.h"
#include "widgets/fault_map_panel.h"
#include "widgets/fault_plot.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kPatience = 60000;  // ms; other programs may be busy

std::string whyNoTraces() {
    FaultTracer tracer;
    const Status status = tracer.attach();
    return status ? std::string() : status.error().message;
}

}  // namespace

class TestGuiFaultMap : public QObject {
    Q_OBJECT

    Home home_;

  private slots:
    void theTabsStandInTheirOrder() {
        const MainWindow window;
        const auto* tabs = window.findChild<QTabWidget*>("tabs");
        QStringList titles;
        for (int i = 0; i < tabs->count(); ++i) {
            titles << tabs->tabText(i);
        }
        const auto map = titles.indexOf("Fault map");
        QCOMPARE(map, titles.indexOf("Live") + 1);
        QVERIFY(map < titles.indexOf("Compare"));
        QVERIFY(!window.findChild<FaultMapPanel*>()->arm());
    }

    void aTracedStudyIsShownAndForgotten() {
        if (const std::string why = whyNoTraces(); !why.empty()) {
            QSKIP(why.c_str());
        }
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(16), "sample.bin");
        const QString other = home_.makeSample(CorpusKind::bytes, mib(1), "other.bin");
        MainWindow window;
        window.show();
        window.openPath(sample);
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        auto* panel = window.findChild<FaultMapPanel*>();

        StudyRequest request;
        request.file = sample.toStdString();
        request.workload = "scan";
        for (const char* source : {"read", "mmap"}) {
            ArmRequest arm;
            arm.source = source;
            request.arms.push_back(arm);
        }
        request.rounds = 2;
        request.cache = CacheState::asis;
        request.traceFaults = true;
        request.workerProgram = MMAPSCOPE_WORKER;
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        const QSignalSpy counted(panel, &FaultMapPanel::figuresShown);
        window.controller()->start(std::move(request), home_.path("study.json"));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(window.controller()->study()->complete);
        QTRY_VERIFY(counted.count() > 0);

        // mmap, not read, faults on the file.
        QCOMPARE(panel->arm(), std::optional(1U));
        const auto study = window.controller()->study();
        const auto& trace = panel->plot()->run()->trace();
        QCOMPARE(&panel->plot()->run()->study(), study.get());
        QVERIFY(totalsOf(trace).inFile() >= 8);  // at least one each 2 MiB
        QVERIFY2(panel->sentence().startsWith("mmap: "), qPrintable(panel->sentence()));
        auto* tabs = window.findChild<QTabWidget*>("tabs");
        tabs->setCurrentWidget(panel);
        panel->plot()->replot();
        QCOMPARE(panel->plot()->raster().totals().inFile(), totalsOf(trace).inFile());

        window.openPath(other);
        QTRY_VERIFY_WITH_TIMEOUT(!panel->arm(), kPatience);
    }

    void theCheckBoxTracesTheInspectionRunsAlone() {
        if (const std::string why = whyNoTraces(); !why.empty()) {
            QSKIP(why.c_str());
        }
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(4), "small.bin");
        MainWindow window;
        window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window.show();
        window.openPath(sample);
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        window.findChild<StudyBar*>()->setRounds(2);
        window.findChild<QCheckBox*>("why")->setChecked(false);
        window.findChild<QCheckBox*>("traceFaults")->setChecked(true);
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        window.run();
        agreeToEviction(window);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        const auto study = window.controller()->study();
        std::size_t traced = 0;
        for (const RunRecord& run : study->runs) {
            traced += run.faultTrace ? 1 : 0;
            QCOMPARE(run.faultTrace.has_value(), run.phase == Phase::inspection);
        }
        QCOMPARE(traced, study->arms.size());
        QVERIFY(window.findChild<FaultMapPanel*>()->arm().has_value());
    }
};

QTEST_MAIN(TestGuiFaultMap)
#include "tst_gui_fault_map.moc"
