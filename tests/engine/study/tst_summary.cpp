#include <QtTest>

#include <cmath>
#include <set>

#include "engine/study/study_fixtures.h"
#include "study/arm_figures.h"
#include "study/machine_state.h"
#include "study/outcome_check.h"
#include "study/warnings.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

class TestSummary : public QObject {
    Q_OBJECT

  private slots:
    void figures();
    void throughputIsOfOutputWhereThereIsOutput();
    void pairsOnlyRoundsBothAreGoodIn();
    void anotherBaseline();
    void fewRounds();
    void afterAnError();
    void brokenBaselineRanksNobody();
    void differingOutcomes();
    void outcomesCompareKeyByKey();
    void unavailable();
    void warnings_data();
    void warnings();
    void rejectedRows_data();
    void rejectedRows();
    void runsTooShortToTell();
    void nothingReadHasNoThroughput();
    void userAndSystemAreExplainedWhereAbsent();
    void quietStudyHasNoWarnings();
    void busyMachine();
    void swapping();
    void clockThatFalls();
    void machineStateReadsThisMachine();
    void eachKindHasWords();
};

void TestSummary::figures() {
    // Walls 100 101 … 114 against 80 80.8 …: always 1.25 times the throughput.
    Study study = measuredStudy({"read", "mmap"}, 15, [](std::uint32_t arm, unsigned round) {
        return (arm == 0 ? 1.0 : 0.8) * (99 + round);
    });
    study.runs.push_back(goodRun(0, Phase::inspection, 0, 5000));
    study.runs.push_back(goodRun(0, Phase::warmup, 1, 5000));
    summarize(study);
    QCOMPARE(study.summary.size(), std::size_t{2});
    const ArmSummary& read = study.summary[0];
    QCOMPARE(read.runs, 15U);
    QCOMPARE(read.medianWall->count(), 107'000'000);
    QCOMPARE(read.minWall->count(), 100'000'000);
    QCOMPARE(read.maxWall->count(), 114'000'000);
    QCOMPARE(read.madWall->count(), 4'000'000);
    QVERIFY(std::abs(*read.medianBytesPerSecond - double(1 << 20) / 0.107) < 1);
    QCOMPARE(read.verdict, Verdict::baseline);
    QCOMPARE(*read.ratio, 1.0);
    const ArmSummary& mapped = study.summary[1];
    QCOMPARE(mapped.verdict, Verdict::faster);
    QVERIFY(std::abs(*mapped.ratio - 1.25) < 1e-6);
    QVERIFY(mapped.unrankedReason.empty());
    QVERIFY(mapped.outcomesAgree == true);
}

void TestSummary::throughputIsOfOutputWhereThereIsOutput() {
    Study study = measuredStudy({"read"}, 5, [](auto, auto) { return 1000.0; });
    study.arms[0].workload = "zstd";
    for (RunRecord& run : study.runs) {
        run.bytesOut = mib(8);
    }
    summarize(study);
    QCOMPARE(*study.summary[0].medianBytesPerSecond, double(8 << 20));
}

void TestSummary::pairsOnlyRoundsBothAreGoodIn() {
    // In rounds 1 to 4 only the baseline ran, and slowly; pairing them with anything would show.
    Study study = emptyStudy({"read", "mmap"});
    for (unsigned round = 1; round <= 10; ++round) {
        study.runs.push_back(goodRun(0, Phase::measured, round, round <= 4 ? 900 : 100));
        if (round > 4) {
            study.runs.push_back(goodRun(1, Phase::measured, round, 100));
        }
    }
    summarize(study);
    QCOMPARE(*study.summary[1].ratio, 1.0);
    QCOMPARE(study.summary[1].runs, 6U);
    QCOMPARE(study.summary[1].verdict, Verdict::tied);
}

