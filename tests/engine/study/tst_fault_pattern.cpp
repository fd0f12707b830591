// Strides, mapped pages and words of fault traces made by hand.
#include <QtTest>

#include "engine/study/study_fixtures.h"
#include "study/fault_pattern.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

const std::uint64_t kPage = pageSize().count();

void fault(FaultTrace& trace, std::uint64_t offset, std::uint32_t thread = 0, bool major = false) {
    trace.tNs.push_back(static_cast<std::int64_t>(trace.tNs.size()) * 1000);
    trace.offset.push_back(offset);
    trace.thread.push_back(thread);
    trace.major.push_back(major ? 1 : 0);
}

}  // namespace

class TestFaultPattern : public QObject {
    Q_OBJECT

  private slots:
    void rungs();
    void severalPlacesAtOnce();
    void noDistanceIsCommon();
    void threadsApart();
    void backwards();
    void elsewhereAndLost();
    void nothing();
    void costBesideUntracedRuns();
    void disagreementsAreNamed();
};

void TestFaultPattern::rungs() {
    FaultTrace trace;
    for (std::uint64_t i = 0; i < 100; ++i) {
        fault(trace, i * 16 * kPage);
    }
    const FaultPattern p = faultPattern(trace, Bytes(100 * 16 * kPage));
    QCOMPARE(p.inFile, std::uint64_t(100));
    QCOMPARE(p.strides.size(), std::size_t(1));
    QCOMPARE(p.strides.front().bytes, static_cast<std::int64_t>(16 * kPage));
    QCOMPARE(p.strides.front().count, std::uint64_t(99));
    QCOMPARE(p.mapped.size(), std::size_t(1));
    QCOMPARE(p.mapped.front().pages, std::uint64_t(16));
    QCOMPARE(p.mapped.front().count, std::uint64_t(100));
    const std::string words = faultSentence("mmap", p);
    QVERIFY2(words.find("; each maps 16 pages") != std::string::npos, words.c_str());
}

void TestFaultPattern::severalPlacesAtOnce() {
    // Four walkers in one thread, a page a fault: distances are long, and yet each maps one page.
    FaultTrace trace;
    for (std::uint64_t i = 0; i < 100; ++i) {
        for (std::uint64_t lane = 0; lane < 4; ++lane) {
            fault(trace, (lane * 100 + i) * kPage);
        }
    }
    const std::string words = faultSentence("mmap-random", faultPattern(trace, Bytes(400 * kPage)));
    QVERIFY2(words.find("; each maps 1 page") != std::string::npos, words.c_str());
    QVERIFY2(words.find("400 KiB after") != std::string::npos, words.c_str());
}

void TestFaultPattern::noDistanceIsCommon() {
    FaultTrace trace;
    for (std::uint64_t i = 0; i < 64; ++i) {
        fault(trace, i * i * kPage);
    }
    const std::string words = faultSentence("mmap", faultPattern(trace, Bytes(64 * 64 * kPage)));
    QVERIFY2(words.find("no distance from one to the next is common") != std::string::npos, words.c_str());
    QVERIFY2(words.find("on the mean, at most") != std::string::npos, words.c_str());
}

void TestFaultPattern::threadsApart() {
    FaultTrace trace;
    for (std::uint64_t i = 0; i < 10; ++i) {
        fault(trace, i * kPage, 0);
        fault(trace, (1000 + i) * kPage, 1);
    }
    const FaultPattern p = faultPattern(trace, Bytes(2000 * kPage));
    QCOMPARE(p.strides.size(), std::size_t(1));
    QCOMPARE(p.strides.front().bytes, static_cast<std::int64_t>(kPage));
    QCOMPARE(p.strides.front().count, std::uint64_t(18));
}

void TestFaultPattern::backwards() {
    FaultTrace trace;
    for (std::uint64_t i = 10; i-- > 0;) {
        fault(trace, i * kPage);
    }
    const FaultPattern p = faultPattern(trace, Bytes(10 * kPage));
    QCOMPARE(p.strides.front().bytes, -static_cast<std::int64_t>(kPage));
    QVERIFY(faultSentence("mmap", p).find("before the one before") != std::string::npos);
}

void TestFaultPattern::elsewhereAndLost() {
    FaultTrace trace;
    fault(trace, FaultTrace::kElsewhere);
    fault(trace, 0, 0, true);
    fault(trace, FaultTrace::kElsewhere);
    fault(trace, kPage);
    trace.lost = 7;
    trace.userOnly = true;
    const FaultPattern p = faultPattern(trace, Bytes(2 * kPage));
    QCOMPARE(p.faults, std::uint64_t(4));
    QCOMPARE(p.inFile, std::uint64_t(2));
    QCOMPARE(p.major, std::uint64_t(1));
    const std::string words = faultSentence("mmap", p);
    for (const char* part : {"4 faults, 2 of them in the file", "1 waited for storage", "inside system calls",
                             "7 more could not be recorded"}) {
        QVERIFY2(words.find(part) != std::string::npos, words.c_str());
    }
}

void TestFaultPattern::nothing() {
    const FaultPattern p = faultPattern(FaultTrace{}, mib(1));
    QCOMPARE(faultSentence("read", p), std::string("read: 0 faults"));
    QVERIFY(p.mapped.empty() && p.strides.empty());
}

void TestFaultPattern::costBesideUntracedRuns() {
    Study study = measuredStudy({"mmap"}, 5, [](std::uint32_t, unsigned) { return 10.0; });
    QVERIFY(!traceCost(study, 0));
    RunRecord traced = goodRun(0, Phase::inspection, 0, 15);
    fault(traced.faultTrace.emplace(), 0);
    study.runs.insert(study.runs.begin(), traced);
    const auto cost = traceCost(study, 0);
    QVERIFY(cost);
    QCOMPARE(cost->traced.count(), std::int64_t(15'000'000));
    QCOMPARE(cost->untraced.count(), std::int64_t(10'000'000));
}

void TestFaultPattern::disagreementsAreNamed() {
    Study study = measuredStudy({"mmap", "mmap-populate"}, 5, [](std::uint32_t, unsigned) { return 10.0; });
    for (RunRecord& run : study.runs) {
        run.minorFaults = 378;
        run.counters["perf_minor_faults"] = run.arm == 0 ? 377 : 0;
    }
    const auto lines = faultDisagreements(study);
    QCOMPARE(lines.size(), std::size_t(1));
    QVERIFY(lines.front().find("mmap-populate: 378 minor faults by getrusage, 0 by perf events") == 0);
}

QTEST_GUILESS_MAIN(TestFaultPattern)
#include "tst_fault_pattern.moc"
