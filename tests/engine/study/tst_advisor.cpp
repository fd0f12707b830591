// Rules of advise over made-up facts, the facts of a real file, and what a measurement says of the advice.
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

#include "source/source.h"
#include "study/advisor.h"
#include "study_fixtures.h"
#include "workload/workload.h"

using namespace mmapscope;

namespace {

AdviceFacts facts() {
    AdviceFacts f{
        .file = {},
        .workload = "scan",
        .workloadParameters = {},
        .machine = {8, gib(16)},
        .hypervisor = {},
        .claimsToRotate = {},
        .latency = ReadLatency{64, kib(4), std::chrono::microseconds(90), std::chrono::microseconds(200)},
        .residency = Residency{gib(1), Bytes(0), gib(1), true},
        .folios = fail(ErrorKind::unavailable, "made up"),
        .room = gib(8),
        .roomSetBy = "MemAvailable",
        .memoryCap = {},
        .hugePages = 0,
        .touch = {}};
    f.file.path = "/data/file";
    f.file.bytes = gib(1);
    f.file.filesystem = "ext4";
    f.file.device = "/dev/nvme0n1";
    f.file.storage = StorageClass::nvme;
    f.file.owned = true;
    return f;
}

AdviceFacts cold(StorageClass storage) {
    AdviceFacts f = facts();
    f.file.storage = storage;
    f.residency = Residency{Bytes(0), Bytes(0), gib(1), true};
    return f;
}

TouchCost cost(int mappedMs, int copiedMs) {
    return {mib(16), std::chrono::milliseconds(mappedMs), std::chrono::milliseconds(copiedMs)};
}

}  // namespace

class TestAdvisor : public QObject {
    Q_OBJECT

  private slots:
    void everyRuleIsWhole() {
        std::set<std::string_view> ids;
        const AdviceRule* lastThatDecides = nullptr;
        for (const AdviceRule& rule : adviceRules()) {
            QVERIFY(ids.insert(rule.id).second);
            QVERIFY(!rule.reason.empty() && !rule.basis.empty());
            if (rule.arms.empty()) {
                continue;
            }
            lastThatDecides = &rule;
            QVERIFY(!rule.changes.empty());
            QVERIFY(rule.arms.front().source == "read" ||
                    std::any_of(rule.arms.begin(), rule.arms.end(), [](const ArmChoice& arm) {
                        return arm.source == "read" || arm.source == "pread";
                    }));
            for (const ArmChoice& arm : rule.arms) {
                const SourceType* const type = findSource(arm.source);
                QVERIFY(type != nullptr);
                QVERIFY(parseParameters(type->parameters, arm.parameters).has_value());
            }
        }
        QVERIFY(lastThatDecides->when.fits(Situation{}));
    }

    void everyRuleThatDecidesIsReached() {
        std::set<std::string_view> reached;
        for (int medium = 0; medium <= static_cast<int>(Medium::memory); ++medium) {
            for (int size = 0; size < 3; ++size) {
                for (int cached = 0; cached < 3; ++cached) {
                    for (int room = 0; room < 3; ++room) {
                        for (int cheaper = 0; cheaper < 3; ++cheaper) {
                            const Situation s{static_cast<Medium>(medium),
                                              static_cast<SizeClass>(size),
                                              static_cast<Cached>(cached),
                                              FolioClass::unknown,
                                              static_cast<Room>(room),
                                              static_cast<Cheaper>(cheaper),
                                              false,
                                              false,
                                              false};
                            const auto rules = adviceRules();
                            const auto rule = std::find_if(
                                rules.begin(), rules.end(),
                                [&](const AdviceRule& r) { return !r.arms.empty() && r.when.fits(s); });
                            QVERIFY(rule != rules.end());
                            reached.insert(rule->id);
                        }
                    }
                }
            }
        }
        for (const AdviceRule& rule : adviceRules()) {
            QVERIFY2(rule.arms.empty() || reached.contains(rule.id), rule.id.data());
        }
    }

    void whatIsCachedIsDecidedByWhatItCosts() {
        AdviceFacts f = facts();
        f.touch = cost(2, 3);
        QCOMPARE(situationOf(f).cheaper, Cheaper::mapping);
        f.touch = cost(4, 3);
        QCOMPARE(situationOf(f).cheaper, Cheaper::copying);
        f.touch.reset();
        QCOMPARE(situationOf(f).cheaper, Cheaper::unknown);
    }

    void aVirtualDiskIsJudgedByItsLatency() {
        AdviceFacts f = cold(StorageClass::virtualDisk);
        f.claimsToRotate = true;
        QCOMPARE(situationOf(f).medium, Medium::seekless);
        QVERIFY(situationOf(f).claimRefuted);
        f.latency->median = std::chrono::milliseconds(8);
        QCOMPARE(situationOf(f).medium, Medium::seeking);
        QVERIFY(!situationOf(f).claimRefuted);
        f.latency = fail(ErrorKind::unavailable, "no O_DIRECT");
        QCOMPARE(situationOf(f).medium, Medium::unknown);
    }

