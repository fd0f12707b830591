// Plots: what is drawn can be read by other programs, says what it must, and takes no harm from odd studies.
#include <QApplication>
#include <QPainter>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <limits>

#include "report/tables.h"
#include "tests/app/publish_support.h"

using namespace mmapscope;
using namespace mmapscope::testing;

Q_DECLARE_METATYPE(mmapscope::PlotKind)

namespace {

QString message(const Study& study, PlotKind kind) {
    const Status status = checkPlot(study, kind);
    return status ? QString() : QString::fromStdString(status.error().message);
}

void addKinds() {
    QTest::addColumn<PlotKind>("kind");
    for (const PlotKindFacts& facts : plotKinds()) {
        QTest::newRow(facts.name.data()) << facts.kind;
    }
}

}  // namespace

class TestPublish : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(dir_.isValid()); }
    void everyKindInEveryFormat_data() { addKinds(); }
    void everyKindInEveryFormat();
    void picturesSayWhatTheyShow_data() { addKinds(); }
    void picturesSayWhatTheyShow();
    void vectorsAreVectors_data() { addKinds(); }
    void vectorsAreVectors();
    void otherProgramsReadThem_data() { addKinds(); }
    void otherProgramsReadThem();
    void sizeAndScale();
    void sizesThatCantBe();
    void inGermanAsInEnglish();
    void whatIsMissingIsSaid();
    void hostileNamesAreText();
    void absurdFiguresAreDrawn();

  private:
    QTemporaryDir dir_;
};

void TestPublish::everyKindInEveryFormat() {
    QFETCH(PlotKind, kind);
    for (const bool dark : {false, true}) {
        const QImage png = QImage::fromData(draw(kind, PlotFormat::png, dark));
        QCOMPARE(png.width(), 1200);
        const Look look = lookOf(png);
        QVERIFY2(look.drawn > 0.02 && look.drawn < 0.6, qPrintable(QString::number(look.drawn)));
        QVERIFY(dark ? look.lightness < 60 : look.lightness > 200);

        const QByteArray drawn = draw(kind, PlotFormat::svg, dark);
        if (drawn.contains("<pattern ")) {
            continue;  // Qt writes patterns, and can't read them
        }
        QSvgRenderer svg(drawn);
        QVERIFY(svg.isValid());
        QCOMPARE(svg.defaultSize(), png.size());
        QImage image(png.size(), QImage::Format_RGB32);
        image.fill(dark ? Qt::black : Qt::white);
        QPainter painter(&image);
        svg.render(&painter);
        painter.end();
        QVERIFY(lookOf(image).drawn > 0.02);
    }
    QVERIFY(draw(kind, PlotFormat::pdf).startsWith("%PDF-"));
}

void TestPublish::picturesSayWhatTheyShow() {
    QFETCH(PlotKind, kind);
    const SharedStudy study = studyFor(kind);
    const Markup markup = markupOf(draw(kind, PlotFormat::svg));
    QVERIFY2(markup.error.isEmpty(), qPrintable(markup.error));
    // Lines are broken to fit; words are in order.
    const QString text = markup.texts.join(u' ').simplified();
    for (const Arm& arm : study->arms) {
        QVERIFY2(text.contains(QString::fromStdString(arm.id)), arm.id.c_str());
    }
    QVERIFY2(text.contains("A CPU, \"quoted\""), qPrintable(text));
    QVERIFY(text.contains("6.18.1-test") && text.contains("ext4") && text.contains("cache warm"));
    // Axes have units: the bars' parts say theirs themselves.
    static const QHash<PlotKind, QStringList> kUnits{
        {PlotKind::throughput, {"MiB/s", "time since the run's clock started, ms"}},
        {PlotKind::faults, {"per second", "time since the run's clock started, ms"}},
        {PlotKind::memory, {"Memory, MiB", "time since the run's clock started, ms"}},
        {PlotKind::ratio, {"throughput over read (1 = equal); line: 95 % interval"}},
        {PlotKind::why, {"ms", "wall time"}},
        {PlotKind::sweep, {"throughput, MiB/s", "working-set size, MiB", "memory cap 256 MiB"}},
        {PlotKind::faultMap, {"file offset, MiB", "time since the run's clock started, ms"}}};
    for (const QString& unit : kUnits[kind]) {
        QVERIFY2(text.contains(unit), qPrintable(unit + " in " + text));
    }
}

void TestPublish::vectorsAreVectors() {
    QFETCH(PlotKind, kind);
    const bool rasterIsFine = kind == PlotKind::faultMap;  // hundreds of thousands of dots
    const Markup markup = markupOf(draw(kind, PlotFormat::svg));
    QCOMPARE(markup.tags.contains("image"), rasterIsFine);
    QVERIFY(markup.tags.contains("path") || markup.tags.contains("polyline"));
    QCOMPARE(draw(kind, PlotFormat::pdf).contains("/Subtype /Image"), rasterIsFine);
    QVERIFY(draw(kind, PlotFormat::pdf).contains("/Font"));
}

