// What stands behind Live's lines: rates from stamps, rows from samples, the arms' runs, the replay's clock.
#include <QtTest>
#include <cmath>
#include <numeric>

#include "tests/widgets/synthetic_study.h"
#include "widgets/live_store.h"
#include "widgets/live_view.h"
#include "widgets/replay_clock.h"
#include "widgets/stamp_rates.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

Sample sampleAt(std::int64_t milliseconds, std::uint64_t bytes) {
    Sample sample;
    sample.tNs = milliseconds * 1000000;
    sample.bytesIn = bytes;
    return sample;
}

/// Area under the evenly spaced rates.
double integral(const std::vector<RateRow>& rows, double RateRow::*rate) {
    double sum = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        sum += (rows[i].*rate + rows[i - 1].*rate) / 2 * (rows[i].seconds - rows[i - 1].seconds);
    }
    return sum;
}

}  // namespace

class TestLiveData : public QObject {
    Q_OBJECT

  private slots:
    void ratesIntegrateToTheRunsTotals() {
        const Study study = syntheticStudy(mib(128), 1);
        for (const RunRecord& run : study.runs) {
            const auto rows = ratesOf(run.stamps, 1024);
            QCOMPARE(rows.size(), std::size_t{1024});
            QCOMPARE(rows.front().seconds, 0.0);
            QCOMPARE(rows.back().bytes, static_cast<double>(run.bytesIn.count()));
            const double bytes = integral(rows, &RateRow::bytesPerSecond);
            QVERIFY2(std::abs(bytes / static_cast<double>(run.bytesIn.count()) - 1) < 0.02,
                     qPrintable(QString::number(bytes)));
            const double faults = integral(rows, &RateRow::minorFaultsPerSecond);
            QVERIFY(std::abs(faults / static_cast<double>(run.minorFaults) - 1) < 0.02);
        }
    }

    void aLateStampIsNoSpike() {
        Stamps stamps;
        for (int i = 0; i <= 300; ++i) {
            stamps.tNs.push_back(i * 100000 + (i % 2 == 1 ? 90000 : 0));  // every other one 90 % late
            stamps.bytes.push_back(static_cast<std::uint64_t>(i) * 65536);
            stamps.minorFaults.push_back(0);
        }
        const double mean = 300 * 65536 / 0.03;
        for (const RateRow& row : ratesOf(stamps, 500)) {
            QVERIFY2(row.bytesPerSecond > mean * 0.8 && row.bytesPerSecond < mean * 1.2,
                     qPrintable(QString::number(row.bytesPerSecond / mean)));
        }
    }

    void setupIsShownAsNothingDelivered() {
        Stamps stamps;
        stamps.tNs = {0, 10000000};
        stamps.bytes = {0, 0};
        stamps.minorFaults = {0, 0};
        for (int i = 1; i <= 256; ++i) {
            stamps.tNs.push_back(10000000 + i * 40000);
            stamps.bytes.push_back(static_cast<std::uint64_t>(i) * 65536);
            stamps.minorFaults.push_back(0);
        }
        for (const RateRow& row : ratesOf(stamps, 256)) {
            if (row.seconds < 0.0095) {
                QCOMPARE(row.bytesPerSecond, 0.0);
            }
        }
    }

    void damagedStampsGiveNoNonsense_data() {
        QTest::addColumn<QList<qint64>>("times");
        QTest::newRow("none") << QList<qint64>{};
        QTest::newRow("one") << QList<qint64>{5};
        QTest::newRow("no time passes") << QList<qint64>{0, 0, 0};
        QTest::newRow("backwards") << QList<qint64>{0, 100, 50, 200, 10, 300};
        QTest::newRow("negative") << QList<qint64>{-100, -50, -10};
    }
    void damagedStampsGiveNoNonsense() {
        QFETCH(QList<qint64>, times);
        Stamps stamps;
        for (const qint64 t : times) {
            stamps.tNs.push_back(t);
            stamps.bytes.push_back(static_cast<std::uint64_t>(stamps.tNs.size()));
            stamps.minorFaults.push_back(0);
        }
        stamps.bytes.push_back(7);  // columns of different length
        for (const RateRow& row : ratesOf(stamps, 100)) {
            QVERIFY(std::isfinite(row.bytesPerSecond));
            QVERIFY(row.bytesPerSecond >= 0);
        }
    }

    void aTrackIsBoundedAndKeepsSpikes() {
        LiveTrack track;
        for (int i = 0; i < 1000000; ++i) {
            LiveRow row;
            row.seconds = i * 0.01;
            row[LiveColumn::anon] = i == 123456 ? 1e9 : 5;
            row[LiveColumn::file] = i == 654321 ? 1 : 500;
            track.append(row);
        }
        QVERIFY(track.rows().size() <= LiveTrack::kMaxRows);
        QCOMPARE(track.highest(LiveColumn::anon), 1e9);
        double lowest = 500;
        for (const LiveRow& row : track.rows()) {
            lowest = std::min(lowest, row[LiveColumn::file]);
        }
        QCOMPARE(lowest, 1.0);
        QVERIFY(std::is_sorted(track.rows().begin(), track.rows().end(),
                               [](const LiveRow& a, const LiveRow& b) { return a.seconds < b.seconds; }));
        QVERIFY(std::isnan(track.highest(LiveColumn::huge)));
        QVERIFY(track.series(LiveColumn::huge, false, 1, 1e9).empty());
    }

