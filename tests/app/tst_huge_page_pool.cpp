// The pool of huge pages is as it was found after whatever becomes of a run, and a pool that has too little
// for it is told as what it is: too small, reserved by others, or capped by a control group.
#include <linux/mman.h>
#include <signal.h>
#include <sys/mman.h>

#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "engine/run/differential.h"
#include "engine/source/cgroup_guard.h"
#include "run/worker_client.h"
#include "support/pool_guard.h"
#include "support/worker_lookup.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::uint64_t kFileBytes = (40U << 20U) + 77;
constexpr std::uint64_t kPages = 24;

std::string poolNow() {
    const auto pool = poolOf(kHugePage);
    return pool ? fmt::format("{} total, {} free, {} reserved, {} surplus", pool->total, pool->free,
                              pool->reserved, pool->surplus)
                : pool.error().message;
}

std::uint64_t unusedPages() {
    const auto pool = poolOf(kHugePage);
    return pool ? pool->available() : 0;
}

/// Mapped but not touched: the kernel keeps them back for this mapping.
class Reservation {
  public:
    explicit Reservation(std::uint64_t pages)
        : bytes_(pages * kHugePage.size()),
          memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0)) {}
    ~Reservation() {
        if (ready()) {
            ::munmap(memory_, bytes_);
        }
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    void use() {
        for (std::size_t at = 0; at < bytes_; at += kHugePage.size()) {
            static_cast<volatile char*>(memory_)[at] = 1;
        }
    }
    [[nodiscard]] bool ready() const { return memory_ != MAP_FAILED; }

  private:
    std::size_t bytes_;
    void* memory_;
};

}  // namespace

