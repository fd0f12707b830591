// Fault traces of whole runs: what the kernel maps at once, seen from the record.
#include <sys/mman.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "core/unique_fd.h"
#include "engine/run/run_support.h"
#include "probe/perf_events.h"
#include "probe/residency.h"
#include "run/execute.h"
#include "run/record_json.h"
#include "study/fault_pattern.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::size_t kBytes = 32U << 20U;

/// As a worker would get and send it.
RunRecord traced(const std::string& path, const std::string& source, unsigned threads = 1,
                 bool sampling = false) {
    RunRequest request = mustRequest(path, source, "scan", threads);
    request.phase = Phase::inspection;
    request.traceFaults = true;
    request.sampling = sampling;
    const auto sent = runRequestFromJson(toJson(request));
    const auto back = runRecordFromJson(toJson(executeRun(*sent, nullptr, {})));
    return back ? *back : RunRecord();
}

FaultPattern patternOf(const RunRecord& run) {
    return faultPattern(*run.faultTrace, Bytes(kBytes));
}

double meanMapped(const FaultPattern& p) {
    std::uint64_t pages = 0;
    std::uint64_t count = 0;
    for (const auto& mapped : p.mapped) {
        pages += mapped.pages * mapped.count;
        count += mapped.count;
    }
    return count == 0 ? 0 : static_cast<double>(pages) / static_cast<double>(count);
}

}  // namespace

class TestTracedRuns : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void rungsOfSmallFolios();
    void largerOnesOnceItWasReadAgain();
    void noneWhenPopulatedOrRead_data();
    void noneWhenPopulatedOrRead();
    void agreesWithTheOtherCounters();
    void twoThreadsHaveTheirNumbers();
    void offsetsInAFolderGoOn();
    void untracedRunsHaveNone();

  private:
    /// The file as a program leaves it that wrote 4 KiB at a time: small folios.
    void writeInPieces();
    void readAgain();
    void wantResident();

    QTemporaryDir dir_;
    std::string path_;
};

void TestTracedRuns::initTestCase() {
    const PerfFinding found = lookAtPerfEvent(*findPerfEvent("perf_page_faults"));
    if (!found.available) {
        QSKIP(found.reason.c_str());
    }
    path_ = dir_.filePath("file").toStdString();
}

void TestTracedRuns::init() {
    writeInPieces();
    wantResident();
}

