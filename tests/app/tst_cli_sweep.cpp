// mmapscope-cli sweep and --memory-cap: refusals, a real small sweep, a kill and a resume.
#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "run/memory_cap.h"
#include "tests/app/cli_support.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

QJsonObject jsonIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

/// (size, arm) → measured runs.
QMap<QPair<double, int>, int> points(const QJsonObject& study) {
    QMap<QPair<double, int>, int> counts;
    for (const QJsonValue& run : study["runs"].toArray()) {
        if (run["phase"].toString() == "measured") {
            ++counts[{run["limit_bytes"].toDouble(), run["arm"].toInt()}];
        }
    }
    return counts;
}

}  // namespace

class TestCliSweep : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void refusals_data();
    void refusals();
    void aSmallSweep();
    void killedAndResumed();
    void cappedStudy();
    void nothingIsLeftOfKilledCaps();

  private:
    QString path(const char* name) const { return dir_.filePath(QLatin1String(name)); }
    /// Homes of groups whose maker is this test's child.
    static int homes() {
        const auto place = findCapPlace();
        return place ? int(QDir(QString::fromStdString(place->directory))
                               .entryList({"mmapscope-*"}, QDir::Dirs)
                               .size())
                     : 0;
    }
    QTemporaryDir dir_;
};

void TestCliSweep::initTestCase() {
    QCOMPARE(cli({"corpus", "bytes", "--size", "64MiB", "--out", path("bytes"), "--quiet"}).status, 0);
}

void TestCliSweep::refusals_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const QString bytes = path("bytes");
    QTest::newRow("no file") << QStringList{"sweep", "--sizes", "1MiB,2MiB"} << "needs a FILE";
    QTest::newRow("no sizes") << QStringList{"sweep", bytes} << "--sizes 32MiB";
    QTest::newRow("no size") << QStringList{"sweep", bytes, "--sizes", "1MiB,big"} << "is not a size";
    QTest::newRow("backwards") << QStringList{"sweep", bytes, "--from", "2MiB", "--to", "1MiB"}
                               << "--from must be smaller";
    QTest::newRow("one size") << QStringList{"sweep", bytes, "--sizes", "1MiB"} << "at least two sizes";
    QTest::newRow("too large") << QStringList{"sweep", bytes, "--sizes", "1MiB,1GiB"}
                               << "more than the file has";
    QTest::newRow("resume nothing") << QStringList{"sweep", "--resume", path("none.json")} << "none.json";
    QTest::newRow("small cap") << QStringList{"run", bytes, "--memory-cap", "1MiB"} << "at least 16 MiB";
    QTest::newRow("cap and resident")
        << QStringList{"run", bytes, "--memory-cap", "32MiB", "--cache", "resident"} << "would be a fiction";
    QTest::newRow("cap in process") << QStringList{"run", bytes, "--memory-cap", "32MiB", "--in-process"}
                                    << "needs a worker of its own";
    QTest::newRow("no cap") << QStringList{"run", bytes, "--memory-cap", "much"} << "--memory-cap: ";
    QTest::newRow("over the file") << QStringList{"sweep", bytes, "--sizes", "1MiB,2MiB", "--json", bytes}
                                   << "is the file that is measured";
}

void TestCliSweep::refusals() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const Ended ended = cli(arguments);
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.contains(says), qPrintable(ended.err));
    QCOMPARE(ended.err.count(u'\n'), 1);
}

void TestCliSweep::aSmallSweep() {
    const Ended ended = cli({"sweep", path("bytes"), "--workload", "scan", "--source", "read", "--source",
                             "mmap", "--sizes", "4MiB,16MiB,64MiB", "--rounds", "5", "--more-points", "1",
                             "--quiet", "--json", path("sweep.json")});
    QVERIFY2(ended.status == 0, qPrintable(ended.err));
    QVERIFY2(ended.out.contains("Throughput by size"), qPrintable(ended.out));
    QVERIFY(ended.out.contains("mmap: "));
    const QJsonObject study = jsonIn(path("sweep.json"));
    QVERIFY(study["sweep"]["complete"].toBool());
    QVERIFY(study["crossovers"].isArray());
    const auto counts = points(study);
    QVERIFY(counts.size() >= 6);
    for (const int count : counts) {
        QCOMPARE(count, 5);
    }
    // A plain study is no sweep.
    QCOMPARE(cli({"run", path("bytes"), "--workload", "scan", "--source", "read", "--rounds", "1", "--no-why",
                  "--quiet", "--json", path("plain.json")})
                 .status,
             0);
    const Ended refused = cli({"sweep", "--resume", path("plain.json")});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains("no sweep"), qPrintable(refused.err));
    QCOMPARE(cli({"show", path("sweep.json"), "--format", "markdown"}).status, 0);
}

