#include <QApplication>
#include <QtTest>
#include <set>

#include "widgets/axis_ticks.h"
#include "widgets/plot_items.h"
#include "widgets/theme.h"

using namespace mmapscope;

namespace {

QPalette palette(QRgb window, QRgb base, QRgb text) {
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::WindowText, text);
    return palette;
}

}  // namespace

class TestTheme : public QObject {
    Q_OBJECT

  private slots:
    void contrastIsWcags() {
        QCOMPARE(contrastRatio(Qt::white, Qt::black), 21.0);
        QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
        QVERIFY(std::abs(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white) - 4.48) < 0.01);
    }

    void everythingDrawnStandsOut_data() {
        QTest::addColumn<QPalette>("colors");
        QTest::addColumn<bool>("dark");
        QTest::newRow("white") << palette(0xfff3f4f6, 0xffffffff, 0xff1d2125) << false;
        QTest::newRow("grey light") << palette(0xffd6d6d6, 0xffe8e8e8, 0xff202020) << false;
        QTest::newRow("night") << palette(0xff1d2126, 0xff14171b, 0xffe3e6e9) << true;
        QTest::newRow("grey dark") << palette(0xff3c3f41, 0xff454545, 0xffeeeeee) << true;
        QTest::newRow("black") << palette(0xff000000, 0xff000000, 0xffffffff) << true;
    }
    void everythingDrawnStandsOut() {
        QFETCH(QPalette, colors);
        QFETCH(bool, dark);
        const Theme theme = Theme::forPalette(colors);
        QCOMPARE(theme.isDark(), dark);
        for (int arm = 0; arm < Theme::kArmColors; ++arm) {
            const double contrast = contrastRatio(theme.armColor(arm), theme.plotBackground());
            QVERIFY2(contrast >= 3, qPrintable(QStringLiteral("arm %1: %2").arg(arm).arg(contrast)));
        }
        for (const QColor& faults : {theme.minorFault(), theme.majorFault()}) {
            QVERIFY(contrastRatio(faults, theme.plotBackground()) >= 3);
        }
        for (const QColor& text : {theme.mutedText(), theme.warning(), theme.good(), theme.bad()}) {
            QVERIFY2(contrastRatio(text, theme.plotBackground()) >= 4.5, qPrintable(text.name()));
            QVERIFY2(contrastRatio(text, theme.surface()) >= 4.5, qPrintable(text.name()));
        }
    }

    void theApplicationsOwnPalettesHold_data() {
        QTest::addColumn<ThemeChoice>("choice");
        QTest::newRow("light") << ThemeChoice::light;
        QTest::newRow("dark") << ThemeChoice::dark;
        QTest::newRow("system") << ThemeChoice::system;
    }
    void theApplicationsOwnPalettesHold() {
        QFETCH(ThemeChoice, choice);
        applyApplicationTheme(*qApp, choice);
        const QPalette colors = QApplication::palette();
        QVERIFY(contrastRatio(colors.color(QPalette::Text), colors.color(QPalette::Base)) >= 7);
        QVERIFY(contrastRatio(colors.color(QPalette::WindowText), colors.color(QPalette::Window)) >= 7);
        QVERIFY(contrastRatio(colors.color(QPalette::ButtonText), colors.color(QPalette::Button)) >= 7);
        QVERIFY(contrastRatio(colors.color(QPalette::HighlightedText), colors.color(QPalette::Highlight)) >=
                4);
        QVERIFY(contrastRatio(colors.color(QPalette::Link), colors.color(QPalette::Base)) >= 4.5);
        QCOMPARE(Theme::forPalette(colors).isDark(), choice == ThemeChoice::dark);
    }

    void armsAreToldWithoutColourToo() {
        const Theme theme = Theme::forPalette(QPalette());
        std::set<std::tuple<QRgb, int, int>> looks;
        for (int arm = 0; arm < 32; ++arm) {
            looks.emplace(theme.armColor(arm).rgb(), theme.armDash(arm), theme.armMarker(arm));
        }
        QCOMPARE(looks.size(), std::size_t{32});
        for (int arm = 0; arm + 1 < 8; ++arm) {
            QVERIFY(theme.armMarker(arm) != theme.armMarker(arm + 1));
            QVERIFY(theme.armDash(arm) != theme.armDash(arm + 1));
        }
    }

    void labelsNeverOverlapWhileTheyFit() {
        std::vector<double> centres{50, 52, 51, 10, 95};
        spreadLabels(centres, 12, 0, 100);
        std::vector<double> sorted = centres;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            QVERIFY(sorted[i] - sorted[i - 1] >= 12 - 1e-9);
        }
        QVERIFY(sorted.front() >= 6 && sorted.back() <= 94);
        QVERIFY(centres[0] < centres[2] && centres[2] < centres[1]);  // order kept
    }

    void axisNumbersReadWell_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("small") << 0.25 << "0.25";
        QTest::newRow("hundreds") << 250.0 << "250";
        QTest::newRow("thousands") << 1500.0 << "1.5 k";
        QTest::newRow("millions") << 1.2e7 << "12 M";
        QTest::newRow("milliards") << 3e9 << "3 G";
        QTest::newRow("rounding") << 0.1 + 0.2 << "0.3";
    }
    void axisNumbersReadWell() {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(compactNumber(value), text);
    }

    void stepsOfMemoryArePowersOfTwo() {
        QCOMPARE(binaryStep(140, 4), 32.0);
        QCOMPARE(binaryStep(1100, 4), 256.0);
        QCOMPARE(binaryStep(1, 4), 0.25);
        QCOMPARE(QString::fromUtf8(timeUnitFor(0.02).name), QStringLiteral("ms"));
        QCOMPARE(QString::fromUtf8(timeUnitFor(2).name), QStringLiteral("s"));
        QCOMPARE(QString::fromUtf8(timeUnitFor(5e-6).name), QStringLiteral("µs"));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
