// Which arms of which studies are held against each other, what is refused, and what is said.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "report/comparison.h"
#include "study/side_by_side.h"
#include "study_fixtures.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

/// Arms at these milliseconds, with rounds that scatter by 1 %.
std::shared_ptr<Study> study(const std::vector<std::string>& ids, const std::vector<double>& ms,
                             std::uint64_t seed = 1) {
    SplitMix64 random(seed);
    auto made = std::make_shared<Study>(
        measuredStudy(ids, 15, [&](std::uint32_t arm, unsigned) { return noisyWall(random, ms[arm]); }));
    made->complete = true;
    made->environment.kernel = "6.1";
    summarize(*made);
    return made;
}

const std::vector<std::string> kIds{"read", "mmap", "pread", "mmap-populate"};
const std::vector<double> kMs{10, 8, 10, 9};

QString sentences(const SideBySide& compared) {
    QStringList lines;
    for (const std::string& line : comparisonSentences(compared)) {
        lines << QString::fromStdString(line);
    }
    return lines.join('\n');
}

}  // namespace

class TestSideBySide : public QObject {
    Q_OBJECT

  private slots:
    void armsAreMatchedByWhatTheyAre();
    void aSlowerArmIsNamed();
    void studiesOfOneNameAreOneSide();
    void incomparable_data();
    void incomparable();
    void armsThatCannotTakePart();
    void differences();
    void names();
    void forPrograms();
};

void TestSideBySide::armsAreMatchedByWhatTheyAre() {
    auto other = study({"mmap", "direct", "read", "pread"}, {8, 9, 10, 10}, 2);
    other->arms[1].source = "direct";
    other->arms[2].id = "read#2";  // an id is only a label
    const std::vector<NamedStudy> both{{"a", study(kIds, kMs)}, {"b", other}};
    const auto compared = compareStudies(both);
    QVERIFY(compared.has_value());
    QCOMPARE(compared->rows.size(), std::size_t{5});
    QCOMPARE(compared->rows[0].id, std::string("read"));
    QVERIFY(compared->rows[0].sides[1].change.has_value());
    QVERIFY(!compared->rows[3].sides[1].change.has_value());
    QVERIFY(!compared->rows[3].sides[1].present);
    QCOMPARE(compared->rows[4].id, std::string("direct"));
    QVERIFY(!compared->rows[4].sides[0].present);
    QVERIFY2(sentences(*compared).contains("mmap-populate has no verdict: not in b."),
             qPrintable(sentences(*compared)));
    QVERIFY(sentences(*compared).contains("direct has no verdict: not in a."));
}

void TestSideBySide::aSlowerArmIsNamed() {
    std::vector<double> slower = kMs;
    slower[1] *= 1.5;
    const std::vector<NamedStudy> both{{"old", study(kIds, kMs)}, {"new", study(kIds, slower, 2)}};
    const auto compared = compareStudies(both);
    QCOMPARE(compared->rows[1].sides[1].change->verdict, Verdict::slower);
    for (const std::size_t row : {0U, 2U, 3U}) {
        QCOMPARE(compared->rows[row].sides[1].change->verdict, Verdict::tied);
    }
    QVERIFY2(sentences(*compared).startsWith("Slower in new than in old: mmap (0.6"),
             qPrintable(sentences(*compared)));
    QVERIFY(sentences(*compared).contains("not known from so few"));
    // Beyond 40 % it isn't.
    QCOMPARE(compareStudies(both, 0.4)->rows[1].sides[1].change->verdict, Verdict::tied);
}

void TestSideBySide::studiesOfOneNameAreOneSide() {
    std::vector<NamedStudy> six;
    for (std::uint64_t i = 0; i < 6; ++i) {
        six.push_back({i % 2 == 0 ? "old" : "new", study(kIds, kMs, i + 1)});
    }
    const auto compared = compareStudies(six);
    QCOMPARE(compared->sides.size(), std::size_t{2});
    QCOMPARE(compared->sides[0].sittings.size(), std::size_t{3});
    QCOMPARE(compared->rows[0].sides[0].runs, std::size_t{45});
    QVERIFY(sentences(*compared).contains("as 3 or more of them show"));
    QVERIFY(!compared->together[1].has_value());
    for (NamedStudy& named : six) {
        named.name = "one";
    }
    const auto alone = compareStudies(six);
    QVERIFY(!alone.has_value());
    QCOMPARE(alone.error().kind, ErrorKind::usage);
}