void TestCliSweep::killedAndResumed() {
    const QStringList arguments{
        "sweep",   path("bytes"), "--workload",       "scan",     "--source", "read",          "--source",
        "mmap",    "--sizes",     "8MiB,32MiB,64MiB", "--rounds", "5",        "--more-points", "0",
        "--quiet", "--json",      path("killed.json")};
    QProcess process;
    process.start(QStringLiteral(MMAPSCOPE_CLI), arguments);
    QTRY_VERIFY_WITH_TIMEOUT(points(jsonIn(path("killed.json"))).size() >= 2, 60'000);
    process.kill();
    process.waitForFinished();
    QVERIFY(!jsonIn(path("killed.json")).value("sweep")["complete"].toBool());
    const Ended resumed = cli({"sweep", "--resume", path("killed.json"), "--quiet"});
    QVERIFY2(resumed.status == 0, qPrintable(resumed.err));
    const QJsonObject study = jsonIn(path("killed.json"));
    QVERIFY(study["sweep"]["complete"].toBool());
    const auto counts = points(study);
    QCOMPARE(counts.size(), 6);
    for (const int count : counts) {
        QCOMPARE(count, 5);
    }
    // Nothing is measured again once it is complete.
    const auto runs = study["runs"].toArray().size();
    QCOMPARE(cli({"sweep", "--resume", path("killed.json"), "--quiet"}).status, 0);
    QCOMPARE(jsonIn(path("killed.json"))["runs"].toArray().size(), runs);
}

void TestCliSweep::cappedStudy() {
    if (const auto place = findCapPlace(); !place) {
        QSKIP(place.error().message.c_str());
    }
    const Ended ended = cli({"run", path("bytes"), "--workload", "scan", "--source", "read", "--source",
                             "mmap", "--source", "hugetlb-copy", "--source", "memory", "--memory-cap",
                             "32MiB", "--rounds", "1", "--quiet", "--json", path("capped.json")});
    QVERIFY2(ended.status == 3, qPrintable(ended.err));  // two arms make no sense there
    const QJsonObject study = jsonIn(path("capped.json"));
    QCOMPARE(study["plan"]["memory_cap_bytes"].toDouble(), 32.0 * 1048576);
    for (const QJsonValue& run : study["runs"].toArray()) {
        if (run["status"].toString() != "ok") {
            QVERIFY2(run["error"].toString().contains("memory cap"), qPrintable(run["error"].toString()));
            continue;
        }
        QVERIFY(run["memory_cap"]["peak_bytes"].toDouble() <= 34.0 * 1048576);
        // 64 MiB don't fit: most of it comes from storage again.
        QVERIFY2(run["storage_read_bytes"].toDouble() > 24.0 * 1048576,
                 qPrintable(QString::number(run["storage_read_bytes"].toDouble())));
        QVERIFY(run["cache"]["resident_after"].isNull());
    }
}

void TestCliSweep::nothingIsLeftOfKilledCaps() {
    if (const auto place = findCapPlace(); !place) {
        QSKIP(place.error().message.c_str());
    }
    const int before = homes();
    for (const int patience : {150, 400, 900}) {
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"run", path("bytes"), "--workload", "scan", "--source", "read", "--source", "mmap",
                       "--memory-cap", "32MiB", "--rounds", "50", "--quiet"});
        QVERIFY(process.waitForStarted());
        QTest::qWait(patience);
        process.kill();
        process.waitForFinished();
        QTRY_COMPARE_WITH_TIMEOUT(homes(), before, 15'000);
    }
}

QTEST_GUILESS_MAIN(TestCliSweep)
#include "tst_cli_sweep.moc"