void TestTracedRuns::writeInPieces() {
    const std::string piece = randomBytes(pageSize().size());
    const UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    for (std::size_t at = 0; at < kBytes; at += piece.size()) {
        QCOMPARE(::write(fd.get(), piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    }
    QCOMPARE(::fsync(fd.get()), 0);
}

void TestTracedRuns::readAgain() {
    const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    QCOMPARE(::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
    std::vector<char> buffer(1U << 20U);
    while (::read(fd.get(), buffer.data(), buffer.size()) > 0) {
    }
    wantResident();
}

void TestTracedRuns::wantResident() {
    // Cold page cache may be taken back behind our back: then major faults would be seen, not rungs.
    const auto file = inspectFile(path_);
    const auto residency = residencyOf(*file, {Bytes(0), file->bytes});
    if (!residency) {
        QSKIP(residency.error().message.c_str());
    }
    QCOMPARE(residency->resident.count(), std::uint64_t{kBytes});
}

void TestTracedRuns::rungsOfSmallFolios() {
    const RunRecord run = traced(path_, "mmap");
    QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
    QVERIFY2(run.faultTrace.has_value(), run.warnings.empty() ? "" : run.warnings.front().c_str());
    const FaultPattern p = patternOf(run);
    QCOMPARE(p.lost, std::uint64_t{0});
    // Documentation/admin-guide/mm: fault_around_bytes, 64 KiB by default; 16 pages of 4 KiB.
    QVERIFY(!p.strides.empty());
    QCOMPARE(p.strides.front().bytes, std::int64_t{65536});
    QVERIFY(p.strides.front().count > p.inFile * 9 / 10);
    QVERIFY(std::is_sorted(run.faultTrace->tNs.begin(), run.faultTrace->tNs.end()));
    QVERIFY(run.faultTrace->tNs.front() >= 0 && run.faultTrace->tNs.back() <= run.wall.count());
    QVERIFY(run.counters.contains("fault_trace_cpu_ns"));
}

void TestTracedRuns::largerOnesOnceItWasReadAgain() {
    const double small = meanMapped(patternOf(traced(path_, "mmap")));
    readAgain();
    const FaultPattern again = patternOf(traced(path_, "mmap"));
    if (const auto large = meanMapped(again); large <= small) {
        QSKIP("this filesystem's page cache has no folios larger than fault-around");
    }
    QVERIFY(again.inFile < kBytes / 65536);
    QVERIFY(again.mapped.back().pages > 16);
}

void TestTracedRuns::noneWhenPopulatedOrRead_data() {
    QTest::addColumn<QString>("source");
    for (const char* source : {"mmap-populate", "read", "pread", "memory"}) {
        QTest::newRow(source) << source;
    }
}

void TestTracedRuns::noneWhenPopulatedOrRead() {
    QFETCH(QString, source);
    const RunRecord run = traced(path_, source.toStdString());
    QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
    QCOMPARE(patternOf(run).inFile, std::uint64_t{0});
}

void TestTracedRuns::agreesWithTheOtherCounters() {
    const RunRecord run = traced(path_, "mmap", 1, true);
    QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
    const auto faults = static_cast<double>(run.faultTrace->tNs.size());
    // A few faults of starting and ending fall on either side of each instrument's switch.
    const auto near = [&](double other) { return std::abs(other - faults) <= 16; };
    QVERIFY2(near(static_cast<double>(run.minorFaults + run.majorFaults)),
             qPrintable(QString("%1 traced, %2 by getrusage").arg(faults).arg(run.minorFaults)));
    const auto counted = run.counters.find("perf_page_faults");
    QVERIFY(counted != run.counters.end());
    QVERIFY2(near(static_cast<double>(counted->second)),
             qPrintable(QString("%1 traced, %2 counted").arg(faults).arg(counted->second)));
}

void TestTracedRuns::twoThreadsHaveTheirNumbers() {
    const RunRecord run = traced(path_, "mmap", 2);
    QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
    const FaultTrace& trace = *run.faultTrace;
    for (std::size_t i = 0; i < trace.tNs.size(); ++i) {
        if (trace.offset[i] != FaultTrace::kElsewhere) {
            QCOMPARE(trace.thread[i], trace.offset[i] < kBytes / 2 ? 0U : 1U);
        }
    }
    QVERIFY(std::count(trace.thread.begin(), trace.thread.end(), 1U) > 0);
}

void TestTracedRuns::offsetsInAFolderGoOn() {
    const std::string folder = dir_.filePath("folder").toStdString();
    std::filesystem::create_directories(folder);
    constexpr std::size_t kOne = 4U << 20U;
    for (const char* name : {"a", "b", "c"}) {
        writeFile(folder + "/" + name, randomBytes(kOne));
    }
    const RunRecord run = traced(folder, "mmap");
    QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
    for (std::size_t file = 0; file < 3; ++file) {
        const auto& offsets = run.faultTrace->offset;
        QVERIFY2(
            std::any_of(offsets.begin(), offsets.end(),
                        [&](std::uint64_t o) { return o != FaultTrace::kElsewhere && o / kOne == file; }),
            qPrintable(QString("no fault in file %1").arg(file)));
    }
}

void TestTracedRuns::untracedRunsHaveNone() {
    RunRequest request = mustRequest(path_, "mmap", "scan");
    request.phase = Phase::inspection;
    QVERIFY(!executeRun(request, nullptr, {}).faultTrace.has_value());
}

QTEST_GUILESS_MAIN(TestTracedRuns)
#include "tst_traced_runs.moc"