void TestSideBySide::incomparable_data() {
    QTest::addColumn<std::function<void(Study&)>>("change");
    QTest::addColumn<QString>("reason");
    using Change = std::function<void(Study&)>;
    QTest::newRow("size") << Change([](Study& s) { s.plan.fileBytes = mib(2); })
                          << "another file: 2 MiB, not 1 MiB";
    QTest::newRow("limit") << Change([](Study& s) { s.plan.limit = kib(64); })
                           << "another limit: 64 KiB, not none";
    QTest::newRow("workload") << Change([](Study& s) { s.plan.workload = "pieces"; })
                              << "another workload: pieces";
    QTest::newRow("cache") << Change([](Study& s) { s.plan.cache = CacheState::cold; })
                           << "another cache state: cold, not warm";
    QTest::newRow("cap") << Change([](Study& s) { s.plan.memoryCap = mib(256); })
                         << "another memory cap: 256 MiB, not none";
    QTest::newRow("content") << Change([](Study& s) {
        for (RunRecord& run : s.runs) {
            run.outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{43}}}};
        }
    }) << "another content: its sum is 43, not 42";
    QTest::newRow("sweep") << Change([](Study& s) { s.sweep.emplace(); }) << "is a sweep over sizes";
    QTest::newRow("nothing") << Change([](Study& s) { s.runs.clear(); }) << "has no good measured run";
}

void TestSideBySide::incomparable() {
    QFETCH(std::function<void(Study&)>, change);
    QFETCH(QString, reason);
    auto other = study(kIds, kMs, 2);
    change(*other);
    const std::vector<NamedStudy> both{{"a", study(kIds, kMs)}, {"b", other}};
    const auto compared = compareStudies(both);
    QVERIFY(compared.has_value());
    QVERIFY2(QString::fromStdString(compared->sides[1].refusal).contains(reason),
             compared->sides[1].refusal.c_str());
    QVERIFY(!compared->hasChanges());
    QVERIFY(sentences(*compared).contains("b can't be compared with a: "));
    for (const auto& text : {comparisonToText(*compared), comparisonToMarkdown(*compared),
                             comparisonToCsv(*compared), comparisonToJson(*compared)}) {
        QVERIFY(!text.empty());
    }
}

void TestSideBySide::armsThatCannotTakePart() {
    auto other = study(kIds, kMs, 2);
    other->runs.push_back(badRun(1, Phase::measured, 16, ErrorKind::failed, "the disk is on fire"));
    summarize(*other);
    const std::vector<NamedStudy> both{{"a", study(kIds, kMs)}, {"b", other}};
    const auto compared = compareStudies(both);
    QVERIFY(!compared->rows[1].sides[1].change.has_value());
    QVERIFY2(sentences(*compared).contains("mmap has no verdict: b: a run failed: the disk is on fire."),
             qPrintable(sentences(*compared)));
}

void TestSideBySide::differences() {
    auto other = study(kIds, kMs, 2);
    other->environment.kernel = "6.18\x1b[31m";
    const std::vector<NamedStudy> both{{"a", study(kIds, kMs)}, {"b", other}};
    const SummaryTable table = differencesTable(*compareStudies(both));
    QCOMPARE(table.rows.size(), std::size_t{1});
    QCOMPARE(table.rows[0][0], std::string("kernel"));
    QCOMPARE(table.rows[0][1], std::string("Linux 6.1"));
    QVERIFY(table.rows[0][2].find('\x1b') == std::string::npos);
    const std::string text = comparisonToText(*compareStudies(both));
    QVERIFY(text.find("kernel") < text.find("verdict"));  // first
}

void TestSideBySide::names() {
    const auto of = [](std::vector<std::string> paths) { return namesOfStudies(paths); };
    QCOMPARE(of({"x/old.json", "y/new.mmapscope"}), (std::vector<std::string>{"old", "new"}));
    QCOMPARE(of({"x/s.json", "y/s.json"}), (std::vector<std::string>{"x/s", "y/s"}));
    QCOMPARE(of({"s.json", "s.json", "s.json"}), (std::vector<std::string>{"s", "s (2)", "s (3)"}));
    QCOMPARE(of({"odd.txt"}), (std::vector<std::string>{"odd.txt"}));
}

void TestSideBySide::forPrograms() {
    std::vector<double> slower = kMs;
    slower[1] *= 1.5;
    const std::vector<NamedStudy> both{{"a,\"x\"", study(kIds, kMs)}, {"b", study(kIds, slower, 2)}};
    const auto compared = compareStudies(both);
    const auto json = nlohmann::json::parse(comparisonToJson(*compared));
    QCOMPARE(json["arms"][1]["sides"][1]["verdict"].get<std::string>(), std::string("slower"));
    QCOMPARE(json["arms"][1]["sides"][0]["verdict"].get<std::string>(), std::string("baseline"));
    QVERIFY(json["arms"][1]["sides"][1]["ratio"].get<double>() < 0.7);
    QVERIFY(json["arms"][1]["sides"][0]["ratio"].is_null());
    const QStringList lines = QString::fromStdString(comparisonToCsv(*compared)).split("\r\n");
    QCOMPARE(lines.size(), 10);  // header, two for each arm, nothing after the last
    QVERIFY(lines[1].startsWith("read,\"a,\"\"x\"\"\",15,"));
    QVERIFY(lines.last().isEmpty());
}

QTEST_GUILESS_MAIN(TestSideBySide)
#include "tst_side_by_side.moc"