void TestSummary::anotherBaseline() {
    Study study = measuredStudy({"read", "mmap"}, 7,
                                [](std::uint32_t arm, unsigned) { return arm == 0 ? 100.0 : 50.0; });
    study.plan.baseline = 1;
    summarize(study);
    QCOMPARE(study.summary[1].verdict, Verdict::baseline);
    QCOMPARE(study.summary[0].verdict, Verdict::slower);
    QVERIFY(std::abs(*study.summary[0].ratio - 0.5) < 1e-9);
}

void TestSummary::fewRounds() {
    Study study = measuredStudy({"read", "mmap"}, 4, [](auto, auto) { return 10.0; });
    summarize(study);
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QVERIFY(!study.summary[1].ratio);
    QVERIFY(QString::fromStdString(study.summary[1].unrankedReason).contains("4 of at least 5"));
    QVERIFY(study.summary[1].medianWall);
}

void TestSummary::afterAnError() {
    Study study = measuredStudy({"read", "mmap"}, 15,
                                [](std::uint32_t arm, unsigned) { return arm == 0 ? 20.0 : 10.0; });
    study.runs.push_back(badRun(1, Phase::measured, 3, ErrorKind::failed, "killed by signal 9 (SIGKILL)"));
    summarize(study);
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QVERIFY(QString::fromStdString(study.summary[1].unrankedReason).contains("SIGKILL"));
    QVERIFY(!study.summary[1].ratio);
    QVERIFY(warns(study, "mmap: 1 of 16 runs failed (killed by signal 9 (SIGKILL))"));
}

void TestSummary::brokenBaselineRanksNobody() {
    Study study = measuredStudy({"read", "mmap"}, 15, [](auto, auto) { return 10.0; });
    study.runs.push_back(badRun(0, Phase::measured, 3, ErrorKind::failed, "boom"));
    summarize(study);
    QCOMPARE(study.summary[0].verdict, Verdict::baseline);
    QVERIFY(!study.summary[0].ratio);
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QVERIFY(QString::fromStdString(study.summary[1].unrankedReason).contains("baseline read"));
}

void TestSummary::differingOutcomes() {
    Study study = measuredStudy({"read", "mmap", "pread"}, 15, [](auto, auto) { return 10.0; });
    for (RunRecord& run : study.runs) {
        if (run.arm == 1 && run.round == 9) {
            run.outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{41}}}};
        }
    }
    summarize(study);
    for (const ArmSummary& summary : study.summary) {
        QVERIFY(summary.outcomesAgree == false);
        QVERIFY(!summary.ratio);
    }
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QVERIFY(warns(study, "sum: read and mmap and pread 42, mmap 41"));
}

void TestSummary::outcomesCompareKeyByKey() {
    // The digest is in inspection runs only: missing keys are no disagreement.
    Study study = measuredStudy({"read", "mmap"}, 5, [](auto, auto) { return 10.0; });
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
        RunRecord run = goodRun(arm, Phase::inspection, 0, 10);
        run.outcome->fields.emplace_back("xxh64", std::string("abc"));
        study.runs.push_back(run);
    }
    // A failed run's outcome doesn't count, whatever is in it.
    RunRecord failed = goodRun(1, Phase::warmup, 1, 10);
    failed.status = RunStatus::failed;
    failed.outcome = Outcome{{{"sum", std::uint64_t{0}}}};
    study.runs.push_back(failed);
    summarize(study);
    QVERIFY(study.summary[0].outcomesAgree == true && study.summary[1].outcomesAgree == true);
    study.runs[study.runs.size() - 2].outcome->fields.back().second = std::string("abd");
    summarize(study);
    QVERIFY(study.summary[0].outcomesAgree == false && study.summary[1].outcomesAgree == false);
    // Another workload's arms are another matter.
    study.arms[1].workload = "touch";
    summarize(study);
    QVERIFY(study.summary[0].outcomesAgree == true && study.summary[1].outcomesAgree == true);
    // Of an arm that never computed anything nothing is said.
    for (RunRecord& run : study.runs) {
        if (run.arm == 1) {
            run.status = RunStatus::unavailable;
            run.outcome.reset();
        }
    }
    summarize(study);
    QVERIFY(study.summary[0].outcomesAgree == true && !study.summary[1].outcomesAgree.has_value());
    const Outcome sums{{{"price", std::string("1.50")}, {"size", std::uint64_t{3}}}};
    QCOMPARE(outcomeText(sums), std::string("{price=1.50, size=3}"));
}

