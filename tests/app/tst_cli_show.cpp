// What mmapscope-cli gives away of a study: plots, pages and tables, as a script asks for them.
#include <sys/stat.h>

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include "app/publish/publish.h"
#include "report/study_file.h"
#include "tests/app/publish_fixtures.h"
#include "tests/engine/probe/probe_support.h"
#include "tests/support/mounts.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

struct Said {
    int status = -1;
    QByteArray out, err;
};

Said cli(const QStringList& arguments, const QStringList& environment = {}) {
    QProcess process;
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    // A script has no display, and knows nothing of Qt.
    for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        variables.remove(QString::fromUtf8(name));
    }
    for (const QString& setting : environment) {
        variables.insert(setting.section('=', 0, 0), setting.section('=', 1));
    }
    process.setProcessEnvironment(variables);
    process.start(QStringLiteral(MMAPSCOPE_CLI), arguments);
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isXml(const QByteArray& content) {
    QXmlStreamReader reader(content);
    while (!reader.atEnd()) {
        reader.readNext();
    }
    return !reader.hasError() && !content.isEmpty();
}

QStringList withPlot(const QString& study, const QString& out, const QStringList& more = {}) {
    return QStringList{"show", study, "--plot", "ratio", "--out", out} + more;
}

}  // namespace

class TestCliShow : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void plots_data();
    void plots();
    void sizeScaleAndTheme();
    void refusals_data();
    void refusals();
    void everyFormat_data();
    void everyFormat();
    void theSameInGermany();
    void whatARunWrites();
    void whatASweepWrites();
    void placesThatTakeNothing();
    void aFullDisk();

  private:
    [[nodiscard]] QString path(const char* name) const { return dir_.filePath(QString::fromUtf8(name)); }

    QTemporaryDir dir_;
};

void TestCliShow::initTestCase() {
    QVERIFY(dir_.isValid());
    QVERIFY(saveStudy(*wholeStudy(), path("study.json").toStdString()));
    QVERIFY(saveStudy(*sweepStudy(), path("sweep.json").toStdString()));
    QVERIFY(saveStudy(fixtures::emptyStudy({"read", "mmap"}), path("empty.json").toStdString()));
    QCOMPARE(cli({"corpus", "bytes", "--size", "4MiB", "--out", path("bytes.bin"), "--quiet"}).status, 0);
}

void TestCliShow::plots_data() {
    QTest::addColumn<QString>("kind");
    for (const PlotKindFacts& facts : plotKinds()) {
        QTest::newRow(facts.name.data()) << QString::fromUtf8(facts.name.data());
    }
}

void TestCliShow::plots() {
    QFETCH(QString, kind);
    const QString study = path(kind == "sweep" ? "sweep.json" : "study.json");
    for (const char* const suffix : {"svg", "png", "pdf", "PNG"}) {
        const QString out = dir_.filePath(kind + "-plot." + suffix);
        const Said result = cli({"show", study, "--plot", kind, "--out", out});
        QVERIFY2(result.status == 0, result.err.constData());
        QVERIFY2(result.out.isEmpty() && result.err.isEmpty(), result.err.constData());
        const QByteArray content = contentOf(out);
        const QString form = QString(suffix).toLower();
        QVERIFY(form != "svg" || isXml(content));
        QVERIFY(form != "png" || QImage::fromData(content).width() == 1200);
        QVERIFY(form != "pdf" || (content.startsWith("%PDF-") && content.trimmed().endsWith("%%EOF")));
    }
}

void TestCliShow::sizeScaleAndTheme() {
    const QString out = path("sized.png");
    const auto drawn = [&](const QStringList& more) {
        const Said result = cli(withPlot(path("study.json"), out, more));
        return result.status == 0 ? QImage::fromData(contentOf(out)) : QImage();
    };
    QCOMPARE(drawn({"--size", "800x600"}).size(), QSize(800, 600));
    QCOMPARE(drawn({"--size", "800x600", "--scale", "2"}).size(), QSize(1600, 1200));
    QCOMPARE(drawn({"--size", "640"}).width(), 640);
    QVERIFY(qGray(drawn({"--theme", "light"}).pixel(2, 2)) > 200);
    QVERIFY(qGray(drawn({"--theme", "dark"}).pixel(2, 2)) < 60);
    // What a desktop sets is not what a file is to look like.
    const QByteArray plain = contentOf(out);
    QCOMPARE(cli(withPlot(path("study.json"), out, {"--theme", "dark"}),
                 {"QT_SCALE_FACTOR=2", "QT_FONT_DPI=200", "QT_QPA_PLATFORM=wayland", "QT_STYLE_OVERRIDE=x"})
                 .status,
             0);
    QVERIFY(contentOf(out) == plain);
}

