// Attributions as bars: what adds up, what takes back, what the pointer finds.
#include <QtTest>

#include "widgets/why_chart.h"
#include "widgets/why_section.h"

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

}  // namespace

class TestWhyChart : public QObject {
    Q_OBJECT

  private slots:
    void partsMeetAtTheWall();
    void insidesEndWhereTheirPartEnds();
    void toolTips();
    void words();
    void drawsInBothThemes();
    void withoutAttribution();
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
    QCOMPARE(bar.overlap, 7e6);
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
    chart.setBars({whyBar(study, study.attribution[0]), whyBar(study, study.attribution[1])}, {});
    chart.resize(900, chart.sizeHint().height());
    QStringList found;
    for (int y = 0; y < chart.height(); y += 2) {
        for (int x = 0; x < chart.width(); x += 3) {
            if (const QString tip = chart.toolTipAt({x, y}); !tip.isEmpty() && !found.contains(tip)) {
                found << tip;
            }
        }
    }
    const QString all = found.join(u'\n');
    for (const char* part : {"deliver", "workload", "handover", "open", "unexplained", "overlap"}) {
        QVERIFY2(all.contains(QStringLiteral("<b>%1</b>").arg(QLatin1String(part))), part);
    }
    QVERIFY(all.contains("clocked &lt;b&gt;"));  // a basis is text, not markup
    QVERIFY(all.contains("40.0 % of wall"));
    QVERIFY(all.contains("huge_allocation"));
    QVERIFY(chart.toolTipAt({1, 1}).isEmpty());
}

void TestWhyChart::words() {
    WhySection section;
    section.setStudy(attributed());
    QVERIFY(section.chart()->accessibleDescription().contains("read, 50.0 ms: deliver 20.0 ms"));
    QVERIFY(section.chart()->accessibleDescription().contains("handover −10.0 ms"));
}

void TestWhyChart::drawsInBothThemes() {
    for (const QColor& window : {QColor(Qt::white), QColor(30, 30, 30)}) {
        QPalette palette(window);
        const Theme theme = Theme::forPalette(palette);
        WhyChart chart;
        chart.setTheme(theme);
        const Study study = attributed();
        chart.setBars({whyBar(study, study.attribution[0]), whyBar(study, study.attribution[1])}, {});
        chart.resize(700, chart.sizeHint().height());
        const QImage image = chart.grab().toImage();
        QSet<QRgb> colors;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 0; y < image.height(); ++y) {
                colors.insert(image.pixel(x, y));
            }
        }
        for (const QColor& part : {theme.armColor(0), theme.armColor(1), theme.mutedText()}) {
            QVERIFY2(colors.contains(part.rgb()), qPrintable(part.name()));
        }
    }
}

void TestWhyChart::withoutAttribution() {
    WhySection section;
    Study study;
    study.complete = true;
    section.setStudy(study);
    QVERIFY(section.chart()->bars().empty());
    QVERIFY(section.chart()->accessibleDescription().contains("tick Why"));
}

QTEST_MAIN(TestWhyChart)
#include "tst_why_chart.moc"
