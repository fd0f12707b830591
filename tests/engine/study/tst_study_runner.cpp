// The order and bookkeeping of a study, in a world whose runs take exactly as long as the test says.
#include <QtTest>

#include <algorithm>
#include <set>

#include "engine/study/runner_fixture.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using namespace std::chrono_literals;

class TestStudyRunner : public QObject, private RunnerFixture {
    Q_OBJECT

  private slots:
    void init() { reset(); }
    void inspectsThenWarmsThenMeasures();
    void everyArmOnceARound();
    void orderFollowsTheSeed();
    void roundsByDuration_data();
    void roundsByDuration();
    void cacheBeforeEveryRun_data();
    void cacheBeforeEveryRun();
    void eventsAsDocumented();
    void timeLeftIsHonest();
    void timeLeftWithoutTheArmsThatAreOut();
};

void TestStudyRunner::inspectsThenWarmsThenMeasures() {
    FakeWorld world;
    request_.warmups = 2;
    const Study study = run(world);
    QVERIFY(study.complete);
    QCOMPARE(study.runs.size(), std::size_t{3 * (1 + 2 + 6)});
    QCOMPARE(world.sourcesRun(Phase::inspection), (std::vector<std::string>{"read", "pread", "mmap"}));
    QVERIFY(std::is_sorted(study.runs.begin(), study.runs.end(), [](const RunRecord& a, const RunRecord& b) {
        return std::pair(a.phase, a.round) < std::pair(b.phase, b.round);
    }));
    QCOMPARE(study.runs.front().round, 0U);
    QCOMPARE(study.runs.back().round, 6U);
    QCOMPARE(study.summary[1].runs, 6U);
    QCOMPARE(study.summary[1].verdict, Verdict::tied);
    QCOMPARE(*study.runs.back().cache.residentAfter, 0.995);
    QCOMPARE(*study.runs.back().cache.residentBefore, 1.0);
}

void TestStudyRunner::everyArmOnceARound() {
    FakeWorld world;
    const Study study = run(world);
    std::set<std::vector<std::uint32_t>> orders;
    for (std::uint32_t round = 1; round <= 6; ++round) {
        std::vector<std::uint32_t> order;
        for (const RunRecord& record : study.runs) {
            if (record.phase == Phase::measured && record.round == round) {
                order.push_back(record.arm);
            }
        }
        orders.insert(order);
        std::sort(order.begin(), order.end());
        QCOMPARE(order, (std::vector<std::uint32_t>{0, 1, 2}));
    }
    QVERIFY(orders.size() > 1);
}

void TestStudyRunner::orderFollowsTheSeed() {
    FakeWorld one, again, other;
    run(one);
    run(again);
    request_.orderSeed = 6;
    run(other);
    QCOMPARE(one.sourcesRun(Phase::measured), again.sourcesRun(Phase::measured));
    QVERIFY(one.sourcesRun(Phase::measured) != other.sourcesRun(Phase::measured));
    // More warm-ups don't change the order of what is measured.
    FakeWorld warmer;
    request_.orderSeed = 5;
    request_.warmups = 4;
    run(warmer);
    QCOMPARE(one.sourcesRun(Phase::measured), warmer.sourcesRun(Phase::measured));
}

void TestStudyRunner::roundsByDuration_data() {
    QTest::addColumn<int>("slowMs");
    QTest::addColumn<unsigned>("warmups");
    QTest::addColumn<unsigned>("rounds");
    QTest::newRow("short") << 999 << 1U << 15U;
    QTest::newRow("slowest arm takes a second") << 1000 << 1U << 7U;
    QTest::newRow("no warm-ups: by the inspection") << 1000 << 0U << 7U;
}

void TestStudyRunner::roundsByDuration() {
    QFETCH(int, slowMs);
    QFETCH(unsigned, warmups);
    QFETCH(unsigned, rounds);
    FakeWorld world;
    world.wall = [&](const RunRequest& r, unsigned) -> Nanoseconds {
        // The inspection run's digest makes it slow; with warm-ups it doesn't decide.
        const auto own = r.source == "mmap" ? std::chrono::milliseconds(slowMs) : 10ms;
        return r.phase == Phase::inspection && warmups > 0 ? 5000ms : own;
    };
    request_.rounds.reset();
    request_.warmups = warmups;
    const Study study = run(world);
    QCOMPARE(study.plan.rounds, rounds);
    QCOMPARE(study.summary[0].runs, rounds);
}

