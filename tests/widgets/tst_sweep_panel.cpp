// The Sweep view: lines, bands, marks, words, and the size under the pointer.
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "engine/study/study_fixtures.h"
#include "study/sweep_points.h"
#include "widgets/sweep_chart.h"
#include "widgets/sweep_panel.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

/// mmap is faster up to 64 MiB and slower from 256 MiB.
std::shared_ptr<const Study> crossing() {
    auto sweep = std::make_shared<Study>(emptyStudy({"read", "mmap"}));
    sweep->sweep = SweepPlan{{mib(32), mib(64), mib(256)}, 0, {}, true, 12};
    sweep->plan.memoryCap = mib(128);
    sweep->plan.rounds = 6;
    for (const Bytes size : sweep->sweep->sizes) {
        for (unsigned round = 1; round <= 6; ++round) {
            for (std::uint32_t arm = 0; arm < 2; ++arm) {
                const double base = static_cast<double>(size.count()) / 1e6;
                const double factor = arm == 0 ? 1 : size < mib(100) ? 0.5 : 2;
                RunRecord run = goodRun(arm, Phase::measured, round, base * factor * (1 + 0.001 * round));
                run.limit = size;
                run.bytesIn = size;
                run.majorFaults = size < mib(100) ? 0 : 100;
                sweep->runs.push_back(std::move(run));
            }
        }
    }
    sweep->complete = true;
    summarize(*sweep);
    sweep->crossovers = findCrossovers(*sweep);
    return sweep;
}

}  // namespace

class TestSweepPanel : public QObject {
    Q_OBJECT

  private slots:
    void showsLinesMarksAndWords();
    void aClickChoosesTheNearestSize();
    void noneIsNotDrawnOnALogAxis();
    void aPlainStudyClearsIt();
    void bothThemes();
    void whatCanBeDone();
};

void TestSweepPanel::showsLinesMarksAndWords() {
    SweepPanel panel;
    panel.setStudy(crossing());
    QTRY_VERIFY(panel.words().contains("mmap: faster than read up to 64 MiB, slower from 256 MiB"));
    QVERIFY(panel.words().contains("that the memory cap leaves for the file"));
    const auto charts = panel.findChildren<SweepChart*>();
    QCOMPARE(charts.size(), 2);
    QCOMPARE(charts[0]->graphCount(), 6);  // a line and both borders of its band, two arms
    QVERIFY(charts[0]->accessibleDescription().contains("mmap from"));
    QVERIFY(charts[0]->itemCount() >= 4);  // two names, the crossover, the cap with its words
}

void TestSweepPanel::aClickChoosesTheNearestSize() {
    SweepPanel panel;
    panel.resize(800, 600);
    panel.setStudy(crossing());
    QTRY_VERIFY(panel.words().contains("crossover"));
    panel.grab();
    auto* chart = panel.findChildren<SweepChart*>().front();
    QSignalSpy chosen(&panel, &SweepPanel::pointChosen);
    const double x = chart->xAxis->coordToPixel(60);
    QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(int(x), chart->height() / 2));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().front().value<Bytes>().count(), mib(64).count());
}

void TestSweepPanel::noneIsNotDrawnOnALogAxis() {
    SweepPanel panel;
    panel.setStudy(crossing());
    QTRY_VERIFY(panel.words().contains("crossover"));
    panel.findChild<QComboBox*>()->setCurrentIndex(0);  // major faults: none while it fits
    auto* chart = panel.findChildren<SweepChart*>().back();
    QCOMPARE(chart->graph(2)->dataCount(), 1);
    QVERIFY(chart->yAxis->range().lower > 0);
}

void TestSweepPanel::aPlainStudyClearsIt() {
    SweepPanel panel;
    panel.setStudy(crossing());
    QTRY_VERIFY(panel.words().contains("crossover"));
    panel.setStudy(std::make_shared<Study>(emptyStudy({"read"})));
    QVERIFY(panel.words().contains("Sweep…"));
    QCOMPARE(panel.findChildren<SweepChart*>().front()->graphCount(), 0);
    panel.setStudy(nullptr);
}

void TestSweepPanel::bothThemes() {
    for (const QColor& window : {QColor(Qt::white), QColor(30, 30, 30)}) {
        SweepPanel panel;
        panel.setPalette(QPalette(window));
        panel.resize(800, 600);
        panel.setStudy(crossing());
        QTRY_VERIFY(panel.words().contains("crossover"));
        const Theme theme = Theme::forPalette(panel.palette());
        auto* chart = panel.findChildren<SweepChart*>().front();
        QCOMPARE(chart->graph(2)->pen().color(), theme.armColor(0));
        QVERIFY(!panel.grab().isNull());
    }
}

void TestSweepPanel::whatCanBeDone() {
    SweepPanel panel;
    panel.resize(900, 600);
    panel.show();
    auto* pause = panel.findChild<QPushButton*>("sweepPause");
    auto* resume = panel.findChild<QPushButton*>("sweepResume");
    auto* compare = panel.findChild<QPushButton*>("sweepCompare");
    QVERIFY(!pause->isVisible() && !resume->isVisible() && !compare->isEnabled());
    panel.setState(true, false);
    QVERIFY(pause->isVisible() && !resume->isVisible());
    panel.setState(false, true);
    QVERIFY(!pause->isVisible() && resume->isVisible());
    QSignalSpy resumed(&panel, &SweepPanel::resumeAsked);
    resume->click();
    QCOMPARE(resumed.count(), 1);

    panel.setStudy(crossing());
    auto* sizes = panel.findChild<QComboBox*>("sweepSize");
    QTRY_COMPARE(sizes->count(), 3);
    QVERIFY(compare->isEnabled());
    sizes->setCurrentIndex(1);
    QSignalSpy chosen(&panel, &SweepPanel::pointChosen);
    compare->click();
    QCOMPARE(chosen.front().front().value<Bytes>().count(), mib(64).count());
    panel.setStudy(crossing());  // a sweep that grows keeps the choice
    QTest::qWait(50);
    QCOMPARE(sizes->currentIndex(), 1);
}

QTEST_MAIN(TestSweepPanel)
#include "tst_sweep_panel.moc"
