// Whether two studies of the same thing are told apart as rarely as promised: by sittings of one machine that
// were recorded, and by simulated ones; and whether what truly became slower is found.
#include <QFile>
#include <QtTest>
#include <cmath>
#include <map>
#include <vector>

#include "study/between_studies.h"
#include "study/random.h"
#include "study/student.h"

using namespace mmapscope;

namespace {

using Sitting = std::vector<SittingFigures>;  // one for each arm

/// What was recorded, by study: wall times of every arm in sittings one after the other.
std::map<QString, std::vector<Sitting>> recorded(std::size_t rounds = 1000) {
    std::map<QString, std::vector<Sitting>> studies;
    QFile file(QStringLiteral(MMAPSCOPE_SITTINGS));
    if (!file.open(QIODevice::ReadOnly)) {
        return studies;
    }
    file.readLine();
    while (!file.atEnd()) {
        const QStringList cells = QString::fromLatin1(file.readLine().trimmed()).split(',');
        std::vector<double> walls;
        for (const QString& wall : cells.at(3).split(' ')) {
            if (walls.size() < rounds) {
                walls.push_back(wall.toDouble());
            }
        }
        auto& sittings = studies[cells.at(0)];
        sittings.resize(std::max<std::size_t>(sittings.size(), cells.at(1).toUInt() + 1));
        sittings[cells.at(1).toUInt()].push_back(sittingFigures(walls));
    }
    return studies;
}

using Side = std::vector<const Sitting*>;

std::vector<SideFigures> figures(const Side& side) {
    std::vector<SideFigures> arms;
    for (std::size_t arm = 0; arm < side.front()->size(); ++arm) {
        std::vector<SittingFigures> sittings;
        for (const Sitting* sitting : side) {
            sittings.push_back((*sitting)[arm]);
        }
        arms.push_back(sideFigures(sittings));
    }
    return arms;
}

std::vector<JudgedChange> judged(const Side& first, const Side& other) {
    return judgeChanges(changesOf(figures(first), figures(other)));
}

bool anyTold(const std::vector<JudgedChange>& changes) {
    return std::any_of(changes.begin(), changes.end(),
                       [](const JudgedChange& change) { return change.verdict != Verdict::tied; });
}

/// Normal enough for a test: twelve uniforms.
double normal(SplitMix64& random) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
        sum += random.unit();
    }
    return sum;
}

/// A sitting of arms that share a shift of the machine, each with one of its own, and rounds that scatter and
/// now and then are disturbed.
struct Noise {
    double machine = 0.03, own = 0.012, round = 0.015, disturbed = 0.05;
};
Sitting simulated(SplitMix64& random, std::size_t arms, unsigned rounds, const Noise& noise,
                  const std::vector<double>& change = {}) {
    const double machine = noise.machine * normal(random);
    Sitting sitting;
    for (std::size_t arm = 0; arm < arms; ++arm) {
        const double center = machine + noise.own * normal(random) + (change.empty() ? 0 : change[arm]);
        std::vector<double> walls;
        for (unsigned round = 0; round < rounds; ++round) {
            const double extra = random.unit() < noise.disturbed ? 0.5 * random.unit() : 0;
            walls.push_back(1e7 * std::exp(center + noise.round * normal(random) + extra));
        }
        sitting.push_back(sittingFigures(walls));
    }
    return sitting;
}

}  // namespace

class TestBetweenStudies : public QObject {
    Q_OBJECT

  private slots:
    void studentsTable();
    void robustDeviationOfNormals();
    void recordedSittingsAreTheSame();
    void fewRoundsOfThemToo();
    void threeSittingsASideAreTheSame();
    void sixtySimulatedPairs();
    void aTrueSlowDownIsFound();
    void aSlowMachineAloneIsNoChange();
    void holm();
    void moreSittingsMeasureTheMachine();
};

void TestBetweenStudies::studentsTable() {
    // Printed tables of the distribution, two-sided 5 %.
    QVERIFY(std::abs(studentQuantile(0.025, 1) - 12.706) < 1e-3);
    QVERIFY(std::abs(studentQuantile(0.025, 4) - 2.776) < 1e-3);
    QVERIFY(std::abs(studentQuantile(0.025, 10) - 2.228) < 1e-3);
    QVERIFY(std::abs(studentQuantile(0.025, 1e7) - 1.960) < 1e-3);
    QVERIFY(std::abs(studentQuantile(0.005, 10) - 3.169) < 1e-3);
    for (const double df : {0.7, 2.0, 9.5, 40.0}) {
        QVERIFY(std::abs(studentUpperTail(studentQuantile(0.01, df), df) - 0.01) < 1e-6);
    }
    QCOMPARE(studentUpperTail(0, 5), 0.5);
}