void TestStudyRunner::cacheBeforeEveryRun_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<int>("forced");
    QTest::newRow("warm") << int(CacheState::warm) << 1;
    QTest::newRow("warm-small") << int(CacheState::warmSmall) << 1;
    QTest::newRow("cold") << int(CacheState::cold) << 0;
    QTest::newRow("resident") << int(CacheState::resident) << 0;
    QTest::newRow("asis") << int(CacheState::asis) << 0;
}

void TestStudyRunner::cacheBeforeEveryRun() {
    QFETCH(int, state);
    QFETCH(int, forced);
    request_.cache = CacheState(state);
    FakeWorld world;
    const Study study = run(world);
    QCOMPARE(world.calls.size() % 2, std::size_t{0});
    int forces = 0;
    for (std::size_t i = 0; i < world.calls.size(); ++i) {
        QCOMPARE(world.calls[i].what == "prepare", i % 2 == 0);
        forces += world.calls[i].forced ? 1 : 0;
    }
    QCOMPARE(forces, forced);
    QVERIFY(forced == 0 || world.calls[0].forced);
    for (const RunRecord& record : study.runs) {
        QCOMPARE(int(record.cache.state), state);
        QVERIFY(record.cache.reached);
    }
}

void TestStudyRunner::eventsAsDocumented() {
    FakeWorld world;
    world.wall = [](const RunRequest& r, unsigned) -> Nanoseconds {
        return r.source == "mmap" ? 20ms : 10ms;
    };
    StudyEvents events;
    std::size_t ended = 0;
    double lastFraction = 0;
    bool sawLeft = false;
    std::uint32_t running = 99;
    events.runEnded = [&](const Study& study) {
        QCOMPARE(study.runs.size(), ++ended);
        QCOMPARE(study.summary.size(), std::size_t{3});
        QCOMPARE(study.runs.back().arm, running);
    };
    events.samples = [&](std::uint32_t arm, std::span<const Sample> samples) {
        QCOMPARE(arm, running);
        QCOMPARE(samples.size(), std::size_t{1});
    };
    events.progress = [&](const Progress& p) {
        running = p.arm;
        QVERIFY(p.fraction >= lastFraction && p.fraction <= 1);
        lastFraction = p.fraction;
        QVERIFY(p.round >= 1 && p.round <= p.rounds);
        QVERIFY(!sawLeft || p.left);
        sawLeft = p.left.has_value();
        QCOMPARE(sawLeft, ended > 0);
    };
    run(world, events);
    QCOMPARE(ended, std::size_t{24});
    QVERIFY(lastFraction > 0.9);
}

void TestStudyRunner::timeLeftIsHonest() {
    // Arms that differ sixfold, preparing that costs as much again, an inspection three times as long.
    FakeWorld world;
    SplitMix64 random(4);
    world.preparation = 40ms;
    world.wall = [&](const RunRequest& r, unsigned) -> Nanoseconds {
        const double ms = r.source == "mmap" ? 120 : r.source == "pread" ? 60 : 20;
        return Nanoseconds(
            std::int64_t(noisyWall(random, ms) * 1e6 * (r.phase == Phase::inspection ? 3 : 1)));
    };
    request_.rounds.reset();
    StudyEvents events;
    std::vector<std::pair<std::chrono::steady_clock::time_point, Nanoseconds>> promised;
    events.progress = [&](const Progress& p) {
        if (p.phase == Phase::measured && p.round > 2) {
            promised.emplace_back(world.now, *p.left);
        }
    };
    run(world, events);
    QVERIFY(promised.size() > 30);
    for (const auto& [when, left] : promised) {
        const double really = double(Nanoseconds(world.now - when).count());
        const double slack = 150e6;  // one run: at the very end a third of little is nothing
        QVERIFY2(std::abs(double(left.count()) - really) <= really / 3 + slack,
                 qPrintable(QString("%1 promised, %2 taken").arg(left.count()).arg(really)));
    }
}

void TestStudyRunner::timeLeftWithoutTheArmsThatAreOut() {
    FakeWorld world;
    world.available = [](const Arm& arm) {
        return arm.source == "pread" ? Availability::no("no pages") : Availability::yes();
    };
    StudyEvents events;
    std::optional<Nanoseconds> left;
    Nanoseconds measuredFrom{0};
    events.progress = [&](const Progress& p) {
        if (p.phase == Phase::measured && !left) {
            left = p.left;
            measuredFrom = world.now.time_since_epoch();
        }
    };
    run(world, events);
    const double really = double((world.now.time_since_epoch() - measuredFrom).count());
    QVERIFY(std::abs(double(left->count()) - really) < really / 10);
}

QTEST_GUILESS_MAIN(TestStudyRunner)
#include "tst_study_runner.moc"
