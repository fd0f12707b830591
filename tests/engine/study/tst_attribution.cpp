// Wall times taken apart: the sums, the runs they come from, and what is said of them.
#include <QtTest>
#include <set>

#include "engine/study/runner_fixture.h"
#include "report/study_file.h"
#include "study/attribution.h"
#include "study/attribution_words.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

Nanoseconds ms(double value) {
    return Nanoseconds(static_cast<std::int64_t>(value * 1e6));
}

const AttributedTime* partOf(const Attribution& a, std::string_view name) {
    const auto it =
        std::find_if(a.parts.begin(), a.parts.end(), [&](const AttributedTime& p) { return p.name == name; });
    return it == a.parts.end() ? nullptr : &*it;
}

double partMs(const Attribution& a, std::string_view name) {
    const AttributedTime* part = partOf(a, name);
    return part == nullptr ? -1 : static_cast<double>(part->time.count()) / 1e6;
}

/// What a world's split runs take: a scan costs 1 ms in memory and 3 ms mapped, the work of a study 5 ms.
void splitRun(const RunRequest& request, RunRecord& run) {
    if (!request.splitTime) {
        return;
    }
    TimeSplit split;
    split.open = ms(0.5);
    split.close = ms(0.25);
    const bool mapped = request.source == "mmap";
    split.consume = request.workload == "touch" ? ms(5) : mapped ? ms(3) : ms(1);
    split.deliver = request.source == "read" ? ms(4) : ms(0);
    split.wait = ms(0);
    run.split = split;
    run.wall = split.open + split.close + split.consume + split.deliver;
}

}  // namespace

class TestAttribution : public QObject, private RunnerFixture {
    Q_OBJECT

  private slots:
    void init() {
        reset();
        // Not scan, so that the work and what touching costs are told apart.
        request_.workload = "touch";
        request_.workloadParameters = *parseParameters(findWorkload("touch")->parameters, "");
        request_.why = true;
    }
    void everySubjectOnceARound();
    void partsAndUnexplainedAreTheWall();
    void aScansGainCountsAsNone();
    void handoverOfABuffer();
    void insides();
    void oneSentenceAnArm();
    void notAskedFor();
    void stoppedMeanwhile();
    void aFailingSubjectIsLeftOut();
    void keptInTheFile();
    void splitRunsAreNeverRanked();

  private:
    Study explained(FakeWorld& world, const StudyEvents& events = {}, std::stop_token stop = {}) {
        world.wall = [](const RunRequest& r, unsigned) {
            return r.source == "mmap" ? ms(8) : r.source == "read" ? ms(10) : ms(6);
        };
        if (!world.change) {
            world.change = [](const RunRequest& r, RunRecord& run, unsigned) { splitRun(r, run); };
        }
        return run(world, events, std::move(stop));
    }
};

void TestAttribution::everySubjectOnceARound() {
    arms({"read", "mmap", "memory"});
    FakeWorld world;
    const Study study = explained(world);
    // read, mmap and memory under touch; mmap and memory under scan.
    QCOMPARE(splitSubjects(study).size(), std::size_t(5));
    std::map<std::uint32_t, std::set<std::string>> rounds;
    for (const SplitRun& run : study.splitRuns) {
        QVERIFY2(rounds[run.round].insert(run.source + " under " + run.workload).second, "twice in a round");
    }
    QCOMPARE(rounds.size(), std::size_t(5));
    for (const auto& [round, subjects] : rounds) {
        QCOMPARE(subjects.size(), std::size_t(5));
    }
}

