#include <QtTest>
#include <cmath>
#include <limits>

#include "widgets/envelope.h"

using namespace mmapscope;

class TestEnvelope : public QObject {
    Q_OBJECT

  private slots:
    void keepsEverySpike() {
        std::vector<PlotPoint> points;
        for (int i = 0; i < 100000; ++i) {
            points.push_back({i * 1e-5, 1.0});
        }
        points[31337].y = 99;
        points[77777].y = -99;
        const auto drawn = envelope(points, 0, 1, 200);
        QVERIFY(drawn.size() <= 2 * 200 + 2);
        const auto has = [&](double y) {
            return std::any_of(drawn.begin(), drawn.end(), [y](const PlotPoint& p) { return p.y == y; });
        };
        QVERIFY(has(99));
        QVERIFY(has(-99));
        QVERIFY(std::is_sorted(drawn.begin(), drawn.end(),
                               [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
    }

    void everyDrawnPointIsARealOne() {
        std::vector<PlotPoint> points;
        for (int i = 0; i < 5000; ++i) {
            points.push_back({static_cast<double>(i), std::sin(i * 0.7) * i});
        }
        for (const PlotPoint& drawn : envelope(points, 100, 4000, 50)) {
            QVERIFY(std::find(points.begin(), points.end(), drawn) != points.end());
        }
    }

    void isBounded_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("columns");
        QTest::newRow("everything") << 50000 << 0.0 << 1.0 << 100;
        QTest::newRow("zoomed in") << 50000 << 0.4 << 0.41 << 100;
        QTest::newRow("one column") << 50000 << 0.0 << 1.0 << 1;
        QTest::newRow("out of sight") << 50000 << 2.0 << 3.0 << 100;
        QTest::newRow("wider than the data") << 50000 << -5.0 << 5.0 << 100;
    }
    void isBounded() {
        QFETCH(int, count);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(int, columns);
        std::vector<PlotPoint> points;
        for (int i = 0; i < count; ++i) {
            points.push_back({static_cast<double>(i) / count, static_cast<double>(i % 17)});
        }
        const auto drawn = envelope(points, low, high, static_cast<std::size_t>(columns));
        QVERIFY(drawn.size() <= static_cast<std::size_t>(2 * columns + 2));
    }

    void fewPointsStayAsTheyAre() {
        const std::vector<PlotPoint> points{{0, 3}, {1, 1}, {2, 2}, {3, 9}};
        QCOMPARE(envelope(points, 0, 3, 4), points);
    }

    void oneNeighbourOnEachSideReachesTheBorder() {
        const std::vector<PlotPoint> points{{0, 3}, {1, 1}, {2, 2}, {3, 9}, {4, 4}};
        const std::vector<PlotPoint> expected{{1, 1}, {2, 2}, {3, 9}};
        QCOMPARE(envelope(points, 1.5, 2.5, 4), expected);
    }

    void gapsStayGaps() {
        const double gap = std::numeric_limits<double>::quiet_NaN();
        std::vector<PlotPoint> points;
        for (int i = 0; i < 1000; ++i) {
            points.push_back({static_cast<double>(i), i >= 400 && i < 600 ? gap : 1.0});
        }
        const auto drawn = envelope(points, 0, 999, 10);
        QVERIFY(std::any_of(drawn.begin(), drawn.end(), [](const PlotPoint& p) { return std::isnan(p.y); }));
    }

    void nothingComesOfNothing() {
        QVERIFY(envelope({}, 0, 1, 10).empty());
        const std::vector<PlotPoint> points{{0, 1}};
        QVERIFY(envelope(points, 1, 1, 10).empty());
    }
};

QTEST_GUILESS_MAIN(TestEnvelope)
#include "tst_envelope.moc"