    void memoryDecides() {
        AdviceFacts f = cold(StorageClass::nvme);
        QCOMPARE(situationOf(f).room, Room::fits);
        f.room = mib(256);
        QCOMPARE(situationOf(f).room, Room::tooLarge);
        f.room.reset();
        QCOMPARE(situationOf(f).room, Room::unknown);
    }

    void factsOfARealFile() {
        QTemporaryDir folder;
        QFile file(folder.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(4 << 20, 'x'));
        file.close();
        const auto f = adviceFacts(file.fileName().toStdString(), "scan", {}, mib(2));
        QVERIFY2(f, f ? "" : f.error().message.c_str());
        QVERIFY(f->residency && f->residency->fraction() > 0.9);  // just written
        QVERIFY(f->touch && f->touch->mapped.count() > 0 && f->touch->copied.count() > 0);
        const Advice advice = advise(*f);
        QCOMPARE(QString::fromStdString(advice.rule), QStringLiteral("larger-than-memory"));
        QVERIFY(!advice.reasons.empty() && advice.facts.size() >= 6);
        QVERIFY(!adviceFacts("/nowhere", "scan", {}));
        QVERIFY(!adviceFacts(file.fileName().toStdString(), "nothing", {}));
    }

    /// Nothing is read from a device where a file has no blocks.
    void holesHaveNoLatency() {
        QTemporaryDir folder;
        for (const qint64 written : {0, 1 << 20}) {
            QFile file(folder.filePath(QString::number(written)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(written, 'x'));
            QVERIFY(file.resize(64 << 20));
            QVERIFY(file.flush() && ::fsync(file.handle()) == 0);
            const auto f = adviceFacts(file.fileName().toStdString(), "scan", {});
            QVERIFY(f && !f->latency);
            if (f->file.storage != StorageClass::memory) {
                QVERIFY2(f->latency.error().message.find("on disk") != std::string::npos,
                         f->latency.error().message.c_str());
            }
        }
    }

    void aShortStudyStopsWhereTheWorkloadCan() {
        AdviceFacts f = cold(StorageClass::nvme);
        QCOMPARE(adviceStudy(f, advise(f), {}).limit, std::optional(mib(256)));
        f.workload = "pieces";
        f.workloadParameters = *parseParameters(findWorkload("pieces")->parameters, "piece=1MiB");
        QCOMPARE(adviceStudy(f, advise(f), {}).limit, std::optional(mib(256)));
        // A frame is decoded to its end: no limit, rather than a study that can't be planned.
        f.workload = "zstd";
        f.file.path = "/nowhere/no-frame";
        QCOMPARE(adviceStudy(f, advise(f), {}).limit, std::optional<Bytes>());
    }

    void whatAMeasurementSays_data() {
        QTest::addColumn<double>("readMs");
        QTest::addColumn<double>("mmapMs");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("words");
        using Kind = AdviceVerdict::Kind;
        QTest::newRow("holds") << 10.0 << 5.0 << int(Kind::holds) << "the advice holds";
        QTest::newRow("contradicted")
            << 5.0 << 10.0 << int(Kind::contradicted) << "contradicts the rule: here, use read";
        QTest::newRow("tied") << 10.0 << 10.0 << int(Kind::tied) << "too little to tell them apart";
    }
    void whatAMeasurementSays() {
        QFETCH(double, readMs);
        QFETCH(double, mmapMs);
        QFETCH(int, kind);
        QFETCH(QString, words);
        SplitMix64 random(5);
        Study study = fixtures::measuredStudy({"read", "mmap"}, 15, [&](std::uint32_t arm, unsigned) {
            return fixtures::noisyWall(random, arm == 0 ? readMs : mmapMs);
        });
        summarize(study);
        study.plan.cache = CacheState::cold;
        study.plan.limit = mib(256);
        const AdviceVerdict verdict = judgeAdvice(study, ArmRequest{"mmap", {}, 1});
        QCOMPARE(int(verdict.kind), kind);
        QVERIFY2(QString::fromStdString(verdict.sentence).contains(words), verdict.sentence.c_str());
        QVERIFY2(verdict.sentence.starts_with("Measured (cache cold, the first 256 MiB): "),
                 verdict.sentence.c_str());
        QCOMPARE(judgeAdvice(study, ArmRequest{"direct", {}, 1}).kind, AdviceVerdict::Kind::unranked);
    }
};

QTEST_GUILESS_MAIN(TestAdvisor)
#include "tst_advisor.moc"
