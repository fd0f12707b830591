// A run on a system that hides what it can: every figure that can't be had is absent, and the run is good.
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include "engine/run/run_support.h"
#include "run/execute.h"
#include "run/record_json.h"
#include "support/child.h"
#include "support/forbid.h"

using namespace mmapscope;
using namespace mmapscope::test;

class TestHardened : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void notDumpable_data();
    void notDumpable();

  private:
    QTemporaryDir dir_;
    std::string path_;
};

void TestHardened::initTestCase() {
    path_ = writeFile(dir_.filePath("file").toStdString(), randomBytes(8U << 20U));
    // Another user is to read it.
    QCOMPARE(::chmod(dir_.path().toLocal8Bit().constData(), 0755), 0);
    QCOMPARE(::chmod(path_.c_str(), 0644), 0);
}

void TestHardened::notDumpable_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<bool>("perf");
    QTest::newRow("mmap") << "mmap" << true;
    QTest::newRow("read") << "read" << true;
    QTest::newRow("mmap without perf_event_open") << "mmap" << false;
}

void TestHardened::notDumpable() {
    QFETCH(QString, source);
    QFETCH(bool, perf);
    if (::getuid() != 0) {
        QSKIP("needs root, to become a user whose /proc entries are root's");
    }
    RunRequest request = mustRequest(path_, source.toStdString(), "scan");
    request.phase = Phase::inspection;
    request.traceFaults = true;
    const Child child = inChild([&](const auto& say) {
        constexpr uid_t kNobody = 65534;
        if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0 ||
            ::prctl(PR_SET_DUMPABLE, 0) != 0 || (!perf && !forbid({SYS_perf_event_open}))) {
            ::_exit(3);
        }
        say(runRecordToText(executeRun(request, nullptr, {})));
    });
    QCOMPARE(child.trouble, std::string());
    const auto run = runRecordFromText(child.said);
    QVERIFY2(run.has_value(), child.said.c_str());
    QVERIFY2(run->status == RunStatus::ok, run->error.c_str());
    QVERIFY(run->wall.count() > 0 && run->outcome.has_value());
    QCOMPARE(run->bytesIn.count(), std::uint64_t{8U << 20U});
    // /proc/self/io is root's now, and closed to others; smaps still tells a process of itself.
    QVERIFY(!run->storageRead);
    QCOMPARE(run->mapping.has_value(), source != "read");
    for (const Sample& sample : run->sampling.samples) {
        QCOMPARE(sample.storageRead, kNotAvailable);
        QVERIFY(sample.minorFaults != kNotAvailable);  // getrusage needs no file
    }
    // The file isn't that user's: residency is hidden, and said to be.
    QVERIFY(run->residency && run->residency->looks.empty() && !run->residency->reason.empty());
    if (!perf) {
        QVERIFY(!run->faultTrace);
        QVERIFY2(!run->warnings.empty() && run->warnings.front().find("can't be traced") != std::string::npos,
                 run->warnings.empty() ? "no warning" : run->warnings.front().c_str());
        for (const auto& [key, value] : run->counters) {
            QVERIFY2(key.find("perf_") == std::string::npos, key.c_str());
        }
    }
}

QTEST_GUILESS_MAIN(TestHardened)
#include "tst_hardened.moc"