void TestSummary::unavailable() {
    Study study = measuredStudy({"read"}, 15, [](auto, auto) { return 10.0; });
    study.arms.push_back(arm("hugetlb-memfd"));
    study.runs.push_back(
        badRun(1, Phase::inspection, 0, ErrorKind::unavailable, "needs 65 huge pages, 0 are free"));
    summarize(study);
    QCOMPARE(study.summary[1].verdict, Verdict::unranked);
    QCOMPARE(study.summary[1].unrankedReason, std::string("not available: needs 65 huge pages, 0 are free"));
    QVERIFY(!study.summary[1].medianWall);
    QVERIFY(!warns(study, "failed"));
}

void TestSummary::warnings_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("words");
    QTest::newRow("noise") << "noise"
                           << "Wall times scatter (MAD over median: mmap";
    QTest::newRow("drift") << "drift"
                           << "Wall times drifted";
    QTest::newRow("changed") << "changed"
                             << "The file changed during the study";
    QTest::newRow("cache") << "cache"
                           << "\"warm\" in 15 of 30 measured runs: another process maps the file";
    QTest::newRow("observer") << "observer"
                              << "Watching cost more than its budget";
    QTest::newRow("note") << "note"
                          << "mmap: 3 of 16 windows fell back to pread (in 15 runs)";
    QTest::newRow("stolen") << "stolen"
                            << "the host took 10 %";
}

void TestSummary::warnings() {
    QFETCH(QString, what);
    QFETCH(QString, words);
    SplitMix64 random(5);
    Study study = measuredStudy({"read", "mmap"}, 15, [&](std::uint32_t arm, unsigned round) {
        double wall = 100 + random.unit();
        wall *= what == "noise" && arm == 1 ? 1 + 0.4 * random.unit() : 1;
        return wall * (what == "drift" ? 1 + 0.006 * round : 1);
    });
    for (RunRecord& run : study.runs) {
        if (run.arm == 1) {
            run.cache.reached = what != "cache";
            run.cache.reason = what == "cache" ? "another process maps the file" : "";
            run.sampling.costFraction = what == "observer" ? 0.03 : 0.002;
            if (what == "note") {
                run.warnings = {"3 of 16 windows fell back to pread"};
            }
        }
        if (what == "stolen") {
            run.counters[machine_counter::kSpan] = 100'000'000;
            run.counters[machine_counter::kStolen] = 10'000'000;
        }
    }
    if (what == "changed") {
        study.runs.push_back(badRun(0, Phase::measured, 16, ErrorKind::changed, "file shrank"));
        study.runs.push_back(badRun(1, Phase::measured, 16, ErrorKind::changed, "file shrank"));
    }
    summarize(study);
    QVERIFY2(warns(study, words.toStdString()),
             study.warnings.empty() ? "no warning" : study.warnings.front().c_str());
    QCOMPARE(study.warnings.size(), std::size_t{1});
}

void TestSummary::rejectedRows_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("rejected");
    QTest::addColumn<QString>("schema");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("keepsToItself");
    const QString late = "column 1 (time): later than the year 2262";
    QTest::newRow("all") << 0 << 1000 << "time:time,price:decimal"
                         << "too few columns"
                         << "1,000 of 1,000 rows were rejected, the first at byte 120: too few columns."
                         << "unit";
    QTest::newRow("half") << 12345 << 12345 << "generic"
                          << "not a number"
                          << "12,345 of 24,690 rows were rejected"
                          << "unit";
    QTest::newRow("a fixed unit") << 0 << 5 << "time:time:s,price:decimal" << late
                                  << "in a finer unit than the schema says"
                                  << "is not there";
    QTest::newRow("any unit") << 0 << 5 << "time:time,price:decimal" << late << "is the schema right?"
                              << "finer unit";
    QTest::newRow("fewer than half") << 6 << 5 << "generic"
                                     << "not a number"
                                     << ""
                                     << "rejected";
    QTest::newRow("none") << 6 << 0 << "generic"
                          << ""
                          << ""
                          << "rejected";
}

