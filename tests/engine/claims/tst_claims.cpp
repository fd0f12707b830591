// The verdict rule on made-up results, the table of claims, and what reports make of outside text.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "claims/claims_report.h"
#include "source/source.h"
#include "tests/engine/study/study_fixtures.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

Q_DECLARE_METATYPE(mmapscope::ClaimVerdict)

namespace {

Finding ratioOf(double published, double low, double high) {
    return judgeRatio({"s", "what", Figure::speed, "a", "b", published}, {(low + high) / 2, low, high});
}

ClaimStudies made(Study study) {
    summarize(study);
    ClaimStudies studies;
    studies["s"] = {std::move(study), {}};
    return studies;
}

FindingSpec speed(double published) {
    return {"s", "mmap against read", Figure::speed, "mmap", "read", published};
}

}  // namespace

class TestClaims : public QObject {
    Q_OBJECT

  private slots:
    void ratios_data() {
        QTest::addColumn<double>("published");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<ClaimVerdict>("verdict");
        QTest::addColumn<int>("size");
        using enum ClaimVerdict;
        QTest::newRow("same side, same size") << 1.15 << 1.10 << 1.20 << agrees << 1;
        QTest::newRow("same side, other size") << 1.15 << 1.40 << 1.50 << agrees << 0;
        QTest::newRow("size within the margin") << 1.15 << 1.19 << 1.30 << agrees << 1;
        QTest::newRow("slower as published") << 0.9 << 0.85 << 0.95 << agrees << 1;
        QTest::newRow("other side") << 1.15 << 0.8 << 0.9 << disagrees << 0;
        QTest::newRow("tied where faster was said") << 1.15 << 0.995 << 1.005 << disagrees << 0;
        QTest::newRow("inside the border") << 1.15 << 1.005 << 1.02 << disagrees << 0;
        QTest::newRow("wide: decides nothing") << 1.15 << 0.95 << 1.2 << notTestable << 1;
        QTest::newRow("just beside the published one") << 0.9 << 0.91 << 1.06 << notTestable << 1;
        QTest::newRow("a tie, tied") << 1.0 << 0.98 << 1.02 << agrees << 1;
        QTest::newRow("a tie, too wide to tell") << 1.0 << 0.7 << 1.4 << notTestable << 1;
        QTest::newRow("a tie, faster") << 1.0 << 1.2 << 1.3 << disagrees << 0;
        QTest::newRow("a tie, slower") << 1.005 << 0.7 << 0.8 << disagrees << 0;
    }
    void ratios() {
        QFETCH(double, published);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(ClaimVerdict, verdict);
        QFETCH(int, size);
        const Finding finding = ratioOf(published, low, high);
        QCOMPARE(finding.verdict, verdict);
        QCOMPARE(finding.sizeAgrees.value(), size == 1);
        QCOMPARE(finding.reason.empty(), verdict != ClaimVerdict::notTestable);
    }

    /// What was not published is not quoted, and has no size.
    void onlyDirections() {
        FindingSpec spec = speed(1.1);
        spec.onlyDirection = true;
        QCOMPARE(judgeRatio(spec, {1.3, 1.2, 1.4}).verdict, ClaimVerdict::agrees);
        QCOMPARE(judgeRatio(spec, {0.8, 0.7, 0.9}).verdict, ClaimVerdict::disagrees);
        QCOMPARE(judgeRatio(spec, {1, 0.97, 1.03}).verdict, ClaimVerdict::disagrees);
        const Finding open = judgeRatio(spec, {1, 0.85, 1.2});
        QCOMPARE(open.verdict, ClaimVerdict::notTestable);
        QVERIFY(!open.reason.empty() && open.reason.find("1.10") == std::string::npos);
        QVERIFY(!open.sizeAgrees);
    }

    void levels() {
        FindingSpec spec{"s", "faults", Figure::minorFaults, "a", "", 100};
        QCOMPARE(judgeLevel(spec, {60, 50, 70}).verdict, ClaimVerdict::agrees);
        QCOMPARE(judgeLevel(spec, {40, 30, 50}).verdict, ClaimVerdict::disagrees);
        QCOMPARE(judgeLevel(spec, {201, 150, 250}).verdict, ClaimVerdict::disagrees);
        spec.nearness = Nearness::atMost;
        QCOMPARE(judgeLevel(spec, {0, 0, 0}).verdict, ClaimVerdict::agrees);
        QCOMPARE(judgeLevel(spec, {101, 0, 200}).verdict, ClaimVerdict::disagrees);
        spec.nearness = Nearness::atLeast;
        QCOMPARE(judgeLevel(spec, {101, 0, 200}).verdict, ClaimVerdict::agrees);
        QCOMPARE(judgeLevel(spec, {99, 0, 200}).verdict, ClaimVerdict::disagrees);
    }