void TestCliShow::refusals_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    const QString study = path("study.json");
    const auto row = [](const char* name, const QStringList& arguments, int status, const char* says) {
        QTest::newRow(name) << arguments << status << QString::fromUtf8(says);
    };
    row("no kind of plot", {"show", study, "--plot", "pie", "--out", path("x.svg")}, 2, "--plot");
    row("nowhere to write", {"show", study, "--plot", "ratio"}, 2, "--plot needs --out FILE");
    row("no suffix", withPlot(study, path("x")), 2, "end its name in .svg, .png or .pdf");
    row("another suffix", withPlot(study, path("x.gif")), 2, "end its name in .svg, .png or .pdf");
    row("to a terminal", withPlot(study, "-"), 2, "end its name in");
    row("two studies",
        QStringList{"show", study, path("sweep.json"), "--plot", "ratio", "--out", path("x.svg")}, 2,
        "--plot takes one study");
    row("a plot and a format", withPlot(study, path("x.svg"), {"--format", "csv"}), 2, "--format");
    row("a size without a plot", {"show", study, "--size", "800x600"}, 2, "--plot");
    for (const char* const size : {"800X600", "x600", "800x", "800x0", "99999999999x2", "-5x-5", "8e2x600"}) {
        row(qPrintable(QString("size ") + size), withPlot(study, path("x.svg"), {"--size=" + QString(size)}),
            2, "");
    }
    row("too large", withPlot(study, path("x.png"), {"--size", "8000x8000", "--scale", "8"}), 2,
        "million pixels is too large");
    row("too small for it",
        {"show", study, "--plot", "faultmap", "--size", "320x240", "--out", path("x.svg")}, 2,
        "this plot needs a height of");
    row("scale", withPlot(study, path("x.svg"), {"--scale", "nan"}), 2, "");
    row("nothing measured", withPlot(path("empty.json"), path("x.svg")), 3, "there is nothing for the plot");
    row("a sweep's ratio", withPlot(path("sweep.json"), path("x.svg")), 3, "its plot is \"sweep\"");
    row("a study's sweep", {"show", study, "--plot", "sweep", "--out", path("x.svg")}, 3,
        "this study is no sweep");
    row("no study", withPlot(path("bytes.bin"), path("x.svg")), 2, "bytes.bin");
    row("no such study", withPlot(path("none.json"), path("x.svg")), 2, "none.json");
    row("no such folder", withPlot(study, path("no/x.svg")), 2, "no/x.svg");
    row("two pages", {"show", study, study, "--format", "html"}, 2, "--format html takes one study");
    row("over the study", {"show", study, "--format", "html", "--out", study}, 2, "would be overwritten");
    row("two outputs in one file",
        {"run", path("bytes.bin"), "--html", path("same"), "--latex", path("same")}, 2, "both write to");
    row("over what is measured", {"run", path("bytes.bin"), "--html", path("bytes.bin")}, 2,
        "is the file that is measured");
    row("a page nowhere", {"run", path("bytes.bin"), "--html", path("no/page.html")}, 2, "no/page.html");
    row("a sweep's page nowhere",
        {"sweep", path("bytes.bin"), "--sizes", "1MiB,2MiB", "--html", path("no/page.html")}, 2,
        "no/page.html");
}

void TestCliShow::refusals() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, says);
    const Said result = cli(arguments);
    QVERIFY2(result.status == status, result.err.constData());
    QVERIFY2(QString::fromUtf8(result.err).contains(says), result.err.constData());
    QCOMPARE(result.err.count('\n'), 1);
    QVERIFY(result.out.isEmpty());
    QVERIFY(QDir(dir_.path()).entryList({"x*", "same", ".*tmp*"}, QDir::Files | QDir::Hidden).isEmpty());
}

void TestCliShow::everyFormat_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QByteArray>("begins");
    const QHash<QString, QByteArray> begins{
        {"markdown", "|"},           {"csv", ""},   {"summary-csv", ""}, {"latex", "% Tables by mmapscope."},
        {"html", "<!DOCTYPE html>"}, {"json", "{"}, {"table", ""}};
    for (const ReportFormatFacts& facts : reportFormats()) {
        const auto name = QString::fromUtf8(facts.name.data());
        QVERIFY(begins.contains(name));
        QTest::newRow(facts.name.data()) << name << begins[name];
    }
}

void TestCliShow::everyFormat() {
    QFETCH(QString, format);
    QFETCH(QByteArray, begins);
    for (const char* const name : {"study.json", "sweep.json", "empty.json"}) {
        const Said printed = cli({"show", path(name), "--format", format});
        QVERIFY2(printed.status == 0, printed.err.constData());
        QVERIFY2(printed.err.isEmpty(), printed.err.constData());
        QVERIFY2(printed.out.startsWith(begins) && !printed.out.isEmpty(), printed.out.left(200).constData());
        QVERIFY(format != "html" || isXml(printed.out));
        QCOMPARE(cli({"show", path(name), "--format", format, "--out", path("written")}).status, 0);
        QVERIFY(contentOf(path("written")) == printed.out);
    }
}

void TestCliShow::theSameInGermany() {
    // Without that locale the C library stays in C: QT's own, by LANG, is German either way.
    const QStringList german{"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8", "LANGUAGE=de"};
    for (const ReportFormatFacts& facts : reportFormats()) {
        const QStringList show{"show", path("study.json"), "--format", QString::fromUtf8(facts.name.data())};
        QVERIFY2(cli(show, german).out == cli(show).out, facts.name.data());
    }
    QCOMPARE(cli(withPlot(path("study.json"), path("c.svg"))).status, 0);
    QCOMPARE(cli(withPlot(path("study.json"), path("de.svg")), german).status, 0);
    QVERIFY(contentOf(path("c.svg")) == contentOf(path("de.svg")));
}