void TestSummary::rejectedRows() {
    QFETCH(int, rows);
    QFETCH(int, rejected);
    QFETCH(QString, schema);
    QFETCH(QString, reason);
    QFETCH(QString, says);
    QFETCH(QString, keepsToItself);
    Study study = measuredStudy({"read", "mmap"}, 15, [](auto, auto) { return 10.0; });
    for (Arm& arm : study.arms) {
        arm.workloadParameters = {{"schema", schema.toStdString()}, {"header", "no"}, {"columns", "auto"}};
    }
    for (RunRecord& run : study.runs) {
        run.outcome = Outcome{{{"rows", std::uint64_t(rows)}, {"rejected", std::uint64_t(rejected)}}};
        if (rejected > 0) {
            run.outcome->fields.emplace_back(
                "first_reject", Outcome{{{"offset", std::uint64_t{120}}, {"reason", reason.toStdString()}}});
        }
    }
    summarize(study);
    // Once for the study, not for every run or arm.
    QCOMPARE(study.warnings.size(), std::size_t(says.isEmpty() ? 0 : 1));
    QVERIFY2(warns(study, says.toStdString()) == !says.isEmpty(),
             study.warnings.empty() ? "no warning" : study.warnings.front().c_str());
    QVERIFY(!warns(study, keepsToItself.toStdString()));
}

void TestSummary::runsTooShortToTell() {
    // They scatter, drift, and are watched for longer than they take: one sentence for all of that.
    SplitMix64 random(3);
    Study study = measuredStudy({"read", "mmap"}, 15, [&](std::uint32_t arm, unsigned round) {
        return (arm == 0 ? 0.04 : 0.02) * (1 + 0.5 * random.unit() + 0.1 * round);
    });
    for (RunRecord& run : study.runs) {
        run.sampling.costFraction = 6.05;
    }
    summarize(study);
    QCOMPARE(study.warnings.size(), std::size_t{1});
    QVERIFY2(warns(study, "Too small to measure: runs take ") && warns(study, " µs (read), ") &&
                 warns(study, "Use a larger file"),
             study.warnings.front().c_str());
    // An arm that takes its time beside one that doesn't is still watched over.
    for (RunRecord& run : study.runs) {
        run.wall *= run.arm == 1 ? 10'000 : 1;
    }
    summarize(study);
    QVERIFY(warns(study, "Too small to measure: runs take ") && warns(study, "Wall times scatter") &&
            warns(study, "Watching cost more"));
    QVERIFY(!warns(study, "(mmap)"));  // among the too small ones
}

void TestSummary::nothingReadHasNoThroughput() {
    Study study = measuredStudy({"read"}, 5, [](auto, auto) { return 10.0; });
    for (RunRecord& run : study.runs) {
        run.bytesIn = Bytes(0);
    }
    summarize(study);
    QVERIFY(study.summary[0].medianWall && !study.summary[0].medianBytesPerSecond);
}

