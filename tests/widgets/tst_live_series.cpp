// The series that can be chosen in Live: their rates, which plots they bring, the menu, and why one is
// absent.
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/widgets/synthetic_study.h"
#include "widgets/live_panel.h"
#include "widgets/live_plot.h"
#include "widgets/live_series_menu.h"
#include "widgets/live_view.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr std::array kKinds{LivePlotKind::throughput, LivePlotKind::faults,  LivePlotKind::memory,
                            LivePlotKind::hugePages,  LivePlotKind::storage, LivePlotKind::scheduling,
                            LivePlotKind::machine,    LivePlotKind::pressure};

Sample sampleAt(std::int64_t milliseconds) {
    Sample sample;
    sample.tNs = milliseconds * 1000000;
    sample.bytesIn = static_cast<std::uint64_t>(milliseconds) * 1000;
    return sample;
}

LivePlot* plotOf(const LivePanel& panel, LivePlotKind kind) {
    return qobject_cast<LivePlot*>(panel.plot(kind));
}

QStringList allKeys() {
    return keysOf(SeriesSet().set());
}

/// One arm cold and slow enough for the machine's counters to be looked at many times.
Study longStudy() {
    std::vector<SyntheticArm> arms = syntheticArms();
    arms[0].majorFaults = 500;
    return syntheticStudy(gib(8), 1, arms);
}

bool isNear(double value, double wanted, double share) {
    return std::abs(value - wanted) <= wanted * share;
}

void settle() {
    QTest::qWait(60);
}

}  // namespace

class TestLiveSeries : public QObject {
    Q_OBJECT

  private slots:
    void countersBecomeRates() {
        SampleFeed feed;
        LiveTrack track;
        for (int t = 0; t <= 300; t += 10) {
            Sample sample = sampleAt(t);
            sample.storageRead = 700000000 + static_cast<std::uint64_t>(t) * 1000;  // since the process began
            sample.voluntarySwitches = static_cast<std::uint64_t>(t) / 10;
            sample.involuntarySwitches = static_cast<std::uint64_t>(t) / 5;
            feed.feed(sample, track);
        }
        QVERIFY(std::isnan(track.rows().front()[LiveColumn::storageRate]));
        QVERIFY(isNear(track.highest(LiveColumn::storageRate), 1e6, 0.01));
        QVERIFY(isNear(track.rows().back()[LiveColumn::voluntaryRate], 100, 0.01));
        QVERIFY(isNear(track.rows().back()[LiveColumn::involuntaryRate], 200, 0.01));
        for (const LiveColumn column : {LiveColumn::shootdownRate, LiveColumn::refaultRate,
                                        LiveColumn::memoryPressure, LiveColumn::ioPressure}) {
            QVERIFY(std::isnan(track.highest(column)));  // not available is not 0
        }
    }

    /// The machine is looked at every 100 ms; the samples between repeat what was seen. No bursts and no
    /// zeros come of that.
    void repeatedFiguresAreNoBursts() {
        SampleFeed feed;
        LiveTrack track;
        for (int t = 0; t <= 1000; t += 10) {
            Sample sample = sampleAt(t);
            const auto looked = static_cast<std::uint64_t>(t == 1000 ? t : t > 0 ? (t - 10) / 100 * 100 : 0);
            sample.tlbShootdowns = looked * 5;
            sample.workingsetRefaults = 0;
            sample.pressureMemoryUs = looked * 30;
            sample.pressureIoUs = looked * 250;
            feed.feed(sample, track, t == 1000);
        }
        for (const LiveRow& row : track.rows()) {
            QVERIFY2(isNear(row[LiveColumn::shootdownRate], 5000, 0.12),
                     qPrintable(QString::number(row[LiveColumn::shootdownRate])));
            QVERIFY(isNear(row[LiveColumn::memoryPressure], 3, 0.12));
            QVERIFY(isNear(row[LiveColumn::ioPressure], 25, 0.12));
            QCOMPARE(row[LiveColumn::refaultRate], 0.0);
        }
    }

    void aShortRunsMachineFiguresAreItsMean() {
        SampleFeed feed;
        LiveTrack track;
        for (const int t : {0, 10, 20}) {
            Sample sample = sampleAt(t);
            sample.tlbShootdowns = t == 20 ? 40 : 0;
            feed.feed(sample, track, t == 20);
        }
        for (const LiveRow& row : track.rows()) {
            QCOMPARE(row[LiveColumn::shootdownRate], 2000.0);
        }
        feed.restart();
        feed.feed(sampleAt(30), track);
        QVERIFY(std::isnan(track.rows().back()[LiveColumn::shootdownRate]));
    }

