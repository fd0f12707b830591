// The fault map's picture: every visible fault is in it once, and is found again.
#include <QElapsedTimer>
#include <QtTest>
#include <numeric>

#include "tests/widgets/synthetic_trace.h"
#include "widgets/fault_raster.h"
#include "widgets/fault_words.h"

using namespace mmapscope;
using namespace mmapscope::testing;

Q_DECLARE_METATYPE(mmapscope::FaultView)

namespace {

FaultView viewOf(double beginNs, double endNs, double beginByte, double endByte, int width = 800,
                 int height = 500) {
    return {beginNs, endNs, beginByte, endByte, width, height};
}

FaultTotals seenIn(const FaultTrace& trace, const FaultView& view) {
    FaultTotals totals;
    for (std::size_t i = 0; i < trace.tNs.size(); ++i) {
        const auto t = static_cast<double>(trace.tNs[i]);
        if (t < view.beginNs || t > view.endNs) {
            continue;
        }
        const auto offset = static_cast<double>(trace.offset[i]);
        if (trace.offset[i] == FaultTrace::kElsewhere) {
            ++totals.elsewhere;
        } else if (offset >= view.beginByte && offset < view.endByte) {
            ++(trace.major[i] != 0 ? totals.major : totals.minor);
        }
    }
    return totals;
}

std::uint64_t sum(std::span<const std::uint32_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::map<QRgb, int> coloursOf(const QImage& image) {
    std::map<QRgb, int> colours;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (qAlpha(image.pixel(x, y)) != 0) {
                ++colours[image.pixel(x, y)];
            }
        }
    }
    return colours;
}

Theme darkTheme() {
    QPalette palette;
    palette.setColor(QPalette::Window, QColor(0x20, 0x22, 0x25));
    palette.setColor(QPalette::Base, QColor(0x17, 0x19, 0x1b));
    palette.setColor(QPalette::Text, QColor(0xe6, 0xe8, 0xea));
    return Theme::forPalette(palette);
}

Theme lightTheme() {
    QPalette palette;
    palette.setColor(QPalette::Window, QColor(0xf0, 0xf0, 0xf0));
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::Text, QColor(0x1a, 0x1a, 0x1a));
    return Theme::forPalette(palette);
}

constexpr double kFile = 128.0 * (1U << 20U);

}  // namespace

class TestFaultRaster : public QObject {
    Q_OBJECT

  private slots:
    void countsAddUpToTheVisibleFaults_data() {
        QTest::addColumn<FaultView>("view");
        QTest::newRow("whole") << viewOf(0, 2e6, 0, kFile);
        QTest::newRow("with room") << viewOf(-4e4, 2.04e6, -kFile * 0.02, kFile * 1.02);
        QTest::newRow("zoomed") << viewOf(3e5, 5e5, kFile * 0.25, kFile * 0.3);
        QTest::newRow("a page") << viewOf(0, 2e6, 8 << 20U, (8 << 20U) + 4096);
        QTest::newRow("an instant") << viewOf(1000, 1001, 0, kFile);
        QTest::newRow("beside it") << viewOf(3e6, 4e6, 0, kFile);
        QTest::newRow("one pixel") << viewOf(0, 2e6, 0, kFile, 1, 1);
        QTest::newRow("no pixels") << viewOf(0, 2e6, 0, kFile, 0, 0);
        QTest::newRow("no time") << viewOf(1000, 1000, 0, kFile);
    }
    void countsAddUpToTheVisibleFaults() {
        QFETCH(FaultView, view);
        const FaultTrace trace = scatteredTrace(100000, mib(128));
        for (const FaultHue hue : {FaultHue::kind, FaultHue::thread}) {
            FaultRaster raster;
            raster.count(trace, view, hue);
            const FaultTotals expected = view.width > 0 ? seenIn(trace, view) : FaultTotals();
            QVERIFY(raster.totals() == expected);
            QCOMPARE(sum(raster.cells()), expected.inFile());
            QCOMPARE(sum(raster.elsewhere()), expected.elsewhere);
        }
    }