void TestSummary::userAndSystemAreExplainedWhereAbsent() {
    const auto arm = [](double cpuMs, std::optional<double> user, std::optional<double> system) {
        ArmFigures figures;
        figures.cpuNs = cpuMs * 1e6;
        figures.userNs = user;
        figures.systemNs = system;
        return figures;
    };
    const auto note = [](const std::vector<ArmFigures>& arms) {
        return QString::fromStdString(splitNote(arms));
    };
    QVERIFY(note({}).isEmpty());
    QVERIFY(note({ArmFigures()}).isEmpty());  // never ran: the dashes have another reason
    QVERIFY(note({arm(50, 25e6, 25e6)}).isEmpty());
    QVERIFY(note({arm(50, 25e6, 25e6), arm(5, {}, {})}).contains("under 40 ms of CPU time"));
    QVERIFY(note({arm(50, 50e6, {})}).contains("less than a tick"));
    QVERIFY(!note({arm(50, 50e6, {})}).contains("40 ms"));
    const QString both = note({arm(50, 50e6, {}), arm(5, {}, {})});
    QVERIFY(both.contains("40 ms") && both.contains("less than a tick") && !both.contains('\n'));
}

void TestSummary::quietStudyHasNoWarnings() {
    SplitMix64 random(9);
    Study study = measuredStudy({"read", "mmap"}, 15, [&](auto, auto) { return 100 + random.unit(); });
    for (RunRecord& run : study.runs) {
        run.counters[machine_counter::kSpan] = 100'000'000;
        run.counters[machine_counter::kBusy] = 110'000'000;
        run.counters[machine_counter::kOwn] = 100'000'000;
        run.counters[machine_counter::kStolen] = 0;
        run.counters[machine_counter::kSwapIn] = 1;
    }
    summarize(study);
    QVERIFY2(study.warnings.empty(), study.warnings.empty() ? "" : study.warnings.front().c_str());
}

void TestSummary::busyMachine() {
    Study study = measuredStudy({"read"}, 15, [](auto, auto) { return 100.0; });
    for (RunRecord& run : study.runs) {
        run.counters[machine_counter::kSpan] = 100'000'000;
        run.counters[machine_counter::kBusy] = 180'000'000;
        run.counters[machine_counter::kOwn] = 100'000'000;
    }
    summarize(study);
    QVERIFY(warns(study, "other programs kept 0.8 of 2 CPUs busy"));
}

void TestSummary::swapping() {
    Study study = measuredStudy({"read"}, 5, [](auto, auto) { return 100.0; });
    study.runs[2].counters[machine_counter::kSwapIn] = 1000;
    study.runs[3].counters[machine_counter::kSwapOut] = 24;
    summarize(study);
    QVERIFY(warns(study, "1000 pages came in and 24 went out"));
}

void TestSummary::clockThatFalls() {
    Study study = measuredStudy({"read"}, 15, [](auto, auto) { return 100.0; });
    for (RunRecord& run : study.runs) {
        run.counters[machine_counter::kClock] = run.round <= 5 ? 4'800'000 : 3'600'000;
    }
    summarize(study);
    QVERIFY(warns(study, "the CPU's clock fell by 25 %"));
}

void TestSummary::machineStateReadsThisMachine() {
    const MachineState before = MachineState::now();
    std::map<std::string, std::uint64_t> counters;
    QElapsedTimer timer;
    timer.start();
    volatile unsigned spin = 0;
    while (timer.elapsed() < 60) {
        spin = spin + 1;
    }
    MachineState::now().addTo(counters, before);
    QVERIFY(counters.at(machine_counter::kSpan) >= 60'000'000);
    QVERIFY(counters.at(machine_counter::kOwn) > 1'000'000);
    QVERIFY(counters.count(machine_counter::kBusy) == 1);
    QVERIFY(counters.count(machine_counter::kSwapIn) == 1);
    QCOMPARE(counters.count(machine_counter::kClock) == 1,
             QFile::exists("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"));
}

void TestSummary::eachKindHasWords() {
    std::set<std::string> texts;
    for (int kind = 0; kind <= int(WarningKind::sourceNote); ++kind) {
        const std::string text = textOf({WarningKind(kind), "FIGURES"});
        QVERIFY(text.find("FIGURES") != std::string::npos);
        QVERIFY(text.find('\n') == std::string::npos);
        QVERIFY(texts.insert(text).second);
    }
}

QTEST_GUILESS_MAIN(TestSummary)
#include "tst_summary.moc"
