// Arms that are not there, fail or disagree; files that change; studies that are stopped.
#include <QtTest>

#include <algorithm>

#include "engine/study/runner_fixture.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using namespace std::chrono_literals;

class TestMishaps : public QObject, private RunnerFixture {
    Q_OBJECT

  private slots:
    void init() { reset(); }
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
};

void TestMishaps::unreadableCacheFailsTheRun() {
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

void TestMishaps::unavailableArmHasOneRun() {
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

void TestMishaps::armThatBecomesAvailable() {
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

void TestMishaps::runThatFindsItselfUnavailable() {
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

void TestMishaps::armThatCannotReadTheFileIsNotRetried() {
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

void TestMishaps::oneLostRunDoesNotEndTheArm() {
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

void TestMishaps::armThatAlwaysFailsIsLeftOut() {
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

void TestMishaps::unsplittableWorkload() {
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

void TestMishaps::changedFileEndsTheStudy_data() {
    QTest::addColumn<bool>("seenByRun");
    QTest::newRow("seen before a run") << false;
    QTest::newRow("seen by a run") << true;
}

void TestMishaps::changedFileEndsTheStudy() {
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

void TestMishaps::plannedForAnotherSize() {
    FakeWorld world;
    const auto planned = planStudy(request_);
    QFile(QString::fromStdString(request_.file)).resize(5);
    const Study study = runStudyWith(world.backend(), *planned, request_, {}, {});
    QVERIFY(world.calls.empty());
    QVERIFY(!study.complete);
    QCOMPARE(study.runs.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(study.runs[0].error).contains("5 B now"));
}

void TestMishaps::stopKeepsWhatIsDone() {
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

void TestMishaps::stopBeforeAndWhilePreparing() {
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

void TestMishaps::disagreeingArm() {
    FakeWorld world;
    world.change = [](const RunRequest& request, RunRecord& record, unsigned) {
        if (request.source == "mmap") {
            record.outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{43}}}};
        }
    };
    const Study study = run(world);
    QVERIFY(study.complete);
    QVERIFY(study.summary[2].outcomesAgree == false);
    QCOMPARE(study.summary[2].verdict, Verdict::unranked);
    QVERIFY(warns(study, "sum: read and pread 42, mmap 43"));
}

QTEST_GUILESS_MAIN(TestMishaps)
#include "tst_study_mishaps.moc"
