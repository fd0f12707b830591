// Studies side by side in the window.
#include <QTableWidget>
#include <QtTest>

#include "tests/engine/study/study_fixtures.h"
#include "widgets/ratio_chart.h"
#include "widgets/side_by_side_panel.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

std::shared_ptr<Study> study(double mmapMs, std::uint64_t seed) {
    SplitMix64 random(seed);
    auto made = std::make_shared<Study>(measuredStudy(
        {"read", "mmap", "pread"}, 15,
        [&](std::uint32_t arm, unsigned) { return noisyWall(random, arm == 1 ? mmapMs : 10); }));
    made->complete = true;
    summarize(*made);
    return made;
}

}  // namespace

class TestSideBySidePanel : public QObject {
    Q_OBJECT

  private slots:
    void differencesTableAndWords() {
        auto other = study(12, 2);
        other->environment.kernel = "6.18";
        SideBySidePanel panel;
        panel.resize(900, 700);
        panel.setComparison(*compareStudies(std::vector<NamedStudy>{{"old", study(8, 1)}, {"new", other}}));
        panel.show();
        QVERIFY(panel.differences()->isVisible());
        QCOMPARE(panel.differences()->item(0, 0)->text(), QStringLiteral("kernel"));
        QCOMPARE(panel.arms()->rowCount(), 3);
        QCOMPARE(panel.arms()->columnCount(), 5);
        QCOMPARE(panel.arms()->item(1, 4)->text(), QStringLiteral("slower"));
        QCOMPARE(panel.arms()->item(0, 4)->text(), QStringLiteral("tied"));
        QVERIFY(panel.chart()->isVisible());
        QVERIFY(panel.chart()->plottableCount() > 0);
        QVERIFY(panel.words().startsWith("Slower in new than in old: mmap"));
        QVERIFY(!panel.grab().isNull());
    }

    void whatCannotBeCompared() {
        auto other = study(8, 2);
        other->plan.fileBytes = mib(3);
        SideBySidePanel panel;
        panel.setComparison(*compareStudies(std::vector<NamedStudy>{{"old", study(8, 1)}, {"new", other}}));
        panel.show();
        QVERIFY(!panel.chart()->isVisible());
        QVERIFY(panel.words().contains("new can't be compared with old: another file: 3 MiB, not 1 MiB"));
    }
};

QTEST_MAIN(TestSideBySidePanel)
#include "tst_side_by_side_panel.moc"
