#include <QDir>
#include <QtTest>

#include "source/source.h"
#include "study/environment.h"
#include "study/study_runner.h"
#include "workload/workload.h"

using namespace mmapscope;

namespace {

ArmRequest armRequest(const std::string& source, const std::string& parameters = {}, unsigned threads = 1) {
    return {source, *parseParameters(findSource(source)->parameters, parameters), threads};
}

StudyRequest requestFor(const QString& file, std::vector<ArmRequest> arms,
                        const std::string& workload = "scan") {
    StudyRequest request;
    request.file = file.toStdString();
    request.workload = workload;
    request.workloadParameters = *parseParameters(findWorkload(workload)->parameters, "");
    request.arms = std::move(arms);
    request.isolation = Isolation::inProcess;
    return request;
}

}  // namespace

class TestPlan : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void namesArms();
    void threadsInNamesOnlyWhereTheyDiffer();
    void keepsWhatWasAsked();
    void drawsAndRecordsASeed();
    void resolvesTheWorkload();
    void limits();
    void refusals_data();
    void refusals();
    void environmentIsThisMachine();

  private:
    QString write(const QString& name, const QByteArray& content) {
        const QString path = folder_.filePath(name);
        QFile file(path);
        [&] { QVERIFY(file.open(QIODevice::WriteOnly)); }();
        file.write(content);
        return path;
    }
    QTemporaryDir folder_;
    QString file_;
};