    void partsOfTheViewMakeTheWhole() {
        const FaultTrace trace = scatteredTrace(50000, mib(128));
        const double end = static_cast<double>(trace.tNs.back()) + 1;
        FaultTotals parts;
        FaultRaster raster;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                raster.count(
                    trace,
                    viewOf(end * i / 4 - 0.5, end * (i + 1) / 4 - 0.5, kFile * j / 4, kFile * (j + 1) / 4),
                    FaultHue::kind);
                parts.minor += raster.totals().minor;
                parts.major += raster.totals().major;
            }
        }
        const FaultTotals whole = totalsOf(trace);
        QCOMPARE(parts.minor, whole.minor);
        QCOMPARE(parts.major, whole.major);
        QCOMPARE(whole.inFile() + whole.elsewhere, std::uint64_t{50000});
    }

    void aLoneFaultIsSeen_data() {
        QTest::addColumn<double>("ratio");
        QTest::newRow("1") << 1.0;
        QTest::newRow("1.5") << 1.5;
        QTest::newRow("2") << 2.0;
    }
    void aLoneFaultIsSeen() {
        QFETCH(double, ratio);
        // Among so many others that dots are at their smallest.
        FaultTrace trace = scatteredTrace(200000, mib(4));
        const auto last = trace.tNs.back();
        addFault(trace, last + 10000000, mib(100).count());
        FaultRaster raster;
        const auto pixels = [ratio](int logical) { return static_cast<int>(logical * ratio); };
        raster.count(trace, viewOf(0, static_cast<double>(last) + 2e7, 0, kFile, pixels(800), pixels(500)),
                     FaultHue::kind);
        const QImage image = raster.paint(lightTheme(), ratio);
        QCOMPARE(image.devicePixelRatio(), ratio);
        const QImage right = image.copy(pixels(400), 0, pixels(400), pixels(300));
        const auto colours = coloursOf(right);
        QCOMPARE(colours.size(), std::size_t{1});
        QCOMPARE(QColor(colours.begin()->first), lightTheme().minorFault());
        const int edge = raster.dotSize(ratio);
        QVERIFY(edge >= 2 * ratio - 0.5);
        QCOMPARE(colours.begin()->second, edge * edge);
    }

    void minorAndMajorDifferInHueAndShape_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void minorAndMajorDifferInHueAndShape() {
        QFETCH(bool, dark);
        const Theme theme = dark ? darkTheme() : lightTheme();
        QCOMPARE(theme.isDark(), dark);
        FaultTrace trace;
        addFault(trace, 1000, mib(32).count(), false, 0);
        addFault(trace, 3000, mib(96).count(), true, 1);
        FaultRaster raster;
        raster.count(trace, viewOf(0, 4000, 0, kFile), FaultHue::kind);
        const auto kinds = coloursOf(raster.paint(theme, 1));
        QCOMPARE(kinds.size(), std::size_t{2});
        const int minor = kinds.at(theme.minorFault().rgb());
        const int major = kinds.at(theme.majorFault().rgb());
        QVERIFY2(major > minor, "a triangle is larger than a dot");
        for (const auto& [colour, pixels] : kinds) {
            QVERIFY(contrastRatio(QColor(colour), theme.plotBackground()) >= 3);
        }
        raster.count(trace, viewOf(0, 4000, 0, kFile), FaultHue::thread);
        const auto threads = coloursOf(raster.paint(theme, 1));
        QCOMPARE(threads.at(theme.armColor(0).rgb()), minor);
        QCOMPARE(threads.at(theme.armColor(1).rgb()), major);
    }

    void pixelsThatHoldMoreStandOutMore() {
        for (const Theme& theme : {lightTheme(), darkTheme()}) {
            double before = 0;
            for (const int faults : {1, 4, 100, 10000}) {
                FaultTrace trace;
                for (int i = 0; i < faults; ++i) {
                    addFault(trace, 1000, mib(64).count());
                }
                for (int i = 0; i < 20000; ++i) {  // elsewhere on the map, the densest place
                    addFault(trace, 3000, mib(64).count());
                }
                FaultRaster raster;
                raster.count(trace, viewOf(0, 4000, 0, kFile), FaultHue::kind);
                const QImage left = raster.paint(theme, 1).copy(0, 0, 400, 500);
                const auto colours = coloursOf(left);
                QCOMPARE(colours.size(), std::size_t{1});
                const double contrast = contrastRatio(QColor(colours.begin()->first), theme.plotBackground());
                QVERIFY(contrast > before);
                before = contrast;
            }
        }
    }

    void faultsElsewhereAreAStrip() {
        FaultTrace trace;
        addFault(trace, 1000, FaultTrace::kElsewhere);
        addFault(trace, 2000, FaultTrace::kElsewhere);
        FaultRaster raster;
        raster.count(trace, viewOf(0, 4000, 0, kFile), FaultHue::kind);
        QVERIFY(coloursOf(raster.paint(lightTheme(), 1)).empty());
        const QImage strip = raster.paintElsewhere(lightTheme(), 1, 14);
        QCOMPARE(strip.size(), QSize(800, 14));
        QVERIFY(qAlpha(strip.pixel(200, 7)) != 0);
        QVERIFY(qAlpha(strip.pixel(400, 7)) != 0);
        QCOMPARE(qAlpha(strip.pixel(300, 7)), 0);
    }

    void theNearestFaultIsTheNearest() {
        const FaultTrace trace = scatteredTrace(3000, mib(128));
        const FaultView view = viewOf(0, 60000, 0, kFile);
        std::mt19937 random(5);
        int found = 0;
        for (int i = 0; i < 400; ++i) {
            const QPointF place(random() % 800, random() % 500);
            double best = 24;
            std::optional<std::size_t> expected;
            for (std::size_t fault = 0; fault < trace.tNs.size(); ++fault) {
                if (trace.offset[fault] == FaultTrace::kElsewhere) {
                    continue;
                }
                const QPointF away = pixelOf(trace, fault, view) - place;
                if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
                    best = distance;
                    expected = fault;
                }
            }
            const auto nearest = nearestFault(trace, view, place, 24, true);
            QCOMPARE(nearest.has_value(), expected.has_value());
            if (expected) {
                const QPointF away = pixelOf(trace, *nearest, view) - place;
                QVERIFY(std::abs(std::hypot(away.x(), away.y()) - best) < 1e-6);
                ++found;
            }
        }
        QVERIFY(found > 300);
        // In the strip, time alone decides, and only faults elsewhere are meant.
        const auto elsewhere = nearestFault(trace, view, {400, 510}, 24, false);
        QVERIFY(elsewhere.has_value());
        QCOMPARE(trace.offset[*elsewhere], FaultTrace::kElsewhere);
        QVERIFY(!nearestFault(FaultTrace(), view, {400, 250}, 24, true));
        QVERIFY(!nearestFault(trace, FaultView(), {0, 0}, 24, true));
    }

    void stridesAreBinnedByPowersOfTwo() {
        FaultTrace trace;
        std::uint64_t offset = mib(64).count();
        std::int64_t t = 0;
        const auto go = [&](std::int64_t bytes, int times) {
            for (int i = 0; i < times; ++i) {
                offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) + bytes);
                addFault(trace, ++t, offset);
            }
        };
        addFault(trace, 0, offset);
        go(64 << 10, 100);
        go(-(64 << 10), 7);
        go(4096, 3);
        go(2 << 20, 2);
        go(96 << 10, 5);  // counts with the power of two below
        go(0, 4);
        addFault(trace, ++t, FaultTrace::kElsewhere);
        const FaultPattern pattern = faultPattern(trace, mib(128));
        const auto bins = strideBins(pattern, kib(4));
        const auto bin = [&bins](const char* name) {
            const auto it = std::find_if(bins.begin(), bins.end(),
                                         [name](const HistogramBin& one) { return one.name == name; });
            return it == bins.end() ? HistogramBin() : *it;
        };
        QCOMPARE(bin("64 KiB").forward, std::uint64_t{105});
        QCOMPARE(bin("64 KiB").backward, std::uint64_t{7});
        QCOMPARE(bin("4 KiB").forward, std::uint64_t{3});
        QCOMPARE(bin("2 MiB").forward, std::uint64_t{2});
        QCOMPARE(bin("same page").forward, std::uint64_t{4});
        for (const char* name : {"4 KiB", "64 KiB", "2 MiB"}) {
            QVERIFY2(bin(name).labelled, name);
        }
        std::uint64_t all = 0;
        for (const HistogramBin& one : bins) {
            all += one.forward + one.backward;
        }
        QCOMPARE(all, std::uint64_t{121});
        std::uint64_t mapped = 0;
        for (const HistogramBin& one : mappedBins(pattern)) {
            mapped += one.forward;
            QCOMPARE(one.backward, std::uint64_t{0});
        }
        std::uint64_t expected = 0;
        for (const auto& one : pattern.mapped) {
            expected += one.count;
        }
        QCOMPARE(mapped, expected);
    }

    void hugeStridesAndEmptyTracesHaveBins() {
        FaultTrace trace;
        addFault(trace, 0, 0);
        addFault(trace, 1, std::uint64_t{1} << 45U);
        addFault(trace, 2, 4096);
        const auto bins = strideBins(faultPattern(trace, Bytes(std::uint64_t{1} << 46U)), kib(4));
        QCOMPARE(bins.back().forward, std::uint64_t{1});
        QCOMPARE(bins[bins.size() - 2].backward, std::uint64_t{1});
        const auto none = strideBins(FaultPattern(), kib(4));
        QCOMPARE(none.front().name, QStringLiteral("4 KiB"));
        QCOMPARE(none.back().name, QStringLiteral("2 MiB"));
        QCOMPARE(mappedBins(FaultPattern()).size(), std::size_t{10});
    }

    void aMillionFaultsCostAFewMilliseconds() {
        const auto msPerFrame = [](const FaultTrace& trace) {
            const Theme theme = lightTheme();
            const double end = static_cast<double>(trace.tNs.back());
            FaultRaster raster;
            qint64 best = std::numeric_limits<qint64>::max();
            for (int i = 0; i < 12; ++i) {
                QElapsedTimer timer;
                timer.start();
                raster.count(trace, viewOf(end * 0.001 * i, end, 0, kFile, 1000, 600), FaultHue::kind);
                const QImage image = raster.paint(theme, 1);
                best = std::min(best, timer.nsecsElapsed());
                if (image.isNull()) {
                    return 0.0;
                }
            }
            return static_cast<double>(best) / 1e6;
        };
        const double few = msPerFrame(scatteredTrace(10000, mib(128)));
        const double scattered = msPerFrame(scatteredTrace(1000000, mib(128)));
        const double walk = msPerFrame(walkTrace(1000000, Bytes(128), 20));
        qInfo("raster 1000×600, ms a frame: 10,000 faults %.2f, 1,000,000 scattered %.2f, in a row %.2f", few,
              scattered, walk);
        QVERIFY(few > 0);
        QVERIFY2(scattered < few * 60, "a hundred times the faults");
        QVERIFY(walk < few * 60);
    }
};

QTEST_MAIN(TestFaultRaster)
#include "tst_fault_raster.moc"
