#include "run/execute.h"
#include "run/stamps.h"

#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <thread>

#include "run_support.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr const char* kSimple = "mmap";
constexpr std::uint64_t kSparse = 768;  // MiB

void okOrFatal(const RunRecord& record) {
    if (record.status != RunStatus::ok) {
        qFatal("%s", record.error.c_str());
    }
}

std::uint64_t sumOf(const RunRecord& record) {
    return std::get<std::uint64_t>(record.outcome->find("sum")->data);
}

/// Costs no disk and keeps a run busy for long enough that something can happen meanwhile.
std::string makeSparse(const std::string& path, Bytes size) {
    writeFile(path, "");
    if (::truncate(path.c_str(), static_cast<off_t>(size.count())) != 0) {
        qFatal("can't make %s", path.c_str());
    }
    return path;
}

}  // namespace

class TestExecute : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path_;
    std::string content_;
    std::optional<PoolGuard> pool_;

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        content_ = randomBytes(mib(16).size());
        path_ = writeFile(file("input"), content_);
        pool_.emplace(kSparse / 2);
        if (!pool_->ready()) {
            qWarning("huge pages: %s", pool_->why().c_str());
        }
    }
    void cleanupTestCase() { pool_.reset(); }

    void figuresAddUp_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<unsigned>("threads");
        for (const SourceType* type : allSources()) {
            for (const unsigned threads : {1U, 2U, 5U}) {
                QTest::addRow("%s %u", type->id.data(), threads)
                    << QString::fromStdString(std::string(type->id)) << threads;
            }
        }
    }

    void figuresAddUp() {
        QFETCH(QString, source);
        QFETCH(unsigned, threads);
        const RunRequest request = mustRequest(path_, source.toStdString(), "scan", threads);
        const Holdings before = holdings(path_);
        const RunRecord r = executeRun(request, nullptr, {});
        if (r.status == RunStatus::unavailable) {
            QSKIP(r.error.c_str());
        }
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QVERIFY(holdings(path_) == before);
        QCOMPARE(r.bytesIn.count(), content_.size());
        QVERIFY(r.setup.count() > 0 && r.setup < r.wall);
        QVERIFY(r.cpu.count() > 0);
        QVERIFY(r.processMinorFaults >= r.minorFaults);
        QVERIFY(r.peakRss && !r.peakRss->isZero());
        QCOMPARE(std::get<std::uint64_t>(r.outcome->find("bytes")->data), content_.size());
        checkStamps(r);
    }

    void twoThreadsSumToOne() {
        const RunRecord one = executeRun(mustRequest(path_, kSimple, "scan", 1), nullptr, {});
        const RunRecord two = executeRun(mustRequest(path_, kSimple, "scan", 2), nullptr, {});
        okOrFatal(one);
        okOrFatal(two);
        QVERIFY(*one.outcome == *two.outcome);
        QVERIFY(sumOf(one) != 0);
    }

    void emptyFileHasATime() {
        const auto request = mustRequest(writeFile(file("empty"), ""), "read", "scan", 2);
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QVERIFY(r.wall.count() > 0 && r.setup.count() > 0 && r.setup <= r.wall);
        QCOMPARE(r.bytesIn, Bytes(0));
    }

    void pinnedWhereItCan() {
        RunRequest request = mustRequest(path_, kSimple, "scan", 2);
        request.pinCpus = {0, 0};
        RunRecord r = executeRun(request, nullptr, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QVERIFY(r.warnings.empty());
        request.pinCpus = {4095};
        r = executeRun(request, nullptr, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QVERIFY(!r.warnings.empty());
        QVERIFY(r.warnings.front().find("4095") != std::string::npos);
    }

    void aStopIsObeyedSoon_data() {
        QTest::addColumn<QString>("source");
        for (const SourceType* type : allSources()) {
            QTest::addRow("%s", type->id.data()) << QString::fromStdString(std::string(type->id));
        }
    }

    void aStopIsObeyedSoon() {
        QFETCH(QString, source);
        const std::string path = makeSparse(file("sparse"), mib(kSparse));
        // MAP_POPULATE is one system call for the whole file: the named exception.
        const bool populate = source == "mmap-populate";
        const RunRequest request =
            mustRequest(path, source.toStdString(), "scan", 2, populate ? "how=advise" : "");
        const Holdings before = holdings(path);
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const RunRecord r = executeRun(request, nullptr, stop.get_token());
        const auto returned = std::chrono::steady_clock::now();
        later.join();
        ::unlink(path.c_str());
        QVERIFY(holdings(path) == before);
        if (r.status == RunStatus::ok || r.status == RunStatus::unavailable) {
            QSKIP(r.status == RunStatus::ok ? "the run was done before the stop" : r.error.c_str());
        }
        QVERIFY2(r.status == RunStatus::cancelled, r.error.c_str());
        const double took = std::chrono::duration<double, std::milli>(returned - asked).count();
        qInfo("%s: %.1f ms from stop to return", qPrintable(source), took);
        QVERIFY(took < 1000);
    }

    void stoppedBeforeItStarted() {
        std::stop_source stop;
        stop.request_stop();
        const RunRecord r = executeRun(mustRequest(path_, kSimple, "scan"), nullptr, stop.get_token());
        QVERIFY(r.status == RunStatus::cancelled);
        QVERIFY(!r.outcome);
    }

    void aFileThatWasReplacedIsChanged() {
        const std::string path = writeFile(file("replaced"), std::string(100000, 'a'));
        const RunRequest request = mustRequest(path, "read", "scan");
        writeFile(path, std::string(99999, 'b'));
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY(r.errorKind == ErrorKind::changed);
        QVERIFY2(r.error.find("99999") != std::string::npos, r.error.c_str());
    }

    void aFileThatIsGoneIsAnError() {
        const std::string path = writeFile(file("gone"), std::string(1000, 'a'));
        const RunRequest request = mustRequest(path, "read", "scan");
        ::unlink(path.c_str());
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY2(r.error.find("No such file") != std::string::npos, r.error.c_str());
    }

    void truncatedWhileItIsRead_data() {
        QTest::addColumn<QString>("source");
        for (const SourceType* type : allSources()) {
            QTest::addRow("%s", type->id.data()) << QString::fromStdString(std::string(type->id));
        }
    }

    void truncatedWhileItIsRead() {
        QFETCH(QString, source);
        const std::string path = makeSparse(file("shrinking"), mib(kSparse));
        const RunRequest request = mustRequest(path, source.toStdString(), "scan");
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(15));
            (void)!::truncate(path.c_str(), 12345);
        });
        const RunRecord r = executeRun(request, nullptr, {});
        later.join();
        if (r.status == RunStatus::unavailable) {
            QSKIP(r.error.c_str());
        }
        if (r.status != RunStatus::ok) {
            QVERIFY2(r.errorKind == ErrorKind::changed, r.error.c_str());
            QVERIFY(!r.outcome);
        } else {
            QVERIFY(r.wall < std::chrono::milliseconds(100));  // it had been faster than the truncation
        }
        const RunRecord next = executeRun(mustRequest(path, source.toStdString(), "scan"), nullptr, {});
        QVERIFY2(next.status == RunStatus::ok, next.error.c_str());
        QCOMPARE(next.bytesIn, Bytes(12345));
        ::unlink(path.c_str());
    }

    void aFileTheWorkloadCantReadIsAnInputError() {
        RunRequest request = mustRequest(path_, kSimple, "scan");
        request.workload = "zstd";
        request.workloadParameters = *parseParameters(findWorkload("zstd")->parameters, "");
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY2(r.errorKind == ErrorKind::input, r.error.c_str());
        QVERIFY(!r.outcome);
    }

    void anInspectionSeesTheMapping() {
        RunRequest request = mustRequest(path_, "mmap", "scan", 2);
        request.phase = Phase::inspection;
        const RunRecord r = executeRun(request, nullptr, {});
        okOrFatal(r);
        QVERIFY(r.mapping && r.mapping->kernelPage && r.mapping->pageTables);
        QCOMPARE(*r.mapping->kernelPage, pageSize());
        QVERIFY(r.mapping->hugetlb == Bytes(0));
        QVERIFY2(r.peakMappedCache && *r.peakMappedCache >= mib(16),
                 "all of the file was mapped at the last look");
        checkStamps(r);

        request = mustRequest(path_, "read", "scan");
        request.phase = Phase::inspection;
        const RunRecord read = executeRun(request, nullptr, {});
        okOrFatal(read);
        QVERIFY2(!read.mapping, "read has no mapping to look at");
        QVERIFY(read.peakPrivate && *read.peakMappedCache < *r.peakMappedCache);
        QVERIFY(*read.outcome == *r.outcome);
    }

    void anInspectionSeesHugePages() {
        RunRequest request = mustRequest(path_, "hugetlb-memfd", "scan");
        request.phase = Phase::inspection;
        const RunRecord r = executeRun(request, nullptr, {});
        if (r.status == RunStatus::unavailable) {
            QSKIP(r.error.c_str());
        }
        okOrFatal(r);
        QVERIFY(r.mapping && r.mapping->hugetlb && r.peakHugetlb);
        QCOMPARE(r.mapping->hugetlb->count(), mib(16).count());
        QVERIFY(*r.peakHugetlb >= mib(16));
        QCOMPARE(*r.mapping->kernelPage, kHugePage);
    }

    void samplesEndInTheTotals() {
        RunRequest request = mustRequest(path_, kSimple, "scan", 2);
        SampleRing ring;
        RunRecord r = executeRun(request, &ring, {});
        okOrFatal(r);
        const auto& samples = r.sampling.samples;
        QVERIFY(samples.size() >= 2);
        QCOMPARE(samples.front().tNs, std::int64_t{0});
        QCOMPARE(samples.front().bytesIn, std::uint64_t{0});
        QCOMPARE(samples.back().tNs, r.wall.count());
        QCOMPARE(samples.back().bytesIn, r.bytesIn.count());
        QCOMPARE(samples.back().minorFaults, r.minorFaults);
        std::array<Sample, 1024> live;
        QVERIFY(ring.pop(live) >= 2);
        request.sampling = false;
        r = executeRun(request, &ring, {});
        okOrFatal(r);
        QVERIFY(r.sampling.samples.empty());
        QCOMPARE(ring.pop(live), std::size_t{0});
        checkStamps(r);
    }

    void requestsThatMakeNoSense_data() {
        QTest::addColumn<int>("what");
        for (int i = 0; i < 6; ++i) {
            QTest::addRow("%d", i) << i;
        }
    }

    void requestsThatMakeNoSense() {
        QFETCH(int, what);
        RunRequest request = mustRequest(path_, "read", "scan", 2);
        switch (what) {
            case 0:
                request.source = "telepathy";
                break;
            case 1:
                request.workload = "nap";
                break;
            case 2:
                request.ranges.clear();
                break;
            case 3:
                request.ranges.back().end += Bytes(1);
                break;
            case 4:
                std::swap(request.ranges.front(), request.ranges.back());
                break;
            default:
                request.ranges.assign(5000, Range{Bytes(0), Bytes(0)});
        }
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY(r.errorKind == ErrorKind::usage);
        QVERIFY(!r.error.empty());
    }

    void pointsOfSmallerFiles_data() {
        QTest::addColumn<int>("mebibytes");
        for (const int size : {1, 2, 3, 7, 16}) {
            QTest::addRow("%d MiB", size) << size;
        }
    }

    void pointsOfSmallerFiles() {
        QFETCH(int, mebibytes);
        const auto size = mib(static_cast<std::uint64_t>(mebibytes)).size();
        const std::string path = writeFile(file("points"), std::string_view(content_).substr(0, size));
        RunRequest request = mustRequest(path, kSimple, "scan");
        request.phase = Phase::inspection;
        const RunRecord r = executeRun(request, nullptr, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QVERIFY2(r.stamps.tNs.size() >= 256, std::to_string(r.stamps.tNs.size()).c_str());
    }

  private:
    std::string file(const char* name) { return dir_.filePath(name).toStdString(); }

    static void checkStamps(const RunRecord& r) {
        const auto& s = r.stamps;
        // A measured run is not cut finer than kFinestMeasuredStep: a shorter file has fewer points.
        const Bytes finest = r.phase == Phase::measured ? kFinestMeasuredStep : kFinestStep;
        const std::uint64_t least = std::min<std::uint64_t>(256, r.bytesIn / finest);
        QVERIFY2(s.tNs.size() >= least && s.tNs.size() < 2048, std::to_string(s.tNs.size()).c_str());
        QCOMPARE(s.bytes.size(), s.tNs.size());
        QCOMPARE(s.minorFaults.size(), s.tNs.size());
        QVERIFY(std::is_sorted(s.tNs.begin(), s.tNs.end()));
        QVERIFY(std::is_sorted(s.bytes.begin(), s.bytes.end()));
        QVERIFY(std::is_sorted(s.minorFaults.begin(), s.minorFaults.end()));
        QCOMPARE(s.tNs.front(), std::int64_t{0});
        QCOMPARE(s.tNs.back(), r.wall.count());
        QCOMPARE(s.bytes.back(), r.bytesIn.count());
        QCOMPARE(s.minorFaults.back(), r.minorFaults);
    }
};

QTEST_GUILESS_MAIN(TestExecute)
#include "tst_execute.moc"
