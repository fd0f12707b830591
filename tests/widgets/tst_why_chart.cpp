// Attributions as bars: what adds up, what takes back, what the pointer finds.
#include <QLabel>
#include <QSignalSpy>
#include <QtTest>

#include "widgets/why_chart.h"
#include "widgets/why_section.h"
#include "widgets/why_style.h"

using namespace mmapscope;

namespace {

Nanoseconds ms(double value) {
    return Nanoseconds(static_cast<std::int64_t>(value * 1e6));
}

Study attributed() {
    Study study;
    study.complete = true;
    study.arms.resize(2);
    study.arms[0].id = "read";
    study.arms[1].id = "hugetlb-memfd";
    Attribution read;
    read.wall = ms(50);
    read.parts = {{"open", ms(0), "clocked", {}},
                  {"deliver", ms(20), "clocked <b>", {{"copy", ms(20), "the rest", {}}}},
                  {"close", ms(1), "", {}},
                  {"workload", ms(40), "in memory", {}},
                  {"handover", ms(-10), "caches", {}},
                  {"overlap", ms(7), "beside", {}}};
    read.unexplained = ms(-1);
    read.sentence = "read spends its time";
    Attribution huge;
    huge.arm = 1;
    huge.wall = ms(70);
    huge.parts = {
        {"open", ms(30), "clocked", {{"huge_allocation", ms(12), "", {}}, {"copy", ms(18), "", {}}}},
        {"workload", ms(38), "in memory", {}}};
    huge.unexplained = ms(2);
    huge.sentence = "hugetlb-memfd spends its time";
    study.attribution = {read, huge};
    return study;
}

std::vector<WhyBar> barsOf(const Study& study) {
    std::vector<WhyBar> bars;
    for (const Attribution& attribution : study.attribution) {
        bars.push_back(whyBar(study, attribution));
    }
    return bars;
}

std::vector<Theme> bothThemes() {
    return {Theme::forPalette(QPalette(QColor(Qt::white))), Theme::forPalette(QPalette(QColor(30, 30, 30)))};
}

/// Pixels of a colour.
int count(const QImage& image, const QColor& color) {
    int pixels = 0;
    for (int x = 0; x < image.width(); ++x) {
        for (int y = 0; y < image.height(); ++y) {
            pixels += image.pixel(x, y) == color.rgb() ? 1 : 0;
        }
    }
    return pixels;
}

}  // namespace

class TestWhyChart : public QObject {
    Q_OBJECT

  private slots:
    void partsMeetAtTheWall();
    void insidesEndWhereTheirPartEnds();
    void toolTips();
    void words();
    void drawsInBothThemes();
    void nothingHidesWhatIsTakenBackFrom();
    void partsAreToldApart();
    void keysReachEveryPiece();
    void aClickTells();
    void whatIsWrittenIsNoMarkup();
    void figuresBeyondAllMeasureAreDrawn();
    void withoutAttribution_data();
    void withoutAttribution();
    void whileAStudyRuns();
};

void TestWhyChart::partsMeetAtTheWall() {
    const Study study = attributed();
    const WhyBar bar = whyBar(study, study.attribution[0]);
    double sum = 0;
    double end = 0;
    for (const WhySegment& segment : bar.segments) {
        sum += segment.takesBack ? -(segment.end - segment.begin) : segment.end - segment.begin;
        end = segment.takesBack ? segment.begin : segment.end;
    }
    QCOMPARE(sum, bar.wall);
    QCOMPARE(end, bar.wall);
    QCOMPARE(bar.length, 61e6);
    QCOMPARE(bar.overlap.end, 7e6);
    QCOMPARE(bar.unexplained, -1e6);
    QCOMPARE(bar.segments.front().name, QString("deliver"));  // nothing of no length is drawn
    QCOMPARE(bar.segments[2].name, QString("close"));         // after the work, as a run goes
    const WhyBar huge = whyBar(study, study.attribution[1]);
    QCOMPARE(huge.segments.back().name, QString("unexplained"));
    QCOMPARE(huge.segments.back().end, huge.wall);
}

void TestWhyChart::insidesEndWhereTheirPartEnds() {
    const Study study = attributed();
    const WhyBar bar = whyBar(study, study.attribution[1]);
    QCOMPARE(bar.segments.front().insides.size(), std::size_t(2));
    QCOMPARE(bar.segments.front().insides[0], 12e6);
    QCOMPARE(bar.segments.front().insides[1], bar.segments.front().end);
}