void TestBetweenStudies::robustDeviationOfNormals() {
    SplitMix64 random(3);
    for (const std::size_t n : {5U, 9U, 15U, 60U}) {
        double sum = 0;
        for (int repeat = 0; repeat < 400; ++repeat) {
            std::vector<double> values;
            for (std::size_t i = 0; i < n; ++i) {
                values.push_back(normal(random));
            }
            sum += robustDeviation(values);
        }
        QVERIFY2(std::abs(sum / 400 - 1) < 0.06, qPrintable(QString::number(sum / 400)));
    }
    QCOMPARE(robustDeviation(std::vector<double>{}), 0.0);
    QCOMPARE(robustDeviation(std::vector<double>{3.0}), 0.0);
    QCOMPARE(robustDeviation(std::vector<double>{3.0, 3.0, 3.0}), 0.0);
}

void TestBetweenStudies::recordedSittingsAreTheSame() {
    const auto studies = recorded();
    QVERIFY(studies.size() >= 3);
    std::size_t pairs = 0, wrong = 0;
    for (const auto& [name, sittings] : studies) {
        std::size_t all = 0, told = 0;
        for (std::size_t i = 0; i < sittings.size(); ++i) {
            for (std::size_t j = i + 1; j < sittings.size(); ++j) {
                ++all;
                told += anyTold(judged({&sittings[i]}, {&sittings[j]})) ? 1 : 0;
            }
        }
        qInfo("%s: %zu of %zu pairs of sittings told apart", qPrintable(name), told, all);
        pairs += all;
        wrong += told;
    }
    QVERIFY(pairs > 1000);
    QVERIFY2(static_cast<double>(wrong) <= 0.05 * static_cast<double>(pairs),
             qPrintable(QString::number(wrong)));
}

void TestBetweenStudies::fewRoundsOfThemToo() {
    for (const auto& [name, sittings] : recorded(5)) {
        std::size_t all = 0, told = 0;
        for (std::size_t i = 0; i < sittings.size(); ++i) {
            for (std::size_t j = i + 1; j < sittings.size(); ++j) {
                ++all;
                told += anyTold(judged({&sittings[i]}, {&sittings[j]})) ? 1 : 0;
            }
        }
        qInfo("%s, five rounds: %zu of %zu pairs told apart", qPrintable(name), told, all);
        // Pairs share sittings, so one odd sitting counts in many of them.
        QVERIFY(static_cast<double>(told) <= 0.07 * static_cast<double>(all));
    }
}

void TestBetweenStudies::threeSittingsASideAreTheSame() {
    std::size_t all = 0, told = 0;
    for (const auto& [name, sittings] : recorded()) {
        for (std::size_t i = 0; i + 6 <= sittings.size(); ++i) {
            const auto at = [&](std::size_t offset) { return &sittings[i + offset]; };
            told += anyTold(judged({at(0), at(1), at(2)}, {at(3), at(4), at(5)})) ? 1 : 0;
            told += anyTold(judged({at(0), at(2), at(4)}, {at(1), at(3), at(5)})) ? 1 : 0;
            all += 2;
        }
    }
    qInfo("three a side: %zu of %zu told apart", told, all);
    QVERIFY(all > 100);
    QVERIFY(static_cast<double>(told) <= 0.05 * static_cast<double>(all));
}

void TestBetweenStudies::sixtySimulatedPairs() {
    SplitMix64 random(11);
    for (const Noise& noise : {Noise{}, Noise{0.1, 0.01, 0.01, 0.02}, Noise{0.0, 0.015, 0.05, 0.1}}) {
        std::size_t told = 0;
        for (int pair = 0; pair < 600; ++pair) {
            const Sitting a = simulated(random, 5, 15, noise);
            const Sitting b = simulated(random, 5, 15, noise);
            told += anyTold(judged({&a}, {&b})) ? 1 : 0;
        }
        qInfo("%zu of 600 simulated pairs told apart", told);
        QVERIFY(told <= 30);  // 3 of 60
    }
}

