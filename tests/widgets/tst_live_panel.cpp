#include <QElapsedTimer>
#include <QSignalSpy>
#include <QtTest>

#include "tests/widgets/synthetic_study.h"
#include "widgets/live_panel.h"
#include "widgets/live_plot.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr std::array kKinds{LivePlotKind::throughput, LivePlotKind::faults, LivePlotKind::memory,
                            LivePlotKind::hugePages};

LivePlot* plotOf(const LivePanel& panel, LivePlotKind kind) {
    return qobject_cast<LivePlot*>(panel.plot(kind));
}

std::size_t pointsOf(const LivePanel& panel, LivePlotKind kind) {
    std::size_t points = 0;
    for (const LiveSeries& series : plotOf(panel, kind)->series()) {
        points += series.points.size();
    }
    return points;
}

void settle() {
    QTest::qWait(60);
}

}  // namespace

class TestLivePanel : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        panel_ = std::make_unique<LivePanel>();
        panel_->resize(1000, 800);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    }
    void cleanup() { panel_.reset(); }

    void runsOfTwentyMillisecondsAreCurves() {
        const Study study = syntheticStudy(mib(128), 3);
        QVERIFY(study.runs.back().wall < std::chrono::milliseconds(40));
        Study growing = study;
        growing.runs.clear();
        panel_->begin(study);
        panel_->setMeasuring(true);
        for (const RunRecord& run : study.runs) {
            panel_->runStarted(run.arm, run.phase, run.round);
            growing.runs.push_back(run);
            panel_->runEnded(growing);
        }
        panel_->setMeasuring(false);
        settle();
        const auto& throughput = plotOf(*panel_, LivePlotKind::throughput)->series();
        QCOMPARE(throughput.size(), std::size_t{4});
        for (const LiveSeries& series : throughput) {
            QVERIFY(series.points.size() >= 256);
        }
        for (const LivePlotKind kind : kKinds) {
            QVERIFY(pointsOf(*panel_, kind) > 0);
            QVERIFY(plotOf(*panel_, kind)->drawnPoints() > 0);
        }
    }

    void drawnPointsAreBoundedByTheWidth() {
        panel_->showStudy(syntheticStudy(gib(8), 1));
        settle();
        for (const LivePlotKind kind : kKinds) {
            const LivePlot* plot = plotOf(*panel_, kind);
            const auto perSeries = static_cast<std::size_t>(plot->axisRect()->width() / 2 + 2);
            QVERIFY(plot->drawnPoints() <= perSeries * plot->series().size());
        }
    }

    void memoryIsBoundedAfterAMillionSamples() {
        const Study study = syntheticStudy(mib(128), 1);
        panel_->begin(study);
        panel_->runStarted(1, Phase::measured, 1);
        std::vector<Sample> batch(1000);
        for (int i = 0; i < 1000; ++i) {
            for (int j = 0; j < 1000; ++j) {
                Sample& sample = batch[static_cast<std::size_t>(j)];
                sample.tNs = (static_cast<std::int64_t>(i) * 1000 + j + 1) * 10000000;
                sample.bytesIn = static_cast<std::uint64_t>(sample.tNs);
                sample.rssAnon = mib(1).count();
            }
            panel_->addSamples(1, batch);
        }
        settle();
        QVERIFY2(panel_->keptPoints() <= 2 * 4096, qPrintable(QString::number(panel_->keptPoints())));
        QVERIFY(pointsOf(*panel_, LivePlotKind::memory) > 0);
    }

    void allPlotsShareX() {
        panel_->showStudy(syntheticStudy());
        settle();
        const QCPRange before = panel_->plot(LivePlotKind::memory)->xAxis->range();
        LivePlot* plot = plotOf(*panel_, LivePlotKind::faults);
        const QPointF centre = plot->axisRect()->rect().center();
        QWheelEvent wheel(centre, plot->mapToGlobal(centre), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot, &wheel);
        settle();
        const QCPRange zoomed = panel_->plot(LivePlotKind::memory)->xAxis->range();
        QVERIFY(zoomed.size() < before.size() * 0.8);
        for (const LivePlotKind kind : kKinds) {
            QCOMPARE(panel_->plot(kind)->xAxis->range(), zoomed);
            QCOMPARE(panel_->plot(kind)->axisRect()->left(), plot->axisRect()->left());
            QCOMPARE(panel_->plot(kind)->axisRect()->right(), plot->axisRect()->right());
        }
        QTest::mousePress(plot, Qt::LeftButton, {}, centre.toPoint());
        QTest::mouseMove(plot, centre.toPoint() + QPoint(80, 0));
        QMouseEvent move(QEvent::MouseMove, centre + QPointF(80, 0),
                         plot->mapToGlobal(centre + QPointF(80, 0)), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(plot, &move);
        QTest::mouseRelease(plot, Qt::LeftButton, {}, centre.toPoint() + QPoint(80, 0));
        settle();
        QVERIFY(panel_->plot(LivePlotKind::throughput)->xAxis->range().lower < zoomed.lower);
        QTest::mouseDClick(plot, Qt::LeftButton, {}, centre.toPoint());
        settle();
        QVERIFY(std::abs(panel_->plot(LivePlotKind::hugePages)->xAxis->range().size() / before.size() - 1) <
                0.01);
    }

    void keysDoWhatTheMouseDoes() {
        panel_->showStudy(syntheticStudy());
        settle();
        LivePlot* plot = plotOf(*panel_, LivePlotKind::throughput);
        const double whole = plot->xAxis->range().size();
        QTest::keyClick(plot, Qt::Key_Plus);
        settle();
        QVERIFY(plot->xAxis->range().size() < whole);
        QTest::keyClick(plot, Qt::Key_Home);
        settle();
        QVERIFY(std::abs(plot->xAxis->range().size() / whole - 1) < 0.01);
        QSignalSpy hovered(plot, &LivePlot::hovered);
        QTest::keyClick(plot, Qt::Key_Left);
        QCOMPARE(hovered.count(), 1);
    }

    void theReadoutNamesAllArms() {
        panel_->showStudy(syntheticStudy());
        settle();
        LivePlot* plot = plotOf(*panel_, LivePlotKind::throughput);
        emit plot->hovered(0.010);
        QString said;
        for (const QLabel* label : panel_->findChildren<QLabel*>()) {
            if (label->text().startsWith(QStringLiteral("10.0 ms: "))) {
                said = label->text();
            }
        }
        for (const char* word : {"read", "mmap", "mmap-populate", "hugetlb-memfd", "GiB/s"}) {
            QVERIFY2(said.contains(QLatin1String(word)), qPrintable(said));
        }
    }

    void armsAreHiddenAndShown() {
        panel_->showStudy(syntheticStudy());
        settle();
        panel_->setArmVisible(1, false);
        settle();
        QVERIFY(!panel_->isArmVisible(1));
        for (const LivePlotKind kind : kKinds) {
            for (const LiveSeries& series : plotOf(*panel_, kind)->series()) {
                QVERIFY(series.arm != 1);
            }
        }
        const auto buttons = panel_->findChildren<QToolButton*>();
        const auto legend = std::find_if(buttons.begin(), buttons.end(), [](const QToolButton* button) {
            return button->text() == QStringLiteral("mmap");
        });
        QVERIFY(legend != buttons.end());
        QVERIFY(!(*legend)->isChecked());
        QTest::keyClick(*legend, Qt::Key_Space);
        QVERIFY(panel_->isArmVisible(1));
        settle();
        QCOMPARE(plotOf(*panel_, LivePlotKind::throughput)->series().size(), std::size_t{4});
        emit plotOf(*panel_, LivePlotKind::throughput)->armClicked(2);
        QVERIFY(!panel_->isArmVisible(2));
    }

    void theReplayAdvancesAndEnds() {
        QVERIFY(!panel_->canReplay());
        panel_->startReplay(10);
        QVERIFY(!panel_->isReplaying());
        panel_->showStudy(syntheticStudy());
        settle();
        const std::size_t whole = pointsOf(*panel_, LivePlotKind::throughput);
        QSignalSpy finished(panel_.get(), &LivePanel::replayFinished);
        panel_->startReplay(10);  // 32 ms of runs in a third of a second
        QVERIFY(panel_->isReplaying());
        std::size_t last = 0;
        bool partly = false;
        while (panel_->isReplaying() && finished.isEmpty()) {
            QTest::qWait(20);
            const std::size_t now = pointsOf(*panel_, LivePlotKind::throughput);
            QVERIFY(now >= last);
            partly = partly || (now > 0 && now < whole);
            last = now;
        }
        QVERIFY(partly);
        QTRY_COMPARE(finished.count(), 1);
        QTRY_COMPARE(pointsOf(*panel_, LivePlotKind::throughput), whole);
        panel_->startReplay(1000);
        panel_->setMeasuring(true);
        QVERIFY(!panel_->isReplaying() && !panel_->canReplay());
    }

    void measuringRefreshesFourTimesASecondAtMost() {
        const Study study = syntheticStudy(mib(128), 1);
        panel_->begin(study);
        panel_->setMeasuring(true);
        QTest::qWait(300);
        QSignalSpy replots(panel_->plot(LivePlotKind::throughput), &QCustomPlot::afterReplot);
        panel_->runStarted(0, Phase::measured, 1);
        QElapsedTimer timer;
        timer.start();
        std::int64_t t = 0;
        while (timer.elapsed() < 1500) {
            Sample sample;
            sample.tNs = t += 1000000;
            sample.bytesIn = static_cast<std::uint64_t>(t);
            panel_->addSamples(0, std::span(&sample, 1));
            QTest::qWait(2);
        }
        QVERIFY2(replots.count() >= 1, "nothing was drawn");
        QVERIFY2(replots.count() <= 4 * timer.elapsed() / 1000 + 1,
                 qPrintable(QString::number(replots.count())));
    }

    void everyPlotSaysWhatItShows() {
        for (const LivePlotKind kind : kKinds) {
            QVERIFY(!panel_->plot(kind)->accessibleName().isEmpty());
            QVERIFY(panel_->plot(kind)->accessibleDescription().contains(QStringLiteral("no run yet")));
        }
        panel_->showStudy(syntheticStudy());
        QVERIFY(panel_->plot(LivePlotKind::throughput)
                    ->accessibleDescription()
                    .contains(QStringLiteral("mmap 6.")));
        QVERIFY(panel_->plot(LivePlotKind::faults)
                    ->accessibleDescription()
                    .contains(QStringLiteral("mmap 2,080 minor")));
        QVERIFY(panel_->plot(LivePlotKind::memory)
                    ->accessibleDescription()
                    .contains(QStringLiteral("hugetlb pages")));
        panel_->clear();
        QVERIFY(panel_->plot(LivePlotKind::memory)
                    ->accessibleDescription()
                    .contains(QStringLiteral("no run yet")));
    }

    void axesAndTotalsCanBeSwitched() {
        panel_->showStudy(syntheticStudy());
        panel_->setBytesAxis(true);
        panel_->setFaultTotals(true);
        settle();
        for (const LiveSeries& series : plotOf(*panel_, LivePlotKind::faults)->series()) {
            QVERIFY(std::abs(series.points.back().x - 128) < 0.01);  // MiB
            if (series.arm == 1) {
                QCOMPARE(series.points.back().y, 2080.0);
            }
        }
    }

    void aPaletteChangeRestyles() {
        panel_->showStudy(syntheticStudy());
        settle();
        const QColor light = plotOf(*panel_, LivePlotKind::throughput)->series().front().pen.color();
        QPalette dark;
        dark.setColor(QPalette::Base, QColor(20, 23, 27));
        dark.setColor(QPalette::Window, QColor(29, 33, 38));
        dark.setColor(QPalette::Text, QColor(230, 230, 230));
        panel_->setPalette(dark);
        settle();
        QVERIFY(plotOf(*panel_, LivePlotKind::throughput)->series().front().pen.color() != light);
    }

    void framesAreCheap() {
        std::vector<SyntheticArm> arms = syntheticArms();
        arms.resize(4);
        panel_->showStudy(syntheticStudy(gib(240), 1, arms));  // runs of 36 to 60 s: up to 6,000 samples
        settle();
        QTest::qWait(250);
        constexpr int kFrames = 40;
        QElapsedTimer timer;
        LivePlot* plot = plotOf(*panel_, LivePlotKind::throughput);
        const QCPRange whole = plot->xAxis->range();
        timer.start();
        for (int frame = 0; frame < kFrames; ++frame) {
            const double shift = whole.size() * 0.01 * frame;
            for (const LivePlotKind kind : kKinds) {
                LivePlot* one = plotOf(*panel_, kind);
                one->xAxis->setRange(whole.lower + shift, whole.upper + shift);
                one->setSharpEdges(true);
                one->decimate();
                one->replot(QCustomPlot::rpImmediateRefresh);
            }
        }
        qInfo("4 plots x %d series, %zu points kept: %.1f ms a frame",
              static_cast<int>(plot->series().size()), panel_->keptPoints(),
              static_cast<double>(timer.nsecsElapsed()) / 1e6 / kFrames);
        QVERIFY(plot->drawnPoints() > 0);

        // A replay builds its lines anew for every frame.
        QSignalSpy replots(plot, &QCustomPlot::afterReplot);
        timer.restart();
        panel_->startReplay(0);
        QTest::qWait(1000);
        const auto frames = static_cast<double>(replots.count());
        qInfo("replay: %.0f frames a second", frames * 1e3 / static_cast<double>(timer.elapsed()));
        QVERIFY(frames > 0);
    }

  private:
    std::unique_ptr<LivePanel> panel_;
};

QTEST_MAIN(TestLivePanel)
#include "tst_live_panel.moc"