void TestWhyChart::toolTips() {
    const Study study = attributed();
    WhyChart chart;
    chart.setBars(barsOf(study), {});
    chart.resize(900, chart.sizeHint().height());
    QStringList found;
    for (int y = 0; y < chart.height(); y += 2) {
        for (int x = 0; x < chart.width(); x += 2) {
            if (const QString tip = chart.toolTipAt({x, y}); !tip.isEmpty() && !found.contains(tip)) {
                found << tip;
            }
        }
    }
    const QString all = found.join(u'\n');
    for (const char* part : {"deliver", "workload", "handover", "open", "unexplained", "overlap"}) {
        QVERIFY2(all.contains(QStringLiteral(", %1</b>").arg(QLatin1String(part))), part);
    }
    QVERIFY(all.contains("clocked &lt;b&gt;"));  // a basis is text, not markup
    QVERIFY(all.contains("40.0 % of wall"));
    QVERIFY(all.contains("20.0 ms (20,000,000 ns)"));
    QVERIFY(all.contains("−10.0 ms (−10,000,000 ns), −20.0 % of wall"));
    QVERIFY(all.contains("allocating huge pages 12.0 ms"));
    QVERIFY(all.contains("copying 20.0 ms: the rest"));
    QVERIFY(chart.toolTipAt({1, 1}).isEmpty());
}

void TestWhyChart::words() {
    WhySection section;
    section.setStudy(attributed());
    const QString told = section.chart()->accessibleDescription();
    QVERIFY(told.startsWith("Wall times of 2 arms"));
    QVERIFY(told.contains("read, 50.0 ms: deliver 20.0 ms"));
    QVERIFY(told.contains("handover −10.0 ms"));
    QVERIFY(told.contains("unexplained is −2.0 % of it"));
    QVERIFY(told.contains("unexplained is +2.9 % of it"));
    QVERIFY(told.contains("helper threads worked 7.00 ms"));
    QCOMPARE(section.findChild<QLabel*>("whySentences")->text(),
             QString("read spends its time\nhugetlb-memfd spends its time"));
    QCOMPARE(whyTime(-9.07e6), QString("−9.07 ms"));
    QCOMPARE(whyTime(-0.2), QString("0 ns"));
    QVERIFY(whyPercent(1, 0).isEmpty());
}

void TestWhyChart::drawsInBothThemes() {
    const Study study = attributed();
    for (const Theme& theme : bothThemes()) {
        WhyChart chart;
        chart.setTheme(theme);
        chart.setBars(barsOf(study), {});
        chart.resize(700, chart.sizeHint().height());
        const QImage image = chart.grab().toImage();
        const QColor open = whyColor(theme, "open");
        for (const QColor& color : {open, whyLighter(theme, open), whyColor(theme, "deliver"),
                                    whyColor(theme, "workload"), whyColor(theme, "close")}) {
            QVERIFY2(count(image, color) > 30, qPrintable(color.name()));
        }
    }
}

void TestWhyChart::nothingHidesWhatIsTakenBackFrom() {
    // As much work as without the part below zero: what takes back stands beside it, not over it.
    const Theme theme = bothThemes().front();
    Study study = attributed();
    const auto work = [&](bool negative) {
        Study one = study;
        one.attribution.pop_back();
        Attribution& read = one.attribution.front();
        read.parts = {{"workload", ms(60), "", {}}};
        read.wall = ms(60);
        read.unexplained = ms(0);
        if (negative) {
            read.parts.push_back({"handover", ms(-10), "", {}});
            read.wall = ms(50);
        }
        WhyChart chart;
        chart.setTheme(theme);
        chart.setBars(barsOf(one), {});
        chart.resize(900, chart.sizeHint().height());
        return count(chart.grab().toImage(), whyColor(theme, "workload"));
    };
    const int alone = work(false);
    QVERIFY(alone > 1000);
    QVERIFY2(work(true) > alone * 9 / 10, qPrintable(QString::number(work(true))));
}

void TestWhyChart::partsAreToldApart() {
    QSet<QChar> letters;
    for (const char* part : kWhyParts) {
        letters.insert(QLatin1Char(part[0]));
    }
    QCOMPARE(letters.size(), static_cast<qsizetype>(kWhyParts.size()));
    for (const Theme& theme : bothThemes()) {
        QSet<QRgb> colors;
        for (const char* part : kWhyParts) {
            const QColor color = whyColor(theme, part);
            const QColor lighter = whyLighter(theme, color);
            colors.insert(color.rgb());
            QVERIFY2(contrastRatio(color, theme.plotBackground()) >= 3, part);
            QVERIFY2(contrastRatio(lighter, theme.plotBackground()) >= 3, part);
            QVERIFY2(lighter != color, part);
            QVERIFY2(contrastRatio(whyInk(color, color), color) >= 4.5, part);
            QVERIFY2(contrastRatio(whyInk(color, lighter), lighter) >= 3, part);
        }
        QCOMPARE(colors.size(), static_cast<qsizetype>(kWhyParts.size()));
    }
}

