// Sweeps: the grid, refinement, crossovers, stopping and going on.
#include <QtTest>
#include <map>
#include <set>

#include "engine/study/runner_fixture.h"
#include "report/study_file.h"
#include "study/sweep.h"
#include "study/sweep_points.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

constexpr std::uint64_t kFile = 100'000;

std::uint64_t sizeOf(const RunRequest& run) {
    return run.ranges.back().end.count();
}

/// mmap is faster below `cross` and slower above, by 20 % and `noise`.
std::function<Nanoseconds(const RunRequest&, unsigned)> crossingAt(std::uint64_t cross) {
    return [cross](const RunRequest& run, unsigned before) {
        const auto size = static_cast<double>(sizeOf(run));
        const double factor = run.source != "mmap" ? 1 : size < static_cast<double>(cross) ? 0.8 : 1.2;
        return Nanoseconds(static_cast<Nanoseconds::rep>(size * 1000 * factor * (1 + 0.001 * (before % 3))));
    };
}

}  // namespace

class TestSweep : public QObject, private RunnerFixture {
    Q_OBJECT

  private slots:
    void init() {
        reset();
        arms({"read", "mmap"});
        request_.warmups = 0;
    }
    void sizesOfAGrid();
    void endsFirst();
    void aCrossoverIsFoundToTenPercent_data();
    void aCrossoverIsFoundToTenPercent();
    void bothDirections();
    void none();
    void tiesLieInside();
    void fasterThenTied();
    void theBudgetHolds();
    void whatChanceMadeIsNoCrossover();
    void roomUnderTheCap();
    void differentSizesAreNotCompared();
    void stoppedAtAnyMomentAndResumed();
    void progressTellsTheTimeLeft();
    void keptInTheFile();
    void resumingRefusesWhatChanged();
    void unfitSizes_data();
    void unfitSizes();

  private:
    SweepRequest asked(const std::vector<std::uint64_t>& sizes, unsigned more = 12) {
        SweepRequest request{request_, {}, more};
        for (const std::uint64_t size : sizes) {
            request.sizes.emplace_back(size);
        }
        return request;
    }
    static Study sweep(FakeWorld& world, const SweepRequest& request, const StudyEvents& events = {},
                       std::stop_token stop = {}) {
        auto planned = planSweep(request);
        if (!planned) {
            qFatal("%s", planned.error().message.c_str());
        }
        return runSweepWith(world.backend(), *planned, request, events, std::move(stop));
    }
};

void TestSweep::sizesOfAGrid() {
    const auto sizes = logSizes(mib(32), mib(512), 5);
    QCOMPARE(sizes.size(), std::size_t(5));
    QCOMPARE(sizes.front().count(), mib(32).count());
    QCOMPARE(sizes[2].count(), mib(128).count());
    QCOMPARE(sizes.back().count(), mib(512).count());
    QCOMPARE(fineGridPoints(mib(32), mib(33)), std::uint64_t(2));
}