    /// The arm is told apart from the baseline the right way round.
    void fromRuns() {
        const auto studies =
            made(measuredStudy({"read", "mmap"}, 7, [](auto a, auto) { return a == 0 ? 12.0 : 10.0; }));
        const Finding finding = findingOf(speed(1.2), studies);
        QCOMPARE(finding.verdict, ClaimVerdict::agrees);
        QVERIFY(std::abs(finding.here->ratio - 1.2) < 1e-9);
        QCOMPARE(findingOf(speed(0.8), studies).verdict, ClaimVerdict::disagrees);
    }

    /// Filling outside the clock: the arm's from its first byte, the other's from open.
    void setupOutside() {
        Study study = measuredStudy({"read", "mmap"}, 7, [](auto, auto) { return 10.0; });
        for (RunRecord& run : study.runs) {
            run.setup = Nanoseconds(2'000'000);
        }
        FindingSpec spec = speed(1.25);
        spec.figure = Figure::speedAfterSetup;
        const Finding finding = findingOf(spec, made(study));
        QVERIFY(std::abs(finding.here->ratio - 1.25) < 1e-9);
    }

    void countsOfNothing() {
        Study study = measuredStudy({"read", "mmap"}, 7, [](auto, auto) { return 10.0; });
        for (RunRecord& run : study.runs) {
            run.heapAllocated = run.arm == 0 ? kib(64) : Bytes(0);
        }
        FindingSpec spec = speed(0.0005);
        spec.figure = Figure::heapBytes;
        QCOMPARE(findingOf(spec, made(study)).verdict, ClaimVerdict::agrees);
        spec.figure = Figure::systemTime;  // 0: the ticks told nothing, so nothing is judged
        const Finding system = findingOf(spec, made(study));
        QCOMPARE(system.verdict, ClaimVerdict::notTestable);
        QVERIFY(system.reason.find("ticks") != std::string::npos);
    }

    void whatCannotBeTested() {
        const ClaimStudies none;
        QCOMPARE(findingOf(speed(1.2), none).verdict, ClaimVerdict::notTestable);
        ClaimStudies failed;
        failed["s"] = {std::nullopt, "no room"};
        QCOMPARE(findingOf(speed(1.2), failed).reason, std::string("no room"));

        const auto few = made(measuredStudy({"read", "mmap"}, 4, [](auto a, auto) { return 10.0 + a; }));
        QVERIFY(findingOf(speed(1.2), few).reason.find("4 good rounds") != std::string::npos);

        Study unavailable = measuredStudy({"read"}, 7, [](auto, auto) { return 10.0; });
        unavailable.arms.push_back(arm("mmap"));
        unavailable.runs.push_back(
            badRun(1, Phase::inspection, 0, ErrorKind::unavailable, "5 huge pages are missing"));
        QCOMPARE(findingOf(speed(1.2), made(unavailable)).reason, std::string("5 huge pages are missing"));

        Study wrong = measuredStudy({"read", "mmap"}, 7, [](auto a, auto) { return 10.0 + a; });
        for (RunRecord& run : wrong.runs) {
            if (run.arm == 1) {
                run.outcome = Outcome{{{"bytes", std::uint64_t{1}}}};
            }
        }
        QCOMPARE(findingOf(speed(1.2), made(wrong)).verdict, ClaimVerdict::notTestable);
    }

    /// What only says more doesn't decide; one that disagrees does.
    void claimFromFindings() {
        const auto studies =
            made(measuredStudy({"read", "mmap"}, 7, [](auto a, auto) { return a == 0 ? 12.0 : 10.0; }));
        Claim claim{.id = "T1", .group = "g", .says = "s", .conditions = "c", .explanation = "e"};
        FindingSpec beside = speed(0.8);
        beside.decides = false;
        claim.findings = {speed(1.2), beside};
        QCOMPARE(judge(claim, studies).verdict, ClaimVerdict::agrees);
        claim.findings.push_back(speed(0.8));
        QCOMPARE(judge(claim, studies).verdict, ClaimVerdict::disagrees);
        claim.findings = {beside};
        claim.untested = "the cause";
        QCOMPARE(judge(claim, studies).verdict, ClaimVerdict::notTestable);
        QCOMPARE(judge(claim, studies).reason, std::string("the cause"));
        claim.findings = {};
        claim.untested = "a method";
        QCOMPARE(judge(claim, studies).reason, std::string("a method"));
    }

