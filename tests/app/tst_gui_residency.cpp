// What of the file is cached, before and after eviction, warming and a study in the real window.
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/study_controller.h"
#include "app/gui/target_panel.h"
#include "gui_support.h"
#include "probe/folios.h"
#include "source/source.h"
#include "widgets/folio_bar.h"
#include "widgets/residency_bar.h"
#include "widgets/residency_history_view.h"
#include "widgets/residency_section.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kPatience = 60000;  // ms; other programs may be busy

bool evictable(const QString& file) {
    const auto facts = inspectFile(file.toStdString());
    return facts && facts->storage != StorageClass::memory;
}

}  // namespace

class TestGuiResidency : public QObject {
    Q_OBJECT

    Home home_;

  private slots:
    void targetFollowsEvictAndWarm() {
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(16), "sample.bin");
        if (!evictable(sample)) {
            QSKIP("the temporary directory is in memory and can't be evicted; set TMPDIR to a disk");
        }
        MainWindow window;
        window.show();
        window.openPath(sample);
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        auto* target = window.findChild<TargetPanel*>();
        const auto* bar = target->findChild<ResidencyBar*>();
        const auto* words = target->findChild<QLabel*>("targetFolios");
        const auto* folios = target->findChild<FolioBar*>("folioBar");
        QTRY_COMPARE_WITH_TIMEOUT(bar->text(), QStringLiteral("100 %"), kPatience);
        QTRY_VERIFY(folios->isVisibleTo(target));
        QVERIFY2(folios->accessibleDescription().contains(u'%'), qPrintable(folios->accessibleDescription()));
        QVERIFY(words->toolTip().contains("places"));
        QVERIFY(bar->toolTipAt(3).contains("From"));

        target->prepare(CacheState::cold);
        QTRY_COMPARE_WITH_TIMEOUT(bar->text(), QStringLiteral("0 %"), kPatience);
        QTRY_VERIFY(!folios->isVisibleTo(target));
        QCOMPARE(words->text(), QStringLiteral("not available here"));
        QVERIFY(words->toolTip().contains("page cache"));

        target->prepare(CacheState::warm);
        QTRY_COMPARE_WITH_TIMEOUT(bar->text(), QStringLiteral("100 %"), kPatience);
        QTRY_VERIFY(folios->isVisibleTo(target));
    }

    void aColdStudysInspectionRunsAreShown() {
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(16), "cold.bin");
        if (!evictable(sample)) {
            QSKIP("the temporary directory is in memory and can't be evicted; set TMPDIR to a disk");
        }
        MainWindow window;
        window.show();
        window.openPath(sample);
        QTRY_VERIFY_WITH_TIMEOUT(window.armsPanel()->ready(), kPatience);
        auto* section = window.findChild<ResidencySection*>();
        QVERIFY(section->findChildren<ResidencyHistoryView*>().isEmpty());
        section->setOpen(true);

        StudyRequest request;
        request.file = sample.toStdString();
        request.workload = "scan";
        for (const char* source : {"read", "mmap"}) {
            ArmRequest arm;
            arm.source = source;
            arm.sourceParameters = *parseParameters(findSource(source)->parameters, "");
            request.arms.push_back(arm);
        }
        request.rounds = 1;
        request.cache = CacheState::cold;
        request.workerProgram = MMAPSCOPE_WORKER;
        const QSignalSpy finished(window.controller(), &StudyController::finished);
        window.controller()->start(std::move(request), home_.path("study.json"));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        for (const RunRecord& run : window.controller()->study()->runs) {
            QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
        }
        const auto views = section->findChildren<ResidencyHistoryView*>();
        QCOMPARE(views.size(), 2);
        for (const auto* view : views) {
            QCOMPARE(view->text(), QStringLiteral("before 0 %, after 100 %"));
        }
    }
};

QTEST_MAIN(TestGuiResidency)
#include "tst_gui_residency.moc"