void TestAttribution::partsAndUnexplainedAreTheWall() {
    arms({"read", "mmap"});
    FakeWorld world;
    const Study study = explained(world);
    QCOMPARE(study.attribution.size(), std::size_t(2));
    for (const Attribution& a : study.attribution) {
        Nanoseconds sum = a.unexplained;
        for (const AttributedTime& part : a.parts) {
            sum += part.name == "overlap" ? Nanoseconds(0) : part.time;
        }
        QCOMPARE(sum.count(), a.wall.count());
        QCOMPARE(a.wall.count(), study.summary[a.arm].medianWall->count());
    }
    const Attribution& mapped = study.attribution[1];
    QCOMPARE(partMs(mapped, "open"), 0.5);
    QCOMPARE(partMs(mapped, "close"), 0.25);
    QCOMPARE(partMs(mapped, "workload"), 5.0);
    QCOMPARE(partMs(mapped, "touch"), 2.0);  // 3 ms mapped under scan, 1 ms in memory
    QVERIFY(partOf(mapped, "handover") == nullptr);
    QCOMPARE(mapped.unexplained.count(), ms(0.25).count());
    QCOMPARE(partMs(study.attribution[0], "deliver"), 4.0);
    QVERIFY(partOf(study.attribution[0], "touch") == nullptr);
}

void TestAttribution::aScansGainCountsAsNone() {
    arms({"mmap"});
    FakeWorld world;
    world.change = [](const RunRequest& r, RunRecord& run, unsigned) {
        splitRun(r, run);
        if (run.split && r.source == "mmap" && r.workload == "scan") {
            run.split->consume = ms(0.5);
        }
    };
    const Study study = explained(world);
    QCOMPARE(partMs(study.attribution.front(), "touch"), 0.0);
    QVERIFY(partOf(study.attribution.front(), "touch")->basis.find("counted as none") != std::string::npos);
}

void TestAttribution::handoverOfABuffer() {
    arms({"read"});
    FakeWorld world;
    world.change = [](const RunRequest& r, RunRecord& run, unsigned) {
        splitRun(r, run);
        if (run.split && r.source == "read") {
            run.split->consume = ms(3);  // 5 ms in memory
        }
    };
    const Study study = explained(world);
    QCOMPARE(partMs(study.attribution.front(), "handover"), -2.0);
    QVERIFY(study.attribution.front().sentence.find("2.00 ms less than memory") != std::string::npos);
}

void TestAttribution::insides() {
    ArmTimeFacts f;
    f.bytes = mib(256);
    f.rounds = 5;
    f.wall = ms(100);
    f.open = ms(40);
    f.workload = ms(60);
    f.hugeAllocation = ms(15);
    const auto parts = attributedParts(f);
    const AttributedTime& open = parts.front();
    QCOMPARE(open.inside.size(), std::size_t(2));
    QCOMPARE(open.inside[0].name, std::string("huge_allocation"));
    QCOMPARE(open.inside[1].name, std::string("copy"));
    QCOMPARE((open.inside[0].time + open.inside[1].time).count(), open.time.count());

    f = {};
    f.bytes = mib(256);
    f.wall = ms(100);
    f.workload = ms(20);
    f.mapsLazily = true;
    f.touch = ms(10);
    f.wait = ms(65);
    f.waitKnown = true;
    f.figures.storageReadBytes = 256e6;
    f.ownFaults = 4096;
    const auto lazy = attributedParts(f);
    const auto touch =
        std::find_if(lazy.begin(), lazy.end(), [](const auto& p) { return p.name == "touch"; });
    QCOMPARE(touch->time.count(), ms(75).count());
    QCOMPARE(touch->inside.front().name, std::string("storage_wait"));
    QCOMPARE(touch->inside.front().time.count(), ms(65).count());
    QCOMPARE(touch->inside.back().name, std::string("minor_faults"));
    // Without reading from storage nothing waited for it, whatever else was waited for.
    f.figures.storageReadBytes = 0;
    for (const AttributedTime& part : attributedParts(f)) {
        for (const AttributedTime& inside : part.inside) {
            QVERIFY(inside.name != "storage_wait");
        }
    }
}