    void tableIsWhole() {
        QStringList ids;
        for (const Claim& claim : publishedClaims()) {
            ids << QString::fromUtf8(claim.id.data(), qsizetype(claim.id.size()));
            QVERIFY2(!claim.says.empty() && !claim.conditions.empty() && !claim.explanation.empty() &&
                         !claim.group.empty() && !claim.sources.empty(),
                     claim.id.data());
            const bool isDecided = std::any_of(claim.findings.begin(), claim.findings.end(),
                                               [](const FindingSpec& f) { return f.decides; });
            QVERIFY2(isDecided || !claim.untested.empty(), claim.id.data());
            for (const FindingSpec& finding : claim.findings) {
                const StudySpec* study = findClaimStudy(finding.study);
                QVERIFY2(study != nullptr, claim.id.data());
                const auto has = [&](std::string_view label) {
                    return std::any_of(study->arms.begin(), study->arms.end(),
                                       [&](const ArmSpec& a) { return a.label == label; });
                };
                QVERIFY2(has(finding.arm), finding.what.data());
                QCOMPARE(isRatio(finding.figure), has(finding.against));
                QVERIFY(isRatio(finding.figure) ? finding.published > 0 : finding.published >= 0);
            }
        }
        QCOMPARE(ids.join(QLatin1Char(' ')),
                 QStringLiteral("Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 H1 H2 H3 P1 P2 P3 P4 P5 P6"));
    }

    void studiesCanBePlanned() {
        std::chrono::seconds sum{0};
        for (const StudySpec& study : claimStudies()) {
            sum += study.quickBudget;
            const WorkloadType* workload = findWorkload(study.workload);
            QVERIFY(workload != nullptr);
            QVERIFY(parseParameters(workload->parameters, study.workloadParameters).has_value());
            for (const ArmSpec& armSpec : study.arms) {
                const SourceType* source = findSource(armSpec.source);
                QVERIFY2(source != nullptr, armSpec.source.data());
                QVERIFY(parseParameters(source->parameters, armSpec.parameters).has_value());
                QVERIFY(parseParameters(workload->parameters, armSpec.workloadParameters).has_value());
            }
            QVERIFY(study.quickRounds >= 5 && study.quickSize <= study.fullSize);
        }
        QVERIFY2(sum <= std::chrono::minutes(5), "the budgets of --quick leave its limit");
    }

    void reportsEscape() {
        static const Claim kOdd{.id = "T1",
                                .group = "g",
                                .says = "a | b <script> *c*",
                                .conditions = "\"quoted\", with comma",
                                .explanation = "e",
                                .sources = {"s|t"},
                                .findings = {{"s", "x | \"y\",\nz", Figure::speed, "mmap", "read", 1.2}}};
        ClaimsReport report;
        report.studies =
            made(measuredStudy({"read", "mmap"}, 7, [](auto a, auto) { return a == 0 ? 12.0 : 10.0; }));
        report.results = {judge(kOdd, report.studies)};
        report.complete = true;

        const QString markdown = QString::fromStdString(claimsToMarkdown(report));
        QVERIFY(!markdown.contains("<script>"));
        for (const QString& line : markdown.split('\n')) {
            if (line.startsWith("| T1")) {
                QString cells = line;
                QCOMPARE(cells.remove("\\|").count('|'), 6);
            }
        }
        const QString csv = QString::fromStdString(claimsToCsv(report));
        QVERIFY(csv.contains("\"x | \"\"y\"\",\nz\""));
        const auto json = nlohmann::json::parse(claimsToJson(report));
        QCOMPARE(json["claims"][0]["findings"][0]["verdict"].get<std::string>(), std::string("agrees"));
        QCOMPARE(json["claims"][0]["says"].get<std::string>(), std::string(kOdd.says));
        QVERIFY(claimsToText(report).find("size too") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestClaims)
#include "tst_claims.moc"