void TestPublish::otherProgramsReadThem() {
    QFETCH(PlotKind, kind);
    const QString rsvg = QStandardPaths::findExecutable("rsvg-convert");
    const QString pdf = QStandardPaths::findExecutable("pdftoppm");
    if (rsvg.isEmpty() || pdf.isEmpty()) {
        QSKIP("rsvg-convert and pdftoppm are not both installed (librsvg2-bin, poppler-utils)");
    }
    const QString at = dir_.filePath(QTest::currentDataTag());
    QVERIFY(write(at + ".svg", draw(kind, PlotFormat::svg)));
    QVERIFY(write(at + ".pdf", draw(kind, PlotFormat::pdf)));
    QVERIFY(runs(rsvg, {"-o", at + "-svg.png", at + ".svg"}));
    QVERIFY(runs(pdf, {"-png", "-singlefile", "-r", "96", at + ".pdf", at + "-pdf"}));
    const QImage own = QImage::fromData(draw(kind, PlotFormat::png));
    for (const char* const made : {"-svg.png", "-pdf.png"}) {
        const QImage image(at + made);
        QVERIFY2(std::abs(image.width() - own.width()) <= 1, made);
        QVERIFY2(std::abs(image.height() - own.height()) <= 1, made);
        // About as much is drawn as in our own: nothing is missing, nothing covers the rest.
        const double ratio = lookOf(image).drawn / lookOf(own).drawn;
        QVERIFY2(ratio > 0.7 && ratio < 1.4, qPrintable(QString("%1: %2").arg(made).arg(ratio)));
    }
}

void TestPublish::sizeAndScale() {
    PlotOptions options;
    options.kind = PlotKind::throughput;
    options.format = PlotFormat::png;
    options.width = 900;
    options.height = 700;
    for (const double scale : {0.5, 1.0, 2.0, 2.5}) {
        options.scale = scale;
        const QImage image = QImage::fromData(draw(wholeStudy(), options));
        QCOMPARE(image.size(), QSize(static_cast<int>(900 * scale), static_cast<int>(700 * scale)));
        QVERIFY(lookOf(image).drawn > 0.02);
    }
    options.format = PlotFormat::svg;
    options.scale = 2;
    const QByteArray svg = draw(wholeStudy(), options);
    QVERIFY(svg.contains("width=\"1800\" height=\"1400\""));
    QVERIFY(svg.contains("viewBox=\"0 0 900 700\""));
    // Every kind has room at its least width, at a height of its own.
    for (const PlotKindFacts& facts : plotKinds()) {
        PlotOptions narrow;
        narrow.kind = facts.kind;
        narrow.width = PlotOptions::kLeastWidth;
        narrow.format = PlotFormat::png;
        QCOMPARE(QImage::fromData(draw(studyFor(facts.kind), narrow)).width(), PlotOptions::kLeastWidth);
    }
}

void TestPublish::sizesThatCantBe() {
    const SharedStudy study = wholeStudy();
    const auto refused = [&](PlotOptions options, const char* says) {
        const auto drawn = plotOf(study, options);
        QVERIFY(!drawn);
        QCOMPARE(drawn.error().kind, ErrorKind::usage);
        QVERIFY2(QString::fromStdString(drawn.error().message).contains(says), drawn.error().message.c_str());
    };
    PlotOptions options;
    options.width = 10;
    refused(options, "give a size from 320x240 to 8000x8000");
    options.width = 100000;
    refused(options, "give a size from 320x240");
    options = {};
    options.height = -3;
    refused(options, "give a size from 320x240");
    for (const double scale : {0.0, -1.0, 9.0, std::numeric_limits<double>::quiet_NaN()}) {
        options = {};
        options.scale = scale;
        refused(options, "give one from 0.25 to 8");
    }
    options = {};
    options.format = PlotFormat::png;
    options.width = options.height = 8000;
    options.scale = 8;
    refused(options, "million pixels is too large");
    options = {};
    options.kind = PlotKind::faultMap;
    options.width = 320;
    options.height = 240;
    refused(options, "this plot needs a height of");
}

void TestPublish::inGermanAsInEnglish() {
    const auto all = [] {
        QByteArrayList made;
        for (const PlotKindFacts& facts : plotKinds()) {
            made << draw(facts.kind, PlotFormat::svg);
        }
        for (const SharedStudy& study : {SharedStudy(wholeStudy()), SharedStudy(sweepStudy())}) {
            made << page(study);
            for (const ReportFormatFacts& facts : reportFormats()) {
                made << QByteArray::fromStdString(reportOf(study, facts.format).value_or(""));
            }
        }
        return made;
    };
    const QByteArrayList english = all();
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const QByteArrayList german = all();
    QLocale::setDefault(before);
    QVERIFY(!english.contains(QByteArray()));
    for (qsizetype i = 0; i < english.size(); ++i) {
        QVERIFY2(english[i] == german[i], qPrintable(QString::number(i)));
    }
}