void TestWhyChart::keysReachEveryPiece() {
    WhySection section;
    section.setStudy(attributed());
    section.show();
    QVERIFY(QTest::qWaitForWindowActive(&section));
    WhyChart* chart = section.chart();
    chart->setFocus(Qt::TabFocusReason);
    QVERIFY(chart->hasFocus());
    QVERIFY(section.detail()->text().startsWith("read, deliver: 20.0 ms"));
    QVERIFY(section.detail()->text().contains("• copying 20.0 ms: the rest"));
    for (const char* next : {"read, workload", "read, close", "read, handover", "read, unexplained",
                             "read, overlap", "read, overlap"}) {
        QTest::keyClick(chart, Qt::Key_Right);
        QVERIFY2(section.detail()->text().startsWith(next), qPrintable(section.detail()->text()));
    }
    QTest::keyClick(chart, Qt::Key_Home);
    QTest::keyClick(chart, Qt::Key_Right);
    QTest::keyClick(chart, Qt::Key_Down);
    QVERIFY(section.detail()->text().startsWith("hugetlb-memfd, workload"));
    QTest::keyClick(chart, Qt::Key_End);
    QVERIFY(section.detail()->text().startsWith("hugetlb-memfd, unexplained: 2.00 ms"));
    QTest::keyClick(chart, Qt::Key_Down);  // none below
    QTest::keyClick(chart, Qt::Key_Up);
    QVERIFY(section.detail()->text().startsWith("read, unexplained: −1.00 ms"));
    section.setStudy(Study());
    QVERIFY(chart->chosenWords().isEmpty());
    QCOMPARE(chart->focusPolicy(), Qt::NoFocus);
    QTest::keyClick(chart, Qt::Key_Right);
}

void TestWhyChart::aClickTells() {
    WhyChart chart;
    chart.setBars(barsOf(attributed()), {});
    chart.resize(900, chart.sizeHint().height());
    const QSignalSpy told(&chart, &WhyChart::chosen);
    for (int x = 0; x < chart.width() && chart.chosenWords().isEmpty(); x += 4) {
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {x, chart.fontMetrics().height() * 2 + 12});
    }
    QVERIFY(chart.chosenWords().startsWith("read, deliver"));
    QVERIFY(told.count() > 0);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, {1, 1});
    QVERIFY(chart.chosenWords().isEmpty());
}

void TestWhyChart::whatIsWrittenIsNoMarkup() {
    Study study = attributed();
    study.arms[0].id = "<img src=x>";
    study.attribution[0].parts[1].name = "<u>";
    study.attribution[0].sentence = "<b>bold</b>";
    WhySection section;
    section.setStudy(study);
    for (const WhySegment& segment : section.chart()->bars()[0].segments) {
        QVERIFY2(!segment.toolTip.contains("<u>"), qPrintable(segment.toolTip));
        QVERIFY2(!segment.toolTip.contains("<img"), qPrintable(segment.toolTip));
    }
    QCOMPARE(section.findChild<QLabel*>("whySentences")->textFormat(), Qt::PlainText);
    QCOMPARE(section.detail()->textFormat(), Qt::PlainText);
}

void TestWhyChart::figuresBeyondAllMeasureAreDrawn() {
    // A study file can say anything.
    for (const std::int64_t wall : {std::int64_t(0), std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()}) {
        Study study = attributed();
        for (Attribution& attribution : study.attribution) {
            attribution.wall = Nanoseconds(wall);
            for (AttributedTime& part : attribution.parts) {
                part.time = Nanoseconds(wall);
            }
            attribution.unexplained = Nanoseconds(std::numeric_limits<std::int64_t>::min());
        }
        WhyChart chart;
        chart.setBars(barsOf(study), {});
        chart.resize(300, chart.sizeHint().height());
        QVERIFY(!chart.grab().isNull());
        QVERIFY(!chart.accessibleDescription().isEmpty());
    }
}

void TestWhyChart::withoutAttribution_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("told");
    QTest::newRow("no study") << 0 << "Run a study";
    QTest::newRow("made without") << 1 << "tick Why";
    QTest::newRow("stopped") << 2 << "Stopped before its times";
    QTest::newRow("cap") << 3 << "without Cap";
    QTest::newRow("sweep") << 4 << "Sweeps";
    QTest::newRow("stopped late") << 5 << "before enough runs";
}

void TestWhyChart::withoutAttribution() {
    QFETCH(const int, kind);
    QFETCH(const QString, told);
    Study study;
    if (kind > 0) {
        study.arms.resize(2);
        study.complete = kind != 2;
    }
    if (kind == 3) {
        study.plan.memoryCap = mib(64);
    }
    if (kind == 4) {
        study.sweep.emplace();
    }
    if (kind == 5) {
        study.splitRuns.resize(3);
    }
    WhySection section;
    section.setStudy(study);
    QVERIFY(section.chart()->bars().empty());
    QVERIFY2(section.chart()->notice().contains(told), qPrintable(section.chart()->notice()));
    QCOMPARE(section.chart()->accessibleDescription(), section.chart()->notice());
    QVERIFY(section.detail()->isHidden());
}

void TestWhyChart::whileAStudyRuns() {
    WhySection section;
    Study study;
    study.arms.resize(2);
    section.setStudy(study);
    section.setStage(WhyStage::waiting);
    QVERIFY(section.chart()->notice().contains("Not taken apart yet"));
    section.setStage(WhyStage::explaining, 0.379);
    QVERIFY(section.chart()->notice().contains("37 %"));
    section.setStage(WhyStage::notAsked);
    QVERIFY(section.chart()->notice().contains("Tick Why"));
    section.setStage(WhyStage::idle);
    section.setStudy(attributed());
    QCOMPARE(section.chart()->bars().size(), std::size_t(2));
}

QTEST_MAIN(TestWhyChart)
#include "tst_why_chart.moc"
