// The order, bookkeeping and words of a study, in a world whose runs take exactly as long as the test says.
#include <QtTest>

#include <algorithm>
#include <set>

#include "engine/study/study_fixtures.h"
#include "source/source.h"
#include "workload/workload.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using namespace std::chrono_literals;

class TestStudyRunner : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void inspectsThenWarmsThenMeasures();
    void everyArmOnceARound();
    void orderFollowsTheSeed();
    void roundsByDuration_data();
    void roundsByDuration();
    void cacheBeforeEveryRun_data();
    void cacheBeforeEveryRun();
    void unreadableCacheFailsTheRun();
    void unavailableArmHasOneRun();
    void armThatBecomesAvailable();
    void runThatFindsItselfUnavailable();
    void armThatCannotReadTheFileIsNotRetried();
    void oneLostRunDoesNotEndTheArm();
    void armThatAlwaysFailsIsLeftOut();
    void unsplittableWorkload();
    void changedFileEndsTheStudy_data();
    void changedFileEndsTheStudy();
    void plannedForAnotherSize();
    void stopKeepsWhatIsDone();
    void stopBeforeAndWhilePreparing();
    void disagreeingArm();
    void eventsAsDocumented();
    void timeLeftIsHonest();
    void timeLeftWithoutTheArmsThatAreOut();

  private:
    Study run(FakeWorld& world) { return run(world, StudyEvents{}); }
    Study run(FakeWorld& world, const StudyEvents& events, std::stop_token stop = {}) {
        auto planned = planStudy(request_);
        [&] { QVERIFY2(planned, planned ? "" : planned.error().message.c_str()); }();
        return runStudyWith(world.backend(), *planned, request_, events, std::move(stop));
    }
    void arms(const std::vector<std::string>& sources) {
        request_.arms.clear();
        for (const auto& source : sources) {
            request_.arms.push_back({source, *parseParameters(findSource(source)->parameters, ""), 1});
        }
    }
    static std::size_t countOf(const Study& study, std::uint32_t arm, Phase phase) {
        return std::size_t(std::count_if(study.runs.begin(), study.runs.end(), [&](const RunRecord& r) {
            return r.arm == arm && r.phase == phase;
        }));
    }

    QTemporaryDir folder_;
    StudyRequest request_;
};

void TestStudyRunner::init() {
    QFile file(folder_.filePath("bytes"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(100'000, 'x'));
    file.close();
    request_ = {};
    request_.file = file.fileName().toStdString();
    request_.workload = "scan";
    request_.isolation = Isolation::inProcess;
    request_.orderSeed = 5;
    request_.rounds = 6;
    arms({"read", "pread", "mmap"});
}

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

void TestStudyRunner::unreadableCacheFailsTheRun() {
    FakeWorld world;
    world.cache = [](CacheState) -> Result<CacheFacts> {
        return fail(ErrorKind::failed, "Input/output error");
    };
    const Study study = run(world);
    QVERIFY(world.sourcesRun(Phase::inspection).empty());
    QCOMPARE(study.runs.front().status, RunStatus::failed);
    QCOMPARE(study.runs.front().error, std::string("Input/output error"));
    QCOMPARE(study.runs.size(), std::size_t{9});  // three arms, three tries each
}

void TestStudyRunner::unavailableArmHasOneRun() {
    FakeWorld world;
    world.available = [](const Arm& arm) {
        return arm.source == "pread" ? Availability::no("needs 65 huge pages, 0 are free", "sudo sysctl")
                                     : Availability::yes();
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QCOMPARE(countOf(study, 1, Phase::inspection), std::size_t{1});
    QCOMPARE(countOf(study, 1, Phase::measured) + countOf(study, 1, Phase::warmup), std::size_t{0});
    QCOMPARE(study.runs[1].status, RunStatus::unavailable);
    QCOMPARE(study.runs[1].error, std::string("needs 65 huge pages, 0 are free; to unlock: sudo sysctl"));
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QCOMPARE(study.summary[2].verdict, Verdict::tied);
    QCOMPARE(world.sourcesRun(Phase::measured).size(), std::size_t{12});
}

void TestStudyRunner::armThatBecomesAvailable() {
    FakeWorld world;
    int asked = 0;
    world.available = [&](const Arm& arm) {
        return arm.source == "pread" && ++asked <= 2 ? Availability::no("no pages") : Availability::yes();
    };
    const Study study = run(world);
    QCOMPARE(study.summary[1].runs, 6U);
    QCOMPARE(countOf(study, 1, Phase::inspection), std::size_t{1});
    QCOMPARE(study.summary[1].verdict, Verdict::tied);
}

void TestStudyRunner::runThatFindsItselfUnavailable() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned) {
        if (request.source == "pread") {
            record = badRun(0, request.phase, 0, ErrorKind::unavailable, "the limit took the page");
        }
    };
    const Study study = run(world);
    QCOMPARE(
        std::count_if(study.runs.begin(), study.runs.end(), [](const RunRecord& r) { return r.arm == 1; }),
        1);
    QCOMPARE(study.summary[1].unrankedReason, std::string("not available: the limit took the page"));
}

void TestStudyRunner::armThatCannotReadTheFileIsNotRetried() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned) {
        if (request.source == "pread") {
            record = badRun(0, request.phase, 0, ErrorKind::input, "frame 1 is truncated");
        }
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QCOMPARE(
        std::count_if(study.runs.begin(), study.runs.end(), [](const RunRecord& r) { return r.arm == 1; }),
        1);
    QCOMPARE(study.runs[1].status, RunStatus::failed);
    QVERIFY(QString::fromStdString(study.summary[1].unrankedReason).contains("frame 1 is truncated"));
    QCOMPARE(study.summary[2].runs, 6U);
}

void TestStudyRunner::oneLostRunDoesNotEndTheArm() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned before) {
        if (request.source == "mmap" && before == 4) {
            record = badRun(0, request.phase, 0, ErrorKind::failed, "killed by signal 9 (SIGKILL)");
        }
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QCOMPARE(study.summary[2].runs, 5U);
    QCOMPARE(study.summary[2].verdict, Verdict::unranked);
    QCOMPARE(study.summary[1].verdict, Verdict::tied);
    QVERIFY(warns(study, "mmap: 1 of 8 runs failed"));
}