void TestBetweenStudies::aTrueSlowDownIsFound() {
    SplitMix64 random(12);
    std::size_t found = 0, others = 0;
    for (int pair = 0; pair < 200; ++pair) {
        const Sitting a = simulated(random, 5, 15, {0.01, 0.008, 0.01, 0.03});
        const Sitting b = simulated(random, 5, 15, {0.01, 0.008, 0.01, 0.03}, {0, std::log(1.1), 0, 0, 0});
        const auto changes = judged({&a}, {&b});
        found += changes[1].verdict == Verdict::slower ? 1 : 0;
        others += anyTold({changes[0], changes[2], changes[3], changes[4]}) ? 1 : 0;
    }
    qInfo("10 %% slower: found in %zu of 200, others told in %zu", found, others);
    QVERIFY(found > 150);
    QVERIFY(others <= 10);
    found = 0;
    for (int pair = 0; pair < 100; ++pair) {
        std::vector<Sitting> first, other;
        Side firstSide, otherSide;
        for (int i = 0; i < 4; ++i) {
            first.push_back(simulated(random, 5, 15, {0.01, 0.008, 0.01, 0.03}));
            other.push_back(simulated(random, 5, 15, {0.01, 0.008, 0.01, 0.03}, {0, std::log(1.1), 0, 0, 0}));
        }
        for (int i = 0; i < 4; ++i) {
            firstSide.push_back(&first[static_cast<std::size_t>(i)]);
            otherSide.push_back(&other[static_cast<std::size_t>(i)]);
        }
        found += judged(firstSide, otherSide)[1].verdict == Verdict::slower ? 1 : 0;
    }
    qInfo("10 %% slower, four sittings a side: found in %zu of 100", found);
    QVERIFY(found > 75);
}

void TestBetweenStudies::aSlowMachineAloneIsNoChange() {
    SplitMix64 random(13);
    const Sitting a = simulated(random, 5, 15, {0, 0, 0.005, 0});
    const Sitting b = simulated(random, 5, 15, {0, 0, 0.005, 0}, std::vector<double>(5, std::log(1.3)));
    QVERIFY(!anyTold(judged({&a}, {&b})));
    // Shown as it is, all the same.
    QVERIFY(std::abs(judged({&a}, {&b})[0].interval.ratio - 1 / 1.3) < 0.02);
}

void TestBetweenStudies::holm() {
    // The strongest is judged at a fifth of the level, the next at a quarter …
    std::vector<Change> changes;
    for (const double value : {-0.5, -0.4, 0.0, 0.001, -0.002}) {
        changes.push_back({{value, 0.02, 20}, std::nullopt});
    }
    const auto all = judgeChanges(changes);
    QCOMPARE(all[0].verdict, Verdict::slower);
    QCOMPARE(all[1].verdict, Verdict::slower);
    QVERIFY(std::abs(all[0].level - (1 - 0.05 / 5)) < 1e-12);
    QVERIFY(std::abs(all[1].level - (1 - 0.05 / 4)) < 1e-12);
    for (std::size_t i = 2; i < 5; ++i) {
        QCOMPARE(all[i].verdict, Verdict::tied);
        QVERIFY(std::abs(all[i].level - (1 - 0.05 / 3)) < 1e-12);
    }
    for (const JudgedChange& change : all) {
        QVERIFY(change.interval.low <= change.interval.ratio &&
                change.interval.ratio <= change.interval.high);
        QCOMPARE(change.verdict == Verdict::slower, change.interval.high < 0.99);
    }
    QVERIFY(judgeChanges({}).empty());
}

void TestBetweenStudies::moreSittingsMeasureTheMachine() {
    const std::vector<SittingFigures> one{{16, 0.01, 15}};
    const std::vector<SittingFigures> apart{{15.9, 0.01, 15}, {16.0, 0.01, 15}, {16.1, 0.01, 15}};
    const std::vector<SittingFigures> close{{16.0, 0.01, 15}, {16.0, 0.01, 15}, {16.0, 0.01, 15}};
    QVERIFY(sideFigures(apart).variance > sideFigures(one).variance);
    QVERIFY(sideFigures(close).variance < sideFigures(one).variance);
    // Three that happen to agree don't make it certain.
    QVERIFY(sideFigures(close).variance > 0.5 * kLeastSpread * kLeastSpread / 3);
}

QTEST_GUILESS_MAIN(TestBetweenStudies)
#include "tst_between_studies.moc"
