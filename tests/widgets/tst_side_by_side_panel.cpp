// Studies side by side in the window.
#include <QTableWidget>
#include <QTextDocumentFragment>
#include <QtTest>
#include <map>

#include "tests/engine/study/study_fixtures.h"
#include "widgets/ratio_chart.h"
#include "widgets/side_by_side_panel.h"
#include "widgets/theme.h"

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

std::shared_ptr<const SideBySide> shared(const std::vector<NamedStudy>& studies) {
    return std::make_shared<const SideBySide>(*compareStudies(studies));
}

QString plain(const QTableWidgetItem* item) {
    return QTextDocumentFragment::fromHtml(item->toolTip()).toPlainText();
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
        panel.setComparison(shared({{"old", study(8, 1)}, {"new", other}}));
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
        panel.setComparison(shared({{"old", study(8, 1)}, {"new", other}}));
        panel.show();
        QVERIFY(!panel.chart()->isVisible());
        QVERIFY(panel.words().contains("new can't be compared with old: another file: 3 MiB, not 1 MiB"));
        QCOMPARE(plain(panel.arms()->item(0, 4)), QStringLiteral("another file: 3 MiB, not 1 MiB"));
    }

    void aDotForEachArmAndStudy() {
        auto lacking = study(8, 3);
        lacking->arms[2].source = "direct";
        SideBySidePanel panel;
        panel.resize(1000, 800);
        panel.setComparison(shared({{"old", study(8, 1)}, {"new", study(12, 2)}, {"<i>last</i>", lacking}}));
        panel.show();
        const Theme theme = Theme::forPalette(panel.palette());
        std::map<int, int> dots;  // by side
        for (int i = 0; i < panel.chart()->graphCount(); ++i) {
            const QCPScatterStyle style = panel.chart()->graph(i)->scatterStyle();
            for (const int side : {1, 2}) {
                const bool same =
                    style.shape() == theme.armMarker(side) && style.pen().color() == theme.armColor(side);
                dots[side] += same ? 1 : 0;
            }
        }
        QCOMPARE(dots[1], 3);
        QCOMPARE(dots[2], 2);  // one isn't in both
        QVERIFY(theme.armMarker(1) != theme.armMarker(2));
        QVERIFY(panel.chart()->xAxis->label().contains("over old"));
        QVERIFY(panel.chart()->accessibleDescription().contains("mmap – new 0."));
        QVERIFY(!panel.arms()->horizontalHeaderItem(4)->icon().isNull());
        QCOMPARE(plain(panel.arms()->item(2, 7)), QStringLiteral("not in <i>last</i>"));
    }

    void bothThemes() {
        for (const QColor& window : {QColor(Qt::white), QColor(30, 30, 30)}) {
            SideBySidePanel panel;
            panel.resize(900, 700);
            panel.setComparison(shared({{"old", study(8, 1)}, {"new", study(12, 2)}}));
            panel.setPalette(QPalette(window));
            const Theme theme = Theme::forPalette(panel.palette());
            QCOMPARE(panel.arms()->item(1, 4)->foreground().color(), theme.bad());
            QCOMPARE(panel.chart()->graph(0)->scatterStyle().pen().color(), theme.armColor(1));
            for (const QWidget* part :
                 std::initializer_list<const QWidget*>{panel.differences(), panel.arms(), panel.chart()}) {
                QVERIFY(!part->accessibleName().isEmpty());
            }
        }
    }
};

QTEST_MAIN(TestSideBySidePanel)
#include "tst_side_by_side_panel.moc"