void TestAttribution::oneSentenceAnArm() {
    ArmTimeFacts f;
    f.bytes = mib(256);
    f.wall = ms(22);
    f.workload = ms(12.8);
    f.mapsLazily = true;
    f.touch = ms(9);
    f.ownFaults = 4096;
    Attribution a;
    a.parts = attributedParts(f);
    const std::string words = attributionSentence("mmap", f, a);
    QVERIFY2(words.find("mmap spends 9.00 ms of 22.0 ms touching pages") == 0, words.c_str());
    QVERIFY2(words.find("4096 faults, 64 KiB each") != std::string::npos, words.c_str());
    QVERIFY2(words.find("small folios") != std::string::npos, words.c_str());
    f.ownFaults = 323;
    QVERIFY(attributionSentence("mmap", f, a).find("small folios") == std::string::npos);
    a.unexplained = ms(4.4);
    QVERIFY(attributionSentence("mmap", f, a).find("20 % less than the wall time") != std::string::npos);
}

void TestAttribution::notAskedFor() {
    request_.why = false;
    FakeWorld world;
    const Study study = explained(world);
    QVERIFY(study.complete);
    QVERIFY(study.attribution.empty() && study.splitRuns.empty());
}

void TestAttribution::stoppedMeanwhile() {
    FakeWorld world;
    std::stop_source stop;
    StudyEvents events;
    events.progress = [&](const Progress& p) {
        if (p.stage == StudyStage::explaining && p.round == 2) {
            stop.request_stop();
        }
    };
    unsigned toldComplete = 0;
    events.roundsDone = [&](const Study& now) {
        toldComplete += now.complete && now.splitRuns.empty() && !now.summary.empty();
    };
    const Study study = explained(world, events, stop.get_token());
    QCOMPARE(toldComplete, 1U);  // what is saved then is whole, whatever happens to the rest
    QVERIFY(study.complete);     // all its rounds are there
    QVERIFY(!study.splitRuns.empty());
    QVERIFY(warns(study, "stopped"));
}

void TestAttribution::aFailingSubjectIsLeftOut() {
    arms({"read", "mmap"});
    FakeWorld world;
    world.change = [](const RunRequest& r, RunRecord& run, unsigned) {
        splitRun(r, run);
        if (r.splitTime && r.source == "mmap" && r.workload == "scan") {
            run.status = RunStatus::failed;
            run.error = "the dog ate it";
        }
    };
    const Study study = explained(world);
    QCOMPARE(study.attribution.size(), std::size_t(1));
    QCOMPARE(study.attribution.front().arm, 0U);
    QVERIFY(warns(study, "the dog ate it"));
}

void TestAttribution::keptInTheFile() {
    arms({"read", "mmap"});
    FakeWorld world;
    const Study study = explained(world);
    const auto read = studyFromJson(studyToJson(study));
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(read->attribution.size(), study.attribution.size());
    for (std::size_t i = 0; i < study.attribution.size(); ++i) {
        QCOMPARE(read->attribution[i].sentence, study.attribution[i].sentence);
        QCOMPARE(read->attribution[i].unexplained.count(), study.attribution[i].unexplained.count());
        QCOMPARE(read->attribution[i].parts.size(), study.attribution[i].parts.size());
    }
    QCOMPARE(read->splitRuns.size(), study.splitRuns.size());
    // The same figures come out again.
    const auto again = attribute(*read);
    QCOMPARE(again.size(), study.attribution.size());
    QCOMPARE(again[1].unexplained.count(), study.attribution[1].unexplained.count());
}

void TestAttribution::splitRunsAreNeverRanked() {
    Study study = measuredStudy({"read", "mmap"}, 6, [](std::uint32_t, unsigned) { return 10.0; });
    RunRecord split = goodRun(1, Phase::measured, 7, 1);
    split.split.emplace();
    RunRecord traced = goodRun(1, Phase::measured, 8, 1);
    traced.faultTrace.emplace();
    study.runs.push_back(split);
    study.runs.push_back(traced);
    summarize(study);
    QCOMPARE(study.summary[1].runs, 6U);
    QCOMPARE(study.summary[1].minWall->count(), ms(10).count());
}

QTEST_GUILESS_MAIN(TestAttribution)
#include "tst_attribution.moc"