void TestStudyRunner::armThatAlwaysFailsIsLeftOut() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned) {
        if (request.source == "mmap") {
            record = badRun(0, request.phase, 0, ErrorKind::failed, "ran out of memory");
        }
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QCOMPARE(
        std::count_if(study.runs.begin(), study.runs.end(), [](const RunRecord& r) { return r.arm == 2; }),
        3);
}

void TestStudyRunner::unsplittableWorkload() {
    // A single zstd frame can't be decoded by two threads: that arm says so, the other runs.
    static const char kFrame[] =
        "\x28\xb5\x2f\xfd\x04\x00\x19\x00\x00\x61\x62\x63";  // one raw block, no checksum
    QFile file(folder_.filePath("one.zst"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(kFrame, sizeof kFrame - 1);
    file.close();
    request_.file = file.fileName().toStdString();
    request_.workload = "zstd";
    request_.workloadParameters = *parseParameters(findWorkload("zstd")->parameters, "");
    arms({"read", "read"});
    request_.arms[1].threads = 2;
    FakeWorld world;
    const Study study = run(world);
    QCOMPARE(study.arms[1].id, std::string("read@2"));
    QCOMPARE(countOf(study, 0, Phase::measured), std::size_t{6});
    QCOMPARE(countOf(study, 1, Phase::inspection), std::size_t{1});
    QCOMPARE(study.runs[1].status, RunStatus::unavailable);
    QVERIFY(!study.runs[1].error.empty());
}

void TestStudyRunner::changedFileEndsTheStudy_data() {
    QTest::addColumn<bool>("seenByRun");
    QTest::newRow("seen before a run") << false;
    QTest::newRow("seen by a run") << true;
}

void TestStudyRunner::changedFileEndsTheStudy() {
    QFETCH(bool, seenByRun);
    FakeWorld world;
    world.change = [&](const RunRequest& request, RunRecord& record, unsigned before) {
        if (request.phase != Phase::measured || request.source != "pread" || before != 3) {
            return;
        }
        if (seenByRun) {
            record = badRun(0, request.phase, 0, ErrorKind::changed, "the file changed while it was read");
        } else {
            QFile(QString::fromStdString(request.path)).resize(50'000);
        }
    };
    const Study study = run(world);
    QVERIFY(!study.complete);
    QCOMPARE(study.runs.back().status, RunStatus::failed);
    QCOMPARE(*study.runs.back().errorKind, ErrorKind::changed);
    QVERIFY(study.runs.back().round <= 3);
    QVERIFY(warns(study, "The file changed during the study"));
}

void TestStudyRunner::plannedForAnotherSize() {
    FakeWorld world;
    const auto planned = planStudy(request_);
    QFile(QString::fromStdString(request_.file)).resize(5);
    const Study study = runStudyWith(world.backend(), *planned, request_, {}, {});
    QVERIFY(world.calls.empty());
    QVERIFY(!study.complete);
    QCOMPARE(study.runs.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(study.runs[0].error).contains("5 B now"));
}

void TestStudyRunner::stopKeepsWhatIsDone() {
    FakeWorld world;
    std::stop_source stop;
    world.change = [&](const RunRequest& request, RunRecord&, unsigned before) {
        if (request.phase == Phase::measured && request.source == "read" && before == 4) {
            stop.request_stop();
        }
    };
    const Study study = run(world, {}, stop.get_token());
    QVERIFY(!study.complete);
    QVERIFY(study.runs.size() > 6 && study.runs.size() < 24);
    QCOMPARE(study.summary.size(), std::size_t{3});
    // A run that was cut short itself is in it, and is not counted.
    FakeWorld cut;
    std::stop_source at;
    StudyEvents events;
    int batches = 0;
    events.samples = [&](std::uint32_t, std::span<const Sample>) {
        if (++batches == 10) {
            at.request_stop();
        }
    };
    const Study shorter = run(cut, events, at.get_token());
    QCOMPARE(shorter.runs.size(), std::size_t{10});
    QCOMPARE(shorter.runs.back().status, RunStatus::cancelled);
    QVERIFY(!shorter.complete);
}

void TestStudyRunner::stopBeforeAndWhilePreparing() {
    FakeWorld world;
    std::stop_source stop;
    StudyEvents events;
    events.progress = [&](const Progress& p) {
        if (p.stage == StudyStage::preparingCache && p.phase == Phase::warmup) {
            stop.request_stop();
        }
    };
    const Study study = run(world, events, stop.get_token());
    QCOMPARE(study.runs.size(), std::size_t{3});
    FakeWorld untouched;
    QVERIFY(run(untouched, {}, stop.get_token()).runs.empty());
    QVERIFY(untouched.calls.empty());
}

void TestStudyRunner::disagreeingArm() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned) {
        if (request.source == "mmap") {
            record.outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{43}}}};
        }
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QVERIFY(!study.summary[2].outcomesAgree);
    QCOMPARE(study.summary[2].verdict, Verdict::unranked);
    QVERIFY(warns(study, "sum: read and pread 42, mmap 43"));
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