    void aStillMachineIsZeroOnlyOnceItIsKnown() {
        SampleFeed feed;
        LiveTrack track;
        for (int t = 0; t <= 510; t += 10) {
            QVERIFY(std::isnan(track.highest(LiveColumn::shootdownRate)));
            Sample sample = sampleAt(t);
            sample.tlbShootdowns = 0;
            feed.feed(sample, track, t == 510);
        }
        QCOMPARE(track.highest(LiveColumn::shootdownRate), 0.0);
    }

    void hugeBackedIsWhatSmapsAndTheStatusSay() {
        SampleFeed feed;
        LiveTrack track;
        Sample sample = sampleAt(10);
        sample.hugetlb = 4;
        sample.rssFile = 100;
        sample.rssShmem = 7;
        feed.feed(sample, track);
        // Without smaps the file's own large folios are unknown, so the sum is.
        QVERIFY(std::isnan(track.rows().back()[LiveColumn::hugeBacked]));
        QCOMPARE(track.rows().back()[LiveColumn::file], 100.0);
        QCOMPARE(track.rows().back()[LiveColumn::shmem], 7.0);
        sample = sampleAt(20);
        sample.hugetlb = 4;
        sample.anonHuge = 10;
        sample.filePmdMapped = 200;
        sample.shmemPmdMapped = 3000;
        feed.feed(sample, track);
        QCOMPARE(track.rows().back()[LiveColumn::hugeBacked], 3214.0);
    }

    void keysComeBack() {
        SeriesSet set;
        set.set(static_cast<std::size_t>(LiveColumn::ioPressure));
        set.set(static_cast<std::size_t>(LiveColumn::throughput));
        QCOMPARE(seriesOf(keysOf(set)), set);
        QCOMPARE(seriesOf({}), seriesAtFirst());
        QCOMPARE(seriesOf({QStringLiteral("of another version")}), seriesAtFirst());
        QSet<QString> keys;
        for (const SeriesFacts& series : allSeries()) {
            keys.insert(QString::fromLatin1(series.key));
            QVERIFY2(!seriesName(series.column).isEmpty(), series.key);
            QVERIFY2(!seriesUnit(series.column).isEmpty(), series.key);
            QVERIFY2(!seriesSource(series.column).isEmpty(), series.key);
        }
        QCOMPARE(static_cast<std::size_t>(keys.size()), allSeries().size());
    }

    void fourPlotsAreThereAtFirst() {
        const auto panel = shown();
        for (const LivePlotKind kind : kKinds) {
            const bool more = kind >= LivePlotKind::storage;
            QCOMPARE(panel->plot(kind)->isVisible(), !more);
            QCOMPARE(panel->plot(kind)->xAxis->tickLabelColor(),
                     Theme::forPalette(panel->palette()).mutedText());
        }
        QVERIFY(panel->plot(LivePlotKind::hugePages)->xAxis->tickLabels());
    }

    void aTickBringsItsPlot() {
        const auto panel = shown();
        panel->showStudy(longStudy());
        auto* menu = panel->findChild<LiveSeriesMenu*>();
        QSignalSpy changed(panel.get(), &LivePanel::shownSeriesChanged);
        emit menu->aboutToShow();
        menu->actionOf(LiveColumn::refaultRate)->trigger();
        QCOMPARE(changed.count(), 1);
        settle();
        LivePlot* machine = plotOf(*panel, LivePlotKind::machine);
        QVERIFY(machine->isVisible());
        QVERIFY(machine->xAxis->tickLabels());
        QVERIFY(!panel->plot(LivePlotKind::hugePages)->xAxis->tickLabels());
        QVERIFY(panel->plot(LivePlotKind::hugePages)->xAxis->label().isEmpty());
        QVERIFY(!machine->xAxis->label().isEmpty());
        QCOMPARE(machine->series().size(), std::size_t{4});
        QVERIFY(!machine->series().front().rightAxis);  // it is alone
        QVERIFY(panel->shownSeries().contains(QStringLiteral("workingset-refaults")));
        menu->actionOf(LiveColumn::shootdownRate)->trigger();
        settle();
        QCOMPARE(machine->series().size(), std::size_t{8});
        for (const LiveSeries& series : machine->series()) {
            QCOMPARE(series.rightAxis, series.column == LiveColumn::refaultRate);
        }
        menu->actionOf(LiveColumn::shootdownRate)->trigger();
        menu->actionOf(LiveColumn::refaultRate)->trigger();
        QVERIFY(!machine->isVisible());
        menu->actionOf(LiveColumn::minorRate)->trigger();
        settle();
        QVERIFY(panel->plot(LivePlotKind::faults)->isVisible());
        for (const LiveSeries& series : plotOf(*panel, LivePlotKind::faults)->series()) {
            QCOMPARE(series.column, LiveColumn::majorRate);
        }
    }