void TestSweep::endsFirst() {
    FakeWorld world;
    std::vector<std::uint64_t> order;
    world.wall = crossingAt(kFile * 2);
    world.change = [&](const RunRequest& run, RunRecord&, unsigned) {
        if (order.empty() || order.back() != sizeOf(run)) {
            order.push_back(sizeOf(run));
        }
    };
    const Study study = sweep(world, asked({20'000, 10'000, 40'000, kFile}));
    QCOMPARE(order, (std::vector<std::uint64_t>{kFile, 10'000, 40'000, 20'000}));
    QVERIFY(study.complete && study.sweep->complete);
    for (const RunRecord& run : study.runs) {
        QVERIFY(run.limit.has_value());
    }
}

void TestSweep::aCrossoverIsFoundToTenPercent_data() {
    QTest::addColumn<qulonglong>("at");
    QTest::newRow("low") << 13'000ULL;
    QTest::newRow("in the middle") << 41'000ULL;
    QTest::newRow("high") << 91'000ULL;
}

void TestSweep::aCrossoverIsFoundToTenPercent() {
    QFETCH(qulonglong, at);
    FakeWorld world;
    world.wall = crossingAt(at);
    const Study study = sweep(world, asked({10'000, 30'000, kFile}));
    QCOMPARE(study.crossovers.size(), std::size_t(1));
    const Crossover& c = study.crossovers.front();
    QCOMPARE(c.arm, 1U);
    QCOMPARE(c.baseline, 0U);
    QVERIFY(c.fasterBelow);
    QVERIFY2(c.low.count() < at && at <= c.high.count(),
             qPrintable(QString("%1 to %2").arg(c.low.count()).arg(c.high.count())));
    QVERIFY(static_cast<double>(c.high.count()) / static_cast<double>(c.low.count()) <= 1.1 / 0.9);
    QVERIFY(c.low < c.size && c.size < c.high);
    QVERIFY(study.sweep->runsSaved > 0);
    QVERIFY2(crossoverSentences(study).front().find("mmap: faster than read up to") == 0,
             crossoverSentences(study).front().c_str());
}

void TestSweep::bothDirections() {
    FakeWorld world;
    world.wall = [](const RunRequest& run, unsigned) {
        const auto size = static_cast<double>(sizeOf(run));
        const bool slower = run.source == "mmap" && (size < 20'000 || size > 60'000);
        return Nanoseconds(static_cast<Nanoseconds::rep>(size * 100 *
                                                         (run.source != "mmap" ? 1.0
                                                          : slower             ? 1.2
                                                                               : 0.8)));
    };
    const Study study = sweep(world, asked({10'000, 40'000, kFile}, 20));
    QCOMPARE(study.crossovers.size(), std::size_t(2));
    QVERIFY(!study.crossovers[0].fasterBelow && study.crossovers[1].fasterBelow);
}

void TestSweep::none() {
    FakeWorld world;
    world.wall = crossingAt(kFile * 2);
    const Study study = sweep(world, asked({10'000, kFile}));
    QVERIFY(study.crossovers.empty());
    QCOMPARE(sizesOf(study).size(), std::size_t(2));  // nothing to refine
    QVERIFY2(crossoverSentences(study).front().find("mmap: never slower than read between") == 0,
             crossoverSentences(study).front().c_str());
}

void TestSweep::tiesLieInside() {
    FakeWorld world;
    world.wall = [](const RunRequest& run, unsigned) {
        const auto size = static_cast<double>(sizeOf(run));
        const double factor = run.source != "mmap" ? 1 : size < 20'000 ? 0.8 : size > 50'000 ? 1.2 : 1.0;
        return Nanoseconds(static_cast<Nanoseconds::rep>(size * 1000 * factor));
    };
    const Study study = sweep(world, asked({10'000, kFile}, 20));
    QCOMPARE(study.crossovers.size(), std::size_t(1));
    QVERIFY(study.crossovers.front().low.count() < 20'000 && study.crossovers.front().low.count() > 18'000);
    QVERIFY(study.crossovers.front().high.count() > 50'000 && study.crossovers.front().high.count() < 55'000);
    QVERIFY(sizesOf(study).size() < 20);
}

void TestSweep::fasterThenTied() {
    FakeWorld world;
    world.wall = [](const RunRequest& run, unsigned) {
        const auto size = static_cast<double>(sizeOf(run));
        return Nanoseconds(
            static_cast<Nanoseconds::rep>(size * 1000 * (run.source == "mmap" && size < 30'000 ? 0.5 : 1)));
    };
    const Study study = sweep(world, asked({10'000, 20'000, 50'000, kFile}));
    QVERIFY(study.crossovers.empty());
    const std::string words = crossoverSentences(study).front();
    QVERIFY2(words.find("mmap: faster than read up to 19.5 KiB, tied with it from 48.8 KiB on") == 0,
             words.c_str());
}

void TestSweep::theBudgetHolds() {
    FakeWorld world;
    world.wall = crossingAt(41'000);
    QCOMPARE(sizesOf(sweep(world, asked({10'000, kFile}, 2))).size(), std::size_t(4));
    QCOMPARE(sizesOf(sweep(world, asked({10'000, kFile}, 0))).size(), std::size_t(2));
}

/// The first time mmap looks slower at the largest size; the second time it is as fast as read.
void TestSweep::whatChanceMadeIsNoCrossover() {
    FakeWorld world;
    std::map<std::string, unsigned> atTheLargest;
    world.wall = [&](const RunRequest& run, unsigned) {
        const auto size = static_cast<double>(sizeOf(run));
        double factor = 1;
        if (run.source == "mmap") {
            const bool chance =
                sizeOf(run) == kFile && run.phase == Phase::measured && ++atTheLargest["mmap"] <= 6;
            factor = size < 40'000 ? 0.8 : chance ? 1.1 : 1.0;
        }
        return Nanoseconds(static_cast<Nanoseconds::rep>(size * 1000 * factor));
    };
    const Study study = sweep(world, asked({10'000, 30'000, kFile}));
    QVERIFY2(study.crossovers.empty(), crossoverSentences(study).front().c_str());
    QVERIFY(isConfirmed(study, Bytes(kFile)));
    const Study point = pointOf(study, Bytes(kFile));
    QVERIFY(point.summary[1].verdict == Verdict::tied);
    QCOMPARE(point.plan.rounds, 12U);
    QVERIFY2(crossoverSentences(study).front().find("mmap: faster than read up to") == 0,
             crossoverSentences(study).front().c_str());
}

void TestSweep::roomUnderTheCap() {
    Study sweep = emptyStudy({"read", "mmap"});
    QVERIFY(!roomUnderCap(sweep, 0, mib(8)) && !effectiveCap(sweep));
    sweep.plan.memoryCap = mib(64);
    QCOMPARE(roomUnderCap(sweep, 0, mib(8)), std::optional(mib(64)));
    RunRecord run = goodRun(1, Phase::inspection, 0, 1);
    run.limit = mib(8);
    run.peakPrivate = mib(3);
    run.mapping = MappingFacts{};
    run.mapping->pageTables = mib(1);
    run.cap = CapFacts{mib(64), mib(32), {}, {}, false};  // a group above allows half
    sweep.runs.push_back(run);
    QCOMPARE(effectiveCap(sweep), std::optional(mib(32)));
    QCOMPARE(roomUnderCap(sweep, 1, mib(8)), std::optional(mib(28)));
    QCOMPARE(roomUnderCap(sweep, 0, mib(8)), std::optional(mib(32)));  // another arm's memory isn't its own
    sweep.runs.back().peakPrivate = mib(31);
    QCOMPARE(roomUnderCap(sweep, 1, mib(8)), std::optional(mib(16)));
}

void TestSweep::differentSizesAreNotCompared() {
    FakeWorld world;
    world.wall = crossingAt(41'000);
    world.change = [](const RunRequest& run, RunRecord& record, unsigned) {
        record.outcome = Outcome{{{"bytes", sizeOf(run)}, {"sum", sizeOf(run) * 3}}};
    };
    const Study study = sweep(world, asked({10'000, kFile}, 1));
    QVERIFY2(study.warnings.empty(), study.warnings.empty() ? "" : study.warnings.front().c_str());
    QCOMPARE(study.summary[1].outcomesAgree, std::optional(true));
    QVERIFY(study.summary[1].verdict == Verdict::unranked);
    QVERIFY(pointOf(study, Bytes(10'000)).summary[1].verdict == Verdict::faster);
    QVERIFY(pointOf(study, Bytes(kFile)).summary[1].verdict == Verdict::slower);
}

void TestSweep::stoppedAtAnyMomentAndResumed() {
    FakeWorld whole;
    whole.wall = crossingAt(41'000);
    const auto request = asked({10'000, 30'000, kFile}, 3);
    const auto expected = sizesOf(sweep(whole, request));
    for (const unsigned after : {1U, 5U, 13U, 14U, 15U, 27U, 40U, 43U, 55U, 70U}) {
        Study study = *planSweep(request);
        for (unsigned tries = 0; !study.complete && tries < 30; ++tries) {
            FakeWorld world;
            world.wall = crossingAt(41'000);
            std::stop_source stop;
            unsigned runs = 0;
            world.change = [&](const RunRequest&, RunRecord&, unsigned) {
                if (++runs == after) {
                    stop.request_stop();
                }
            };
            // As a kill would leave it: the file as it was saved last.
            study = runSweepWith(world.backend(), *studyFromJson(studyToJson(study)), request, {},
                                 tries > 5 ? std::stop_token() : stop.get_token());
        }
        QVERIFY(study.complete);
        QCOMPARE(sizesOf(study), expected);
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::set<unsigned>> measured;
        for (const RunRecord& run : study.runs) {
            if (run.phase == Phase::measured) {
                const bool fresh = measured[{run.limit->count(), run.arm}].insert(run.round).second;
                QVERIFY2(fresh, "a round twice");
            }
        }
        for (const auto& [point, rounds] : measured) {
            // What the crossover rests on was measured a second time.
            QCOMPARE(rounds.size(),
                     isConfirmed(study, Bytes(point.first)) ? std::size_t(12) : std::size_t(6));
            QCOMPARE(*rounds.rbegin(), static_cast<unsigned>(rounds.size()));
        }
        QVERIFY(isConfirmed(study, study.crossovers.front().low) &&
                isConfirmed(study, study.crossovers.front().high));
    }
}

void TestSweep::progressTellsTheTimeLeft() {
    FakeWorld world;
    world.wall = crossingAt(kFile * 2);
    StudyEvents events;
    std::optional<Nanoseconds> said;
    std::chrono::steady_clock::time_point when;
    double last = 0;
    events.progress = [&](const Progress& p) {
        QVERIFY(p.size.has_value());
        QVERIFY(p.fraction >= 0 && p.fraction <= 1);
        last = p.fraction;
        if (!said && p.left) {
            said = p.left;
            when = world.now;
        }
    };
    (void)sweep(world, asked({10'000, 20'000, 30'000, 40'000, 60'000, 80'000, kFile}, 0), events);
    QVERIFY(said.has_value());  // once both ends are done
    const auto real = static_cast<double>((world.now - when).count());
    QVERIFY2(std::abs(static_cast<double>(said->count()) - real) < real / 3,
             qPrintable(QString("%1 said, %2 took").arg(said->count()).arg(real)));
    QVERIFY(last > 0.9);
}

void TestSweep::keptInTheFile() {
    FakeWorld world;
    world.wall = crossingAt(41'000);
    const Study study = sweep(world, asked({10'000, kFile}, 3));
    const auto read = studyFromJson(studyToJson(study));
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY(read->sweep.has_value());
    QCOMPARE(read->sweep->sizes, study.sweep->sizes);
    QVERIFY(read->sweep->stamp == study.sweep->stamp);
    QCOMPARE(read->crossovers.size(), study.crossovers.size());
    QCOMPARE(read->crossovers[0].low.count(), study.crossovers[0].low.count());
    QCOMPARE(read->crossovers[0].fasterBelow, study.crossovers[0].fasterBelow);
    QCOMPARE(findCrossovers(*read).size(), study.crossovers.size());
}

void TestSweep::resumingRefusesWhatChanged() {
    FakeWorld world;
    world.wall = crossingAt(41'000);
    const Study study = sweep(world, asked({10'000, kFile}, 0));
    const auto same = resumeRequest(study, "/bin/true");
    QVERIFY2(same.has_value(), same ? "" : same.error().message.c_str());
    QCOMPARE(same->study.arms.size(), study.arms.size());
    QCOMPARE(same->sizes, study.sweep->sizes);
    const auto refused = [](Study changed, const char* says) {
        const auto request = resumeRequest(changed, "/bin/true");
        QVERIFY(!request);
        QVERIFY2(request.error().message.find(says) != std::string::npos, request.error().message.c_str());
    };
    Study other = study;
    other.environment.kernel = "1.0";
    refused(other, "the kernel is");
    other = study;
    other.environment.toolVersion = "0.0.1";
    refused(other, "version of mmapscope");
    other = study;
    other.sweep->stamp.modified.tv_sec += 1;
    refused(other, "was written or replaced");
    other = study;
    other.sweep.reset();
    refused(other, "no sweep");
}

void TestSweep::unfitSizes_data() {
    QTest::addColumn<QList<qulonglong>>("sizes");
    QTest::addColumn<QString>("says");
    QTest::newRow("one") << QList<qulonglong>{5000} << "at least two sizes";
    QTest::newRow("twice the same") << QList<qulonglong>{5000, 5000} << "at least two sizes";
    QTest::newRow("nothing") << QList<qulonglong>{0, 5000} << "leaves nothing to read";
    QTest::newRow("more than the file") << QList<qulonglong>{5000, 200'000} << "more than the file has";
}

void TestSweep::unfitSizes() {
    QFETCH(QList<qulonglong>, sizes);
    QFETCH(QString, says);
    const auto planned = planSweep(asked({sizes.begin(), sizes.end()}));
    QVERIFY(!planned);
    QVERIFY2(QString::fromStdString(planned.error().message).contains(says), planned.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestSweep)
#include "tst_sweep.moc"