class TestHugePagePool : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path_, cut_, endless_;
    std::optional<PoolGuard> pool_;
    std::string found_;

    void eachSource() {
        QTest::addColumn<QString>("source");
        for (const SourceType* source : allSources()) {
            if (source->traits.usesHugePages) {
                QTest::newRow(source->id.data()) << QString::fromUtf8(source->id.data());
            }
        }
    }

    std::string file(const char* name) { return dir_.filePath(name).toStdString(); }

    /// A run that goes on for a while: what holds the whole file has one that fits the pool, others one that
    /// hardly ends.
    RunRequest slowRequest(const std::string& source) {
        const bool whole = findSource(source)->traits.holdsWhole;
        auto request = requestFor(whole ? path_ : endless_, source, "pieces", 1, {}, "engine=evp");
        if (!request) {
            qFatal("%s", request.error().message.c_str());
        }
        request->samplePeriod = std::chrono::milliseconds(1);
        return *request;
    }

    /// Runs `strike` as soon as the run has taken huge pages, until it hit `wanted`; what the last run was.
    template <class Run, class Strike>
    RunRecord struck(RunStatus wanted, const Run& run, const Strike& strike) {
        RunRecord record;
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t before = unusedPages();
            std::atomic<bool> ended{false};
            std::jthread striker([&] {
                while (!ended && unusedPages() == before) {
                }
                if (!ended) {
                    strike();
                }
            });
            record = run();
            ended = true;
            striker.join();
            if (record.status == wanted) {
                break;
            }
        }
        return record;
    }

    /// Before a run and by it, with the figures and the command that helps.
    void tellsWhatIsMissing(const std::string& source, std::uint64_t free, std::uint64_t reserved) {
        const SourceType& type = *findSource(source);
        const auto facts = inspectFile(path_);
        QVERIFY(facts);
        const Availability told =
            type.availability(*facts, *parseParameters(type.parameters, ""), {Bytes(0), facts->bytes}, 1);
        QVERIFY(!told.available);
        const std::string figures =
            fmt::format("needed, 0 available ({} free, {} of them reserved)", free, reserved);
        QVERIFY2(told.reason.find(figures) != std::string::npos, told.reason.c_str());
        QVERIFY2(told.unlock.starts_with("sudo sysctl vm.nr_hugepages="), told.unlock.c_str());
        const RunRecord r = executeRun(mustRequest(path_, source, "scan"), nullptr, {});
        QCOMPARE(r.status, RunStatus::unavailable);
        QCOMPARE(r.error, told.reason + "; " + told.unlock);
    }

    void isAsItWas() {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (poolNow() != found_ && std::chrono::steady_clock::now() < patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        QCOMPARE(poolNow(), found_);
    }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        pool_.emplace(kPages);
        if (!pool_->ready()) {
            QSKIP(pool_->why().c_str());
        }
        found_ = poolNow();
        path_ = writeFile(file("bytes"), makeBytes(kFileBytes));
        const std::string whole = makeZstd(randomBytes(20U << 20U));
        cut_ = writeFile(file("cut.zst"), std::string_view(whole).substr(0, whole.size() - 100001));
        endless_ = writeFile(file("endless"), "");
        QVERIFY(::truncate(endless_.c_str(), off_t{8} << 30U) == 0);
    }
    void cleanupTestCase() { pool_.reset(); }

    void afterSuccess_data() { eachSource(); }
    void afterSuccess() {
        QFETCH(QString, source);
        const RunRecord here = executeRun(mustRequest(path_, source.toStdString(), "scan", 2), nullptr, {});
        QVERIFY2(here.status == RunStatus::ok, here.error.c_str());
        isAsItWas();
        const RunRecord there =
            runInWorker(MMAPSCOPE_WORKER, mustRequest(path_, source.toStdString(), "scan", 2), {}, {});
        QVERIFY2(there.status == RunStatus::ok, there.error.c_str());
        isAsItWas();
    }

    void afterFailure_data() { eachSource(); }
    void afterFailure() {
        QFETCH(QString, source);
        const RunRecord r = executeRun(mustRequest(cut_, source.toStdString(), "zstd"), nullptr, {});
        QVERIFY2(r.status == RunStatus::failed && r.errorKind == ErrorKind::input, r.error.c_str());
        isAsItWas();
    }

    void afterCancel_data() { eachSource(); }
    void afterCancel() {
        QFETCH(QString, source);
        const RunRequest request = slowRequest(source.toStdString());
        std::stop_source stop;
        const RunRecord r = struck(
            RunStatus::cancelled,
            [&] {
                stop = std::stop_source();
                return executeRun(request, nullptr, stop.get_token());
            },
            [&] { stop.request_stop(); });
        QVERIFY2(r.status == RunStatus::cancelled, r.error.c_str());
        isAsItWas();
    }

    void afterKill_data() { eachSource(); }
    void afterKill() {
        QFETCH(QString, source);
        const RunRequest request = slowRequest(source.toStdString());
        const RunRecord r = struck(
            RunStatus::failed, [&] { return runInWorker(MMAPSCOPE_WORKER, request, {}, {}); },
            [] {
                for (const pid_t worker : workersOf(::getpid())) {
                    ::kill(worker, SIGKILL);
                }
            });
        QVERIFY2(r.error.find("killed by signal 9") != std::string::npos, r.error.c_str());
        isAsItWas();
    }

    void tooSmallIsToldAsSuch_data() { eachSource(); }
    void tooSmallIsToldAsSuch() {
        QFETCH(QString, source);
        Reservation others(kPages);
        QVERIFY(others.ready());
        others.use();  // touched pages are neither free nor reserved
        tellsWhatIsMissing(source.toStdString(), 0, 0);
    }

    void reservedByOthersIsToldAsSuch_data() { eachSource(); }
    void reservedByOthersIsToldAsSuch() {
        QFETCH(QString, source);
        {
            const Reservation others(kPages);
            QVERIFY(others.ready());
            tellsWhatIsMissing(source.toStdString(), kPages, kPages);
        }
        const RunRecord r = executeRun(mustRequest(path_, source.toStdString(), "scan"), nullptr, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
    }

    void aCgroupsCapIsToldAsSuch_data() { eachSource(); }
    void aCgroupsCapIsToldAsSuch() {
        QFETCH(QString, source);
        const CgroupGuard group("hugetlb", "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max", Bytes(0));
        if (!group.ready()) {
            QSKIP("no cgroup with a limit on huge pages can be made here");
        }
        const RunRequest request = mustRequest(path_, source.toStdString(), "scan");
        const std::string said = group.inside([&] {
            const RunRecord r = executeRun(request, nullptr, {});
            return fmt::format("{}: {}", name(r.status), r.error);
        });
        QVERIFY2(said.starts_with("unavailable: ") &&
                     said.find(group.limitFile() + " allows 0 B") != std::string::npos,
                 said.c_str());
        isAsItWas();
    }
};

QTEST_GUILESS_MAIN(TestHugePagePool)
#include "tst_huge_page_pool.moc"
