#include <QtTest>

#include <cmath>

#include "engine/study/study_fixtures.h"
#include "study/random.h"
#include "study/statistics.h"

using namespace mmapscope;

class TestStatistics : public QObject {
    Q_OBJECT

  private slots:
    void medians();
    void ranks();
    void numbersAreSpecifiedToTheBit();
    void ratioPairsByIndex();
    void ratioNeedsFivePairs();
    void ratioIsReproducible();
    void ratioIgnoresOneWildRound();
    void verdicts_data();
    void verdicts();
    void sameArmTwiceIsTied();
    void aTrueThreePercentIsFound();
};

void TestStatistics::medians() {
    QCOMPARE(median({3}), 3.0);
    QCOMPARE(median({4, 1}), 2.5);
    QCOMPARE(median({9, 1, 5}), 5.0);
    QCOMPARE(median({4, 1, 3, 2}), 2.5);
    QCOMPARE(medianAbsoluteDeviation({1, 1, 2, 2, 4, 6, 9}), 1.0);
    QCOMPARE(medianAbsoluteDeviation({5, 5, 5}), 0.0);
}

void TestStatistics::ranks() {
    QCOMPARE(rankCorrelationWithTime({1, 2, 3, 4}), 1.0);
    QCOMPARE(rankCorrelationWithTime({10, 9, 3, 1}), -1.0);
    QCOMPARE(rankCorrelationWithTime({7, 7, 7, 7}), 0.0);
    QCOMPARE(rankCorrelationWithTime({1, 2}), 0.0);
    // Spearman of (1,2,3,4,5) with (2,1,4,3,5): 1 − 6·4/(5·24).
    QCOMPARE(rankCorrelationWithTime({20, 10, 40, 30, 50}), 0.8);
}

void TestStatistics::numbersAreSpecifiedToTheBit() {
    SplitMix64 random(1234567);  // published test values of SplitMix64
    QCOMPARE(random.next(), 6457827717110365317ULL);
    QCOMPARE(random.next(), 3203168211198807973ULL);
    const auto order = shuffledIndices(8, 42);
    QCOMPARE(order, shuffledIndices(8, 42));
    QVERIFY(order != shuffledIndices(8, 43));
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < 8; ++i) {
        QCOMPARE(sorted[i], i);
    }
    // Every place is reached about equally often: 6000 shuffles of 3, sd of a cell about 36.
    int first[3] = {0, 0, 0};
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        ++first[shuffledIndices(3, seed).front()];
    }
    for (const int count : first) {
        QVERIFY2(std::abs(count - 2000) < 200, qPrintable(QString::number(count)));
    }
}

void TestStatistics::ratioPairsByIndex() {
    // The machine doubles its pace from round to round; the arm is always exactly 1.25 times as fast.
    std::vector<double> baseline, arm;
    for (int i = 0; i < 9; ++i) {
        baseline.push_back(100.0 * (1 << i));
        arm.push_back(80.0 * (1 << i));
    }
    const auto interval = pairedRatio(baseline, arm, 1);
    QVERIFY(interval);
    QVERIFY(std::abs(interval->ratio - 1.25) < 1e-12);
    QVERIFY(std::abs(interval->low - 1.25) < 1e-12);
    QVERIFY(std::abs(interval->high - 1.25) < 1e-12);
}

void TestStatistics::ratioNeedsFivePairs() {
    const std::vector<double> four{1, 1, 1, 1};
    const std::vector<double> five{1, 1, 1, 1, 1};
    QVERIFY(!pairedRatio(four, four, 1));
    QVERIFY(!pairedRatio(five, four, 1));
    QVERIFY(pairedRatio(five, five, 1));
    QVERIFY(!pairedRatio({}, {}, 1));
}

void TestStatistics::ratioIsReproducible() {
    SplitMix64 random(3);
    std::vector<double> a, b;
    for (int i = 0; i < 15; ++i) {
        a.push_back(fixtures::noisyWall(random, 100));
        b.push_back(fixtures::noisyWall(random, 95));
    }
    const auto first = pairedRatio(a, b, 11);
    const auto again = pairedRatio(a, b, 11);
    QCOMPARE(first->low, again->low);
    QCOMPARE(first->high, again->high);
    QVERIFY(first->low <= first->ratio && first->ratio <= first->high);
    QVERIFY(first->low < first->high);
    // The other way round is the inverse: the median of an odd number of log-ratios only changes its sign.
    QVERIFY(std::abs(pairedRatio(b, a, 11)->ratio * first->ratio - 1) < 1e-12);
}

void TestStatistics::ratioIgnoresOneWildRound() {
    std::vector<double> a(15, 100.0), b(15, 50.0);
    b[7] = 5000;
    const auto interval = pairedRatio(a, b, 1);
    QVERIFY(std::abs(interval->ratio - 2) < 1e-12);
    QCOMPARE(verdictOf(*interval), Verdict::faster);
}

void TestStatistics::verdicts_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("verdict");
    QTest::newRow("all above") << 1.011 << 1.3 << int(Verdict::faster);
    QTest::newRow("touches 1.01") << 1.01 << 1.3 << int(Verdict::tied);
    QTest::newRow("all below") << 0.7 << 0.989 << int(Verdict::slower);
    QTest::newRow("touches 0.99") << 0.7 << 0.99 << int(Verdict::tied);
    QTest::newRow("straddles") << 0.7 << 1.4 << int(Verdict::tied);
    QTest::newRow("a sure tie") << 0.995 << 1.005 << int(Verdict::tied);
}

void TestStatistics::verdicts() {
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(int, verdict);
    QCOMPARE(int(verdictOf({1, low, high})), verdict);
}

namespace {

/// Share of `studies` of 15 rounds in which an arm padded by `pad` is called other than tied.
double shareFound(double pad, Verdict verdict, unsigned studies, std::uint64_t seed) {
    SplitMix64 random(seed);
    unsigned found = 0;
    for (unsigned s = 0; s < studies; ++s) {
        std::vector<double> baseline, arm;
        for (int round = 0; round < 15; ++round) {
            baseline.push_back(fixtures::noisyWall(random, 100));
            arm.push_back(fixtures::noisyWall(random, 100 * (1 + pad)));
        }
        const Verdict got = verdictOf(*pairedRatio(baseline, arm, streamSeed(seed, s)));
        found += verdict == Verdict::tied ? got != Verdict::tied : got == verdict;
    }
    return double(found) / studies;
}

}  // namespace

void TestStatistics::sameArmTwiceIsTied() {
    const double share = shareFound(0, Verdict::tied, 1000, 101);
    qInfo("called other than tied: %.1f %% of 1000 A/A studies", share * 100);
    QVERIFY2(share <= 0.02, qPrintable(QString::number(share)));
}

void TestStatistics::aTrueThreePercentIsFound() {
    const double share = shareFound(0.03, Verdict::slower, 500, 202);
    qInfo("found: %.1f %% of 500 studies padded by 3 %%", share * 100);
    QVERIFY2(share > 0.5, qPrintable(QString::number(share)));
}

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