    void allPlotsTogetherShareXAndReplay() {
        const auto panel = shown();
        panel->setShownSeries(allKeys());
        panel->showStudy(longStudy());
        settle();
        const QCPAxisRect* first = panel->plot(LivePlotKind::throughput)->axisRect();
        const QCPRange range = panel->plot(LivePlotKind::throughput)->xAxis->range();
        for (const LivePlotKind kind : kKinds) {
            LivePlot* plot = plotOf(*panel, kind);
            QVERIFY(plot->isVisible());
            QCOMPARE(plot->xAxis->range(), range);
            QCOMPARE(plot->axisRect()->left(), first->left());
            QCOMPARE(plot->axisRect()->right(), first->right());
            QVERIFY2(!plot->series().empty(), qPrintable(plot->accessibleName()));
            QVERIFY(plot->accessibleDescription().contains(QStringLiteral("read")));
        }
        QVERIFY(panel->plot(LivePlotKind::pressure)
                    ->accessibleDescription()
                    .contains(QStringLiteral("memory pressure up to 0.4 %")));
        QString said;
        for (const LivePlotKind kind : {LivePlotKind::machine, LivePlotKind::pressure}) {
            emit plotOf(*panel, kind)->hovered(0.5);
            for (const QLabel* label : panel->findChildren<QLabel*>()) {
                if (label->text().startsWith(QStringLiteral("500 ms: "))) {
                    said += label->text();
                }
            }
        }
        for (const char* words : {"TLB shootdowns", "refaults", "pages/s", "memory pressure 0.4 %", "mmap"}) {
            QVERIFY2(said.contains(QLatin1String(words)), qPrintable(said));
        }
        panel->startReplay(1000);
        QTest::qWait(100);
        QVERIFY(panel->isReplaying());
        for (const LiveSeries& series : plotOf(*panel, LivePlotKind::scheduling)->series()) {
            QVERIFY(series.points.empty() || series.points.back().x < 0.2);
        }
        panel->stopReplay();
        settle();
        QVERIFY(plotOf(*panel, LivePlotKind::scheduling)->series().front().points.back().x > 1);
    }

    void whatIsAbsentIsGreyWithItsReason() {
        Study study = longStudy();
        for (RunRecord& run : study.runs) {
            std::vector<Sample> samples(run.sampling.samples.begin(), run.sampling.samples.end());
            for (Sample& sample : samples) {
                sample.pressureMemoryUs = sample.tlbShootdowns = kNotAvailable;
            }
            run.sampling.samples = samples;
        }
        const auto panel = shown();
        auto* menu = panel->findChild<LiveSeriesMenu*>();
        emit menu->aboutToShow();
        QVERIFY(menu->actionOf(LiveColumn::memoryPressure)->isEnabled());  // nothing measured: not known
        panel->setShownSeries({QStringLiteral("memory-pressure"), QStringLiteral("throughput")});
        panel->showStudy(study);
        settle();
        emit menu->aboutToShow();
        const QAction* pressure = menu->actionOf(LiveColumn::memoryPressure);
        QVERIFY(!pressure->isEnabled());
        QVERIFY(pressure->text().contains(QStringLiteral("not available here")));
        QVERIFY2(pressure->toolTip().contains(QStringLiteral("psi=1")), qPrintable(pressure->toolTip()));
        QVERIFY(menu->actionOf(LiveColumn::shootdownRate)->toolTip().contains(QStringLiteral("x86")));
        QVERIFY(menu->actionOf(LiveColumn::ioPressure)->isEnabled());
        QVERIFY(plotOf(*panel, LivePlotKind::pressure)->series().empty());  // no flat 0
        LiveStore store;
        store.showStudy(study);
        LiveOptions options;
        options.series = seriesOf(panel->shownSeries());
        QVERIFY(emptyTextOf(LivePlotKind::pressure, store, options)
                    .startsWith(QStringLiteral("Not available here: ")));
        QVERIFY(!whyAbsent(LiveColumn::ioPressure, store));
    }

    void runsWithoutSamplesSaySo() {
        Study study = longStudy();
        for (RunRecord& run : study.runs) {
            run.sampling.samples.clear();
        }
        LiveStore store;
        store.showStudy(study);
        QVERIFY(!whyAbsent(LiveColumn::throughput, store));
        QVERIFY(!whyAbsent(LiveColumn::minorRate, store));
        const auto reason = whyAbsent(LiveColumn::storageRate, store);
        QVERIFY(reason && reason->contains(QStringLiteral("without samples")));
    }