void TestCliShow::whatARunWrites() {
    const Said result = cli({"run", path("bytes.bin"), "--source", "read", "--source", "mmap", "--rounds",
                             "5", "--quiet", "--json", path("run.json"), "--html", path("run.html"),
                             "--latex", path("run.tex"), "--summary-csv", path("run.csv")});
    QVERIFY2(result.status == 0, result.err.constData());
    QVERIFY(isXml(contentOf(path("run.html"))));
    // What is read from the file is what was written by the run.
    for (const auto& [format, name] :
         {std::pair{"html", "run.html"}, {"latex", "run.tex"}, {"summary-csv", "run.csv"}}) {
        QVERIFY2(cli({"show", path("run.json"), "--format", format}).out == contentOf(path(name)), format);
    }
    QVERIFY(contentOf(path("run.html")).contains("<svg"));
    QCOMPARE(contentOf(path("run.csv")).count("\r\n"), 3);
}

void TestCliShow::whatASweepWrites() {
    const Said result = cli({"sweep",
                             path("bytes.bin"),
                             "--source",
                             "read",
                             "--source",
                             "mmap",
                             "--rounds",
                             "5",
                             "--from",
                             "1MiB",
                             "--to",
                             "4MiB",
                             "--quiet",
                             "--json",
                             path("swept.json"),
                             "--html",
                             path("swept.html"),
                             "--markdown",
                             path("swept.md"),
                             "--csv",
                             path("swept.csv"),
                             "--latex",
                             path("swept.tex")});
    QVERIFY2(result.status == 0, result.err.constData());
    QVERIFY(isXml(contentOf(path("swept.html"))) && contentOf(path("swept.html")).contains("<svg"));
    QVERIFY(contentOf(path("swept.tex")).contains("\\toprule"));
    QVERIFY(contentOf(path("swept.csv")).contains("limit_bytes"));
    QVERIFY(contentOf(path("swept.md")).startsWith("|"));
    QCOMPARE(cli({"show", path("swept.json"), "--plot", "sweep", "--out", path("swept.svg")}).status, 0);
    QVERIFY(isXml(contentOf(path("swept.svg"))));
}

void TestCliShow::placesThatTakeNothing() {
    QVERIFY(QDir().mkpath(path("closed")));
    QVERIFY(::chmod(path("closed").toUtf8().constData(), 0555) == 0);
    QVERIFY(::chmod(dir_.path().toUtf8().constData(), 0755) == 0);
    const int failed = test::asNobody([&] {
        const Said plot = cli(withPlot(path("study.json"), path("closed/x.svg")));
        const Said run = cli({"run", path("bytes.bin"), "--html", path("closed/x.html")});
        return plot.status == 2 && plot.err.contains("closed/x.svg") && run.status == 2 &&
                       run.err.contains("closed/x.html") && run.err.count('\n') == 1
                   ? 0
                   : 1;
    });
    if (failed == 100) {
        QSKIP("needs root, to become another user");
    }
    QCOMPARE(failed, 0);
}

void TestCliShow::aFullDisk() {
    if (!test::leaveMountNamespace()) {
        QSKIP("needs the privilege to mount");
    }
    test::Mount mount;
    QVERIFY(QDir(dir_.path()).mkdir("small"));
    if (const std::string why = mount.kernel("tmpfs", path("small").toStdString(), "size=64k");
        !why.empty()) {
        QSKIP(why.c_str());
    }
    QFile before(path("small/page.html"));
    QVERIFY(before.open(QIODevice::WriteOnly) && before.write("kept") == 4);
    before.close();
    const Said page = cli({"show", path("study.json"), "--format", "html", "--out", path("small/page.html")});
    QCOMPARE(page.status, 1);
    QVERIFY2(page.err.contains("No space left") && page.err.count('\n') == 1, page.err.constData());
    QCOMPARE(contentOf(path("small/page.html")), QByteArray("kept"));
    const Said plot = cli(withPlot(path("study.json"), path("small/x.png"), {"--scale", "4"}));
    QCOMPARE(plot.status, 1);
    QVERIFY(plot.err.contains("No space left"));
    QCOMPARE(QDir(path("small")).entryList(QDir::Files | QDir::Hidden), QStringList{"page.html"});
    // The page's loss takes nothing else along: the study is written, and the exit status tells.
    const Said run = cli({"run", path("bytes.bin"), "--source", "read", "--source", "mmap", "--rounds", "5",
                          "--quiet", "--json", path("whole.json"), "--html", path("small/page.html")});
    QCOMPARE(run.status, 1);
    QVERIFY2(run.err.contains("No space left"), run.err.constData());
    QVERIFY(cli({"show", path("whole.json")}).status == 0);
    QCOMPARE(contentOf(path("small/page.html")), QByteArray("kept"));
}

QTEST_GUILESS_MAIN(TestCliShow)
#include "tst_cli_show.moc"