    void samplesBecomeRatesOverTheWindow() {
        SampleFeed feed;
        LiveTrack track;
        for (int i = 1; i <= 20; ++i) {
            // The counter moves at every second sample only.
            feed.feed(sampleAt(i * 10, static_cast<std::uint64_t>(i / 2) * 2000000), track);
        }
        const LiveRow& last = track.rows().back();
        QCOMPARE(last.seconds, 0.2);
        QVERIFY(std::abs(last[LiveColumn::throughput] / 1e8 - 1) < 0.25);
        QVERIFY(std::isnan(last[LiveColumn::anon]));  // not available is not 0
    }

    void theFinishedRunReplacesTheLivePoints() {
        const Study study = syntheticStudy(mib(128), 1);
        LiveStore store;
        store.begin(study);
        store.runStarted(1, Phase::measured, 1);
        const std::vector<Sample> live{sampleAt(1, 100), sampleAt(11, 200)};
        store.addSamples(1, live);
        QVERIFY(store.arms()[1].running);
        QVERIFY(!store.arms()[1].finished);
        QCOMPARE(store.arms()[1].levels.rows().size(), std::size_t{2});
        store.runEnded(study.runs[1]);
        const LiveArm& arm = store.arms()[1];
        QVERIFY(arm.finished && !arm.running);
        QVERIFY(arm.rates.rows().size() >= 256);
        QCOMPARE(arm.wall, study.runs[1].wall);
        // The next run's line appears with its first sample, not before.
        store.runStarted(1, Phase::measured, 2);
        QVERIFY(store.arms()[1].finished);
        store.addSamples(1, live);
        QVERIFY(!store.arms()[1].finished);
        QVERIFY(store.arms()[1].rates.isEmpty());
    }

    void aFailedRunLeavesTheLineAndSaysWhy() {
        Study study = syntheticStudy(mib(128), 1);
        LiveStore store;
        store.begin(study);
        store.runEnded(study.runs[0]);
        RunRecord failed;
        failed.arm = 0;
        failed.status = RunStatus::failed;
        failed.error = "file changed while it was read";
        store.runEnded(failed);
        QVERIFY(store.arms()[0].finished);
        QCOMPARE(store.arms()[0].problem, QStringLiteral("file changed while it was read"));
    }

    void showsTheLastGoodMeasuredRun() {
        Study study = syntheticStudy(mib(128), 3);
        RunRecord late = study.runs[0];  // an inspection run after the measured ones
        late.wall = std::chrono::hours(1);
        study.runs.push_back(late);
        LiveStore store;
        store.showStudy(study);
        for (const LiveArm& arm : store.arms()) {
            QCOMPARE(arm.phase, Phase::measured);
            QCOMPARE(arm.round, 3U);
        }
    }

    void theInspectionRunsMappingIsKept() {
        Study study = syntheticStudy(mib(128), 2);
        for (RunRecord& run : study.runs) {
            std::vector<Sample> samples(run.sampling.samples.begin(), run.sampling.samples.end());
            for (Sample& sample : samples) {
                sample.thpEligible = sample.anonHuge = sample.filePmdMapped = sample.shmemPmdMapped =
                    kNotAvailable;
            }
            run.sampling.samples = samples;
            if (run.phase == Phase::inspection && run.arm == 1) {
                run.mapping.emplace();
                run.mapping->thpEligible = false;
                run.mapping->filePmdMapped = mib(118);
            }
        }
        LiveStore store;
        store.showStudy(study);
        QCOMPARE(store.arms()[1].inspectedValue(LiveColumn::pmdMapped),
                 static_cast<double>(mib(118).count()));
        QCOMPARE(store.arms()[1].inspectedValue(LiveColumn::thpEligible), 0.0);
        QVERIFY(std::isnan(store.arms()[1].inspectedValue(LiveColumn::anonHuge)));
        const auto points = pointsOf(store.arms()[1], LiveColumn::pmdMapped, {});
        QVERIFY(points && points->fromInspection);
        QCOMPARE(points->highest, 118.0);
        QVERIFY(!pointsOf(store.arms()[0], LiveColumn::pmdMapped, {}));  // not available is no line at 0
    }

    void indicesOutsideTheStudyAreIgnored() {
        const Study study = syntheticStudy(mib(1), 1);
        LiveStore store;
        store.begin(study);
        const std::vector<Sample> samples{sampleAt(1, 1)};
        store.runStarted(99, Phase::measured, 1);
        store.addSamples(99, samples);
        RunRecord stray = study.runs[0];
        stray.arm = 99;
        store.runEnded(stray);
        store.setVisible(99, false);
        QVERIFY(!store.hasPoints());
    }

    void theReplayRunsAtItsSpeedAndEnds() {
        ReplayClock clock;
        clock.start(0.02, 100);
        QVERIFY(clock.isPlaying());
        clock.advance(1);
        QCOMPARE(clock.position(), 0.01);
        clock.pause();
        clock.advance(1);
        QCOMPARE(clock.position(), 0.01);
        clock.resume();
        clock.advance(5);
        QCOMPARE(clock.position(), 0.02);
        QVERIFY(!clock.isPlaying() && clock.atEnd());
        clock.resume();
        QCOMPARE(clock.position(), 0.0);
        clock.start(0.02, 0);
        clock.advance(ReplayClock::kFitSeconds / 2);
        QCOMPARE(clock.position(), 0.01);
        clock.start(0, 10);
        QVERIFY(!clock.isPlaying());
    }
};

QTEST_GUILESS_MAIN(TestLiveData)
#include "tst_live_data.moc"
