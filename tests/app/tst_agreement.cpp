// Our figures beside those of independent instruments, in the same run.
#include <sys/mman.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/unique_fd.h"
#include "engine/run/run_support.h"
#include "probe/huge_pages.h"
#include "probe/meminfo.h"
#include "probe/smaps.h"
#include "run/execute.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

struct Ended {
    QByteArray output, errors;
    int status = -1;
};

Ended execute(const QString& program, const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LC_ALL", "C");
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.waitForFinished(60'000);
    return {process.readAllStandardOutput(), process.readAllStandardError(), process.exitCode()};
}

#define NEED(program)                                                              \
    if (QStandardPaths::findExecutable(QStringLiteral(program)).isEmpty()) {       \
        QSKIP(program " is not installed (see packaging/dependencies.txt, test)"); \
    }

}  // namespace

class TestAgreement : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void faultsWithPerfStat();
    void peakRssWithTimeV();
    void mappingWithPmap();
    void poolWithMeminfo();

  private:
    QJsonArray runsOf(const QString& study) const {
        QFile file(study);
        return file.open(QIODevice::ReadOnly)
                   ? QJsonDocument::fromJson(file.readAll()).object()["runs"].toArray()
                   : QJsonArray();
    }
    QStringList inProcess(const QString& source, const QString& study) const {
        return {"run",        QString::fromStdString(path_),
                "--workload", "scan",
                "--source",   source,
                "--rounds",   "3",
                "--warmup",   "0",
                "--cache",    "warm-small",
                "--no-why",   "--no-samples",
                "--json",     study,
                "--quiet",    "--in-process"};
    }
    QTemporaryDir dir_;
    std::string path_;
};

void TestAgreement::initTestCase() {
    path_ = writeFile(dir_.filePath("file").toStdString(), randomBytes(64U << 20U));
}

void TestAgreement::faultsWithPerfStat() {
    NEED("perf");
    const QString study = dir_.filePath("faults.json");
    QStringList arguments{"stat", "-x", ",", "-e", "minor-faults,major-faults", "--", MMAPSCOPE_CLI};
    const Ended perf = execute("perf", arguments + inProcess("mmap", study));
    const QString said = QString::fromUtf8(perf.errors);
    if (said.contains("not supported") || said.contains("not permitted") || said.contains("No permission")) {
        QSKIP(qPrintable(said));
    }
    QCOMPARE(perf.status, 0);
    double counted = 0;
    for (const QString& line : said.split(u'\n')) {
        if (line.contains("-faults")) {
            counted += line.section(u',', 0, 0).toDouble();
        }
    }
    double ours = 0;
    for (const QJsonValue& run : runsOf(study)) {
        ours += run["process_minor_faults"].toDouble() + run["process_major_faults"].toDouble();
    }
    // perf counts the program's start and its report as well; the runs are nearly all of it.
    QVERIFY2(ours > 1000, qPrintable(QString::number(ours)));
    QVERIFY2(counted >= ours, qPrintable(QString("%1 by perf stat, %2 in the runs").arg(counted).arg(ours)));
    const Ended idle = execute("perf", arguments + QStringList{"arms", "--json"});
    double start = 0;
    for (const QString& line : QString::fromUtf8(idle.errors).split(u'\n')) {
        start += line.contains("-faults") ? line.section(u',', 0, 0).toDouble() : 0;
    }
    QVERIFY2(counted - ours < start * 3 + ours / 5,
             qPrintable(
                 QString("%1 by perf stat, %2 in the runs, %3 to start").arg(counted).arg(ours).arg(start)));
}

void TestAgreement::peakRssWithTimeV() {
    NEED("time");
    const QString study = dir_.filePath("rss.json");
    // From a small shell: ru_maxrss is carried across exec, and this test is larger than the program.
    QStringList words{MMAPSCOPE_CLI};
    words += inProcess("memory", study);
    const Ended timed = execute("/bin/sh", QStringList{"-c", "exec /usr/bin/time -v \"$@\"", "sh"} + words);
    QCOMPARE(timed.status, 0);
    const QString said = QString::fromUtf8(timed.errors);
    const QRegularExpression pattern("Maximum resident set size \\(kbytes\\): (\\d+)");
    const double maximum = pattern.match(said).captured(1).toDouble() * 1024;
    double peak = 0;
    for (const QJsonValue& run : runsOf(study)) {
        peak = std::max(peak, run["peak_rss_bytes"].toDouble());
    }
    QVERIFY2(peak > 64e6, qPrintable(QString::number(peak)));
    QVERIFY2(std::abs(maximum - peak) < peak / 10,
             qPrintable(QString("%1 by time -v, %2 by VmHWM").arg(maximum).arg(peak)));
}

void TestAgreement::mappingWithPmap() {
    NEED("pmap");
    const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    constexpr std::size_t kLength = 64U << 20U;
    void* const at = ::mmap(nullptr, kLength, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    QVERIFY(at != MAP_FAILED);
    for (std::size_t i = 0; i < kLength / 2; i += pageSize().size()) {
        (void)*(static_cast<const volatile char*>(at) + i);
    }
    SmapsReader reader;
    const auto begin = reinterpret_cast<std::uint64_t>(at);
    const AddressRange range[]{{begin, begin + kLength}};
    const auto ours = reader.sum(range);
    const Ended pmap = execute("pmap", {"-XX", QString::number(::getpid())});
    ::munmap(at, kLength);
    QVERIFY(ours.has_value());
    QCOMPARE(pmap.status, 0);
    const QStringList lines = QString::fromUtf8(pmap.output).split(u'\n');
    const QStringList columns = lines.value(1).split(u' ', Qt::SkipEmptyParts);
    QStringList row;
    for (const QString& line : lines) {
        const QStringList cells = line.split(u' ', Qt::SkipEmptyParts);
        if (!cells.isEmpty() && cells[0].toULongLong(nullptr, 16) == begin) {
            row = cells;
        }
    }
    QVERIFY2(!row.isEmpty(), pmap.output.constData());
    const auto kib = [&](const char* name) {
        return row.value(columns.indexOf(QLatin1String(name))).toULongLong() * 1024;
    };
    QCOMPARE(std::uint64_t(kib("Size")), ours->size->count());
    QCOMPARE(std::uint64_t(kib("Rss")), ours->rss->count());
    QCOMPARE(std::uint64_t(kib("FilePmdMapped")), ours->filePmdMapped->count());
    QCOMPARE(std::uint64_t(kib("AnonHugePages")), ours->anonHuge->count());
    QCOMPARE(std::uint64_t(kib("Locked")), ours->locked->count());
    QCOMPARE(row.value(columns.indexOf("THPeligible")).toInt(), int(*ours->thpEligible));
}

void TestAgreement::poolWithMeminfo() {
    QFile file("/proc/meminfo");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    const auto figure = [&](const char* key) {
        return QRegularExpression(QString("%1:\\s+(\\d+)").arg(QLatin1String(key))).match(text).captured(1);
    };
    if (figure("HugePages_Total").isEmpty()) {
        QSKIP("this kernel has no huge-page pool");
    }
    // meminfo tells of the default size.
    const auto pool = poolOf(Bytes(figure("Hugepagesize").toULongLong() * 1024));
    QVERIFY(pool.has_value());
    QCOMPARE(QString::number(pool->total), figure("HugePages_Total"));
    QCOMPARE(QString::number(pool->surplus), figure("HugePages_Surp"));
}

QTEST_GUILESS_MAIN(TestAgreement)
#include "tst_agreement.moc"