void TestPlan::initTestCase() {
    file_ = write("bytes", QByteArray(100'000, 'x'));
}

void TestPlan::namesArms() {
    const auto study = planStudy(requestFor(
        file_, {armRequest("read"), armRequest("read", "256KiB"), armRequest("mmap"), armRequest("mmap"),
                armRequest("read", "64KiB"), armRequest("mmap-window", "window=8MiB,advice=none")}));
    QVERIFY(study);
    QStringList ids;
    for (const Arm& arm : study->arms) {
        ids << QString::fromStdString(arm.id);
    }
    QCOMPARE(ids, (QStringList{"read", "read:256KiB", "mmap", "mmap#2", "read#2",
                               "mmap-window:8MiB,advice=none"}));
    QVERIFY(study->runs.empty());
    QVERIFY(!study->complete);
    QCOMPARE(study->summary.size(), std::size_t{6});
    QCOMPARE(study->summary[0].verdict, Verdict::baseline);
    QCOMPARE(study->summary[1].verdict, Verdict::unranked);
}

void TestPlan::threadsInNamesOnlyWhereTheyDiffer() {
    const auto ids = [&](unsigned a, unsigned b) {
        const auto study =
            planStudy(requestFor(file_, {armRequest("mmap", "", a), armRequest("read", "", b)}));
        return QString::fromStdString(study->arms[0].id + " " + study->arms[1].id);
    };
    QCOMPARE(ids(2, 2), "mmap read");
    QCOMPARE(ids(1, 2), "mmap read@2");
    QCOMPARE(ids(4, 2), "mmap@4 read@2");
}

void TestPlan::keepsWhatWasAsked() {
    StudyRequest request = requestFor(file_, {armRequest("read"), armRequest("mmap", "", 2)});
    request.rounds = 9;
    request.warmups = 3;
    request.orderSeed = 77;
    request.cache = CacheState::cold;
    request.baseline = 1;
    const auto study = planStudy(request);
    QVERIFY(study);
    QCOMPARE(study->plan.rounds, 9U);
    QCOMPARE(study->plan.warmups, 3U);
    QCOMPARE(study->plan.orderSeed, 77ULL);
    QCOMPARE(study->plan.cache, CacheState::cold);
    QCOMPARE(study->plan.isolation, Isolation::inProcess);
    QCOMPARE(study->plan.baseline, 1U);
    QCOMPARE(study->plan.fileBytes, Bytes(100'000));
    QCOMPARE(study->plan.file, file_.toStdString());
    QCOMPARE(study->arms[1].threads, 2U);
    QCOMPARE(bytesOf(study->arms[0].sourceParameters, "buffer"), kib(64));
}

void TestPlan::drawsAndRecordsASeed() {
    const StudyRequest request = requestFor(file_, {armRequest("read")});
    const auto one = planStudy(request);
    const auto two = planStudy(request);
    QVERIFY(one->plan.orderSeed != two->plan.orderSeed);
    QVERIFY(one->plan.orderSeed < (1ULL << 53U));
}

void TestPlan::resolvesTheWorkload() {
    const QString csv = write("ticks.csv", "1700000000000,100.5,2\n1700000000001,100.25,3\n");
    const auto study = planStudy(requestFor(csv, {armRequest("read")}, "ticks"));
    QVERIFY2(study, study ? "" : study.error().message.c_str());
    QVERIFY(textOf(study->arms[0].workloadParameters, "schema") != "auto");
}

void TestPlan::limits() {
    StudyRequest request = requestFor(file_, {armRequest("read")});
    request.limit = Bytes(50'001);
    const auto cut = planStudy(request);
    QVERIFY(cut && cut->plan.limit);
    QVERIFY(*cut->plan.limit <= Bytes(50'001) && *cut->plan.limit > Bytes(49'000));
    request.limit = gib(1);
    QVERIFY(!planStudy(request)->plan.limit);
}

void TestPlan::refusals_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* what, ErrorKind kind, const char* words) {
        QTest::newRow(what) << what << int(kind) << words;
    };
    row("no arms", ErrorKind::usage, "at least one source");
    row("unknown source", ErrorKind::usage, "did you mean \"mmap\"");
    row("unknown workload", ErrorKind::usage, "did you mean \"scan\"");
    row("baseline", ErrorKind::usage, "baseline is arm 6 of 1");
    row("no rounds", ErrorKind::usage, "at least one measured round");
    row("no threads", ErrorKind::usage, "0 threads");
    row("limit of nothing", ErrorKind::usage, "0 bytes");
    row("no file", ErrorKind::input, "/nowhere");
    row("folder", ErrorKind::input, "");
    row("unfit file", ErrorKind::input, "");
    row("no worker", ErrorKind::unavailable, "/no/worker");
}

void TestPlan::refusals() {
    QFETCH(QString, what);
    QFETCH(int, kind);
    QFETCH(QString, words);
    StudyRequest request = requestFor(file_, {armRequest("read")});
    if (what == "no arms") {
        request.arms.clear();
    } else if (what == "unknown source") {
        request.arms[0].source = "mmapp";
    } else if (what == "unknown workload") {
        request.workload = "scam";
    } else if (what == "baseline") {
        request.baseline = 5;
    } else if (what == "no rounds") {
        request.rounds = 0;
    } else if (what == "no threads") {
        request.arms[0].threads = 0;
    } else if (what == "limit of nothing") {
        request.limit = Bytes(0);
    } else if (what == "no file") {
        request.file = "/nowhere";
    } else if (what == "folder") {
        QVERIFY(QDir(folder_.path()).mkpath("empty"));
        request.file = folder_.filePath("empty").toStdString();
    } else if (what == "unfit file") {
        request = requestFor(file_, {armRequest("read")}, "ticks");
    } else if (what == "no worker") {
        request.isolation = Isolation::worker;
        request.workerProgram = "/no/worker";
    }
    const auto study = planStudy(request);
    QVERIFY(!study);
    QCOMPARE(int(study.error().kind), kind);
    const QString message = QString::fromStdString(study.error().message);
    QVERIFY2(message.contains(words) && !message.isEmpty() && !message.contains('\n'), qPrintable(message));
}

void TestPlan::environmentIsThisMachine() {
    const auto facts = inspectFile(file_.toStdString());
    const Environment e = readEnvironment(*facts);
    QCOMPARE(QString::fromStdString(e.kernel), QSysInfo::kernelVersion());
    QVERIFY(!e.cpu.empty() && !e.filesystem.empty() && !e.libzstd.empty() && !e.openssl.empty());
    QCOMPARE(e.cores, unsigned(sysconf(_SC_NPROCESSORS_ONLN)));
    QCOMPARE(e.page, pageSize());
    QVERIFY(e.memory && *e.memory > mib(64));
    QFile thp("/sys/kernel/mm/transparent_hugepage/enabled");
    if (thp.open(QIODevice::ReadOnly)) {
        QVERIFY(thp.readAll().contains(("[" + *e.thp.enabled + "]").c_str()));
    } else {
        QVERIFY(!e.thp.enabled);
    }
    QCOMPARE(e.governor.has_value(), QFile::exists("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    QCOMPARE(e.mglru.has_value(), QFile::exists("/sys/kernel/mm/lru_gen/enabled"));
    QVERIFY(e.counters.count("page_faults") == 1);
}

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_plan.moc"