    void theLastSeriesStays() {
        const auto panel = shown();
        panel->setShownSeries({QStringLiteral("throughput")});
        auto* menu = panel->findChild<LiveSeriesMenu*>();
        emit menu->aboutToShow();
        QVERIFY(!menu->actionOf(LiveColumn::throughput)->isEnabled());
        menu->actionOf(LiveColumn::anon)->trigger();
        QVERIFY(menu->actionOf(LiveColumn::throughput)->isEnabled());
        menu->actions().back()->trigger();
        QCOMPARE(panel->shownSeries(), keysOf(seriesAtFirst()));
    }

    void theMenuIsReachedByKeyAndStaysOpen() {
        const auto panel = shown();
        QToolButton* button = nullptr;
        for (QToolButton* one : panel->findChildren<QToolButton*>()) {
            button = one->accessibleName() == QStringLiteral("Series") ? one : button;
        }
        QVERIFY(button != nullptr);
        QVERIFY(button->focusPolicy() & Qt::TabFocus);
        QVERIFY(!button->shortcut().isEmpty());
        auto* menu = panel->findChild<LiveSeriesMenu*>();
        QCOMPARE(button->menu(), menu);
        emit menu->aboutToShow();
        menu->popup(panel->mapToGlobal(QPoint(50, 50)));
        QTRY_VERIFY(menu->isVisible());
        QAction* storage = menu->actionOf(LiveColumn::storageRate);
        menu->setActiveAction(storage);
        QTest::keyClick(menu, Qt::Key_Space);
        QVERIFY(storage->isChecked());
        QVERIFY(menu->isVisible());
        QVERIFY(panel->plot(LivePlotKind::storage)->isVisible());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(storage).center());
        QVERIFY(!storage->isChecked());
        QVERIFY(menu->isVisible());
        QTest::keyClick(menu, Qt::Key_Escape);
        QVERIFY(!menu->isVisible());
    }

    void theHugePagesPlotTellsEligibleFromBacked() {
        const auto panel = shown();
        const QString help = panel->plot(LivePlotKind::hugePages)->toolTip();
        QVERIFY2(help.contains(QStringLiteral("Eligible is not huge-backed")), qPrintable(help));
        QVERIFY(panel->plot(LivePlotKind::machine)->toolTip().contains(QStringLiteral("whole machine")));
    }

    void framesStayCheapWithEverythingOn() {
        const auto panel = shown();
        panel->setShownSeries(allKeys());
        std::vector<SyntheticArm> arms = syntheticArms();
        arms[0].majorFaults = 500;
        panel->showStudy(syntheticStudy(gib(240), 1, arms));
        settle();
        QTest::qWait(250);
        constexpr int kFrames = 20;
        QElapsedTimer timer;
        const QCPRange whole = panel->plot(LivePlotKind::throughput)->xAxis->range();
        timer.start();
        for (int frame = 0; frame < kFrames; ++frame) {
            for (const LivePlotKind kind : kKinds) {
                LivePlot* plot = plotOf(*panel, kind);
                plot->xAxis->setRange(whole + whole.size() * 0.01 * frame);
                plot->setSharpEdges(true);
                plot->decimate();
                plot->replot(QCustomPlot::rpImmediateRefresh);
            }
        }
        const double pan = static_cast<double>(timer.nsecsElapsed()) / 1e6 / kFrames;
        std::size_t series = 0;
        for (const LivePlotKind kind : kKinds) {
            const LivePlot* plot = plotOf(*panel, kind);
            series += plot->series().size();
            QVERIFY(plot->drawnPoints() <=
                    static_cast<std::size_t>(plot->axisRect()->width() / 2 + 2) * plot->series().size());
        }
        QSignalSpy replots(plotOf(*panel, LivePlotKind::throughput), &QCustomPlot::afterReplot);
        timer.restart();
        panel->startReplay(0);
        QTest::qWait(1000);
        const double replay =
            static_cast<double>(replots.count()) * 1e3 / static_cast<double>(timer.elapsed());
        qInfo("8 plots, %zu series: %.1f ms a frame; replay: %.0f frames a second", series, pan, replay);
        QVERIFY(replots.count() > 0);
    }

  private:
    static std::unique_ptr<LivePanel> shown() {
        auto panel = std::make_unique<LivePanel>();
        panel->resize(1000, 1100);
        panel->show();
        if (!QTest::qWaitForWindowExposed(panel.get())) {
            qFatal("the panel can't be shown");
        }
        return panel;
    }
};

QTEST_MAIN(TestLiveSeries)
#include "tst_live_series.moc"