void TestPublish::whatIsMissingIsSaid() {
    const Study empty = fixtures::emptyStudy({"read", "mmap"});
    QVERIFY(message(empty, PlotKind::ratio).contains("there is nothing for the plot \"ratio\""));
    QVERIFY(message(empty, PlotKind::throughput).contains("--no-samples"));
    QVERIFY(message(empty, PlotKind::why).contains("--no-why"));
    QVERIFY(message(empty, PlotKind::faultMap).contains("--trace-faults"));
    QVERIFY(message(empty, PlotKind::sweep).contains("no sweep"));
    QVERIFY(message(*sweepStudy(), PlotKind::ratio).contains("its plot is \"sweep\""));
    Study unmeasured = *sweepStudy();
    unmeasured.runs.clear();
    summarize(unmeasured);
    QVERIFY(message(unmeasured, PlotKind::sweep).contains("--resume"));
    for (const PlotKindFacts& facts : plotKinds()) {
        QVERIFY(!plotOf(std::make_shared<Study>(empty), {.kind = facts.kind}));
        QCOMPARE(message(*studyFor(facts.kind), facts.kind), QString());
    }
    // One sample is a point, and an arm that failed is named.
    auto one = wholeStudy();
    for (RunRecord& run : one->runs) {
        if (run.sampling.samples.size() > 1) {
            run.sampling.samples = {run.sampling.samples[1]};
        }
        if (run.arm == 3) {
            run.status = RunStatus::failed;
            run.error = "Killed by a <signal>";
        }
    }
    summarize(*one);
    for (const PlotKind kind : {PlotKind::throughput, PlotKind::memory, PlotKind::ratio}) {
        const auto drawn = plotOf(one, {.kind = kind});
        QVERIFY(drawn || drawn.error().kind == ErrorKind::unavailable);
    }
    QVERIFY(page(one).contains("Killed by a &lt;signal&gt;"));
    // A page needs no plots.
    const QByteArray bare = page(std::make_shared<Study>(empty));
    QVERIFY(bare.contains("Nothing was measured.") && !bare.contains("<svg"));
}

void TestPublish::hostileNamesAreText() {
    auto study = wholeStudy(hostileNames());
    study->plan.file = "/data/<b>&\"'\n" + std::string(3000, 'y');
    study->plan.workload = "<i>scan</i>";
    study->environment.cpu = "</style><script>x()</script>";
    study->warnings = {"<img src=http:x>", "\xff\xfe not text", std::string(20000, 'w')};
    summarize(*study);
    study->warnings.emplace_back("]]></svg><script>");
    const Markup markup = markupOf(page(study));
    QVERIFY2(markup.error.isEmpty(), qPrintable(markup.error));
    QVERIFY(!markup.tags.contains("script") && !markup.tags.contains("img") && !markup.tags.contains("b"));
    QVERIFY(markup.texts.join(u' ').contains("<script>alert(1)</script>"));
    for (const PlotKindFacts& facts : plotKinds()) {
        if (facts.kind == PlotKind::sweep) {
            continue;
        }
        const QByteArray svg = draw(study, {.kind = facts.kind});
        const Markup drawn = markupOf(svg);
        QVERIFY2(drawn.error.isEmpty() && !drawn.tags.isEmpty(), qPrintable(drawn.error));
        QVERIFY(!drawn.tags.contains("script") && !drawn.tags.contains("img"));
        QVERIFY(draw(study, {.kind = facts.kind, .format = PlotFormat::pdf}).startsWith("%PDF-"));
    }
}

void TestPublish::absurdFiguresAreDrawn() {
    auto study = wholeStudy();
    for (RunRecord& run : study->runs) {
        SampleSeries absurd;
        for (Sample sample : run.sampling.samples) {
            sample.bytesIn = std::numeric_limits<std::uint64_t>::max();
            sample.rssAnon = std::numeric_limits<std::uint64_t>::max();
            absurd.push_back(sample);
        }
        run.sampling.samples = absurd;
        run.wall = run.arm == 1 ? Nanoseconds(1) : Nanoseconds(std::numeric_limits<std::int64_t>::max() / 4);
        if (run.faultTrace) {
            run.faultTrace->tNs.assign(run.faultTrace->tNs.size(), std::numeric_limits<std::int64_t>::max());
            run.faultTrace->offset.assign(run.faultTrace->offset.size(), FaultTrace::kElsewhere - 1);
        }
    }
    summarize(*study);
    for (const PlotKindFacts& facts : plotKinds()) {
        if (facts.kind != PlotKind::sweep && checkPlot(*study, facts.kind)) {
            const Markup markup = markupOf(draw(study, {.kind = facts.kind}));
            QVERIFY2(markup.error.isEmpty() && !markup.tags.isEmpty(), facts.name.data());
        }
    }
    QVERIFY(markupOf(page(study)).error.isEmpty());
    auto sweep = sweepStudy();
    for (RunRecord& run : sweep->runs) {
        run.wall = Nanoseconds(run.arm == 0 ? 0 : 1);
        run.minorFaults = std::numeric_limits<std::uint64_t>::max();
    }
    summarize(*sweep);
    if (checkPlot(*sweep, PlotKind::sweep)) {
        QVERIFY(QSvgRenderer(draw(sweep, {.kind = PlotKind::sweep})).isValid());
    }
    QVERIFY(markupOf(page(sweep)).error.isEmpty());
}

QTEST_MAIN(TestPublish)
#include "tst_publish.moc"
