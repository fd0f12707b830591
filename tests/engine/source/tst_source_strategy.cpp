// Each source does what it says: memory held, advice given, fall-backs counted, refusals with their figures.
#include <fcntl.h>
#include <sys/resource.h>

#include <QtTest>

#include <algorithm>
#include <fstream>

#include "engine/source/cgroup_guard.h"
#include "engine/source/source_run.h"
#include "probe/residency.h"
#include "source/availability.h"
#include "source/memory_limits.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr Bytes kWhole = mib(48);

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The first three numbers of /proc/self/statm (proc_pid_statm(5)): all, resident, and of that file pages.
struct ProcessSizes {
    Bytes all, resident, file;
};
ProcessSizes processSizes() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    std::uint64_t file = 0;
    in >> all >> resident >> file;
    return {pageSize() * all, pageSize() * resident, pageSize() * file};
}

class AddressSpaceLimit {
  public:
    explicit AddressSpaceLimit(Bytes more) {
        getrlimit(RLIMIT_AS, &before_);
        rlimit now = before_;
        now.rlim_cur = (processSizes().all + more).count();
        setrlimit(RLIMIT_AS, &now);
    }
    ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
    AddressSpaceLimit(const AddressSpaceLimit&) = delete;
    AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

  private:
    rlimit before_{};
};

// One thread, no allocation after the start: what a limited address space leaves room for.
std::string deliverHere(const SourceRun& run) {
    const auto parameters = parseParameters(run.type->parameters, run.parameters);
    const std::stop_source stop;
    Accounts accounts(stop.get_token());
    const SourceInput input{run.path, run.fileBytes, run.ranges, &accounts};
    const auto source = run.type->create(*parameters);
    auto status = source->prepare(input);
    if (status) {
        status = source->open(input);
    }
    std::uint64_t bytes = 0;
    bool equal = true;
    if (status) {
        status = consumeRange(run, *source, input, 0, bytes, equal);
    }
    source->close();
    if (!status) {
        return status.error().message;
    }
    std::string said = equal ? "equal" : "different";
    for (const auto& note : source->notes()) {
        said += "; " + note;
    }
    return said;
}

}  // namespace

class TestSourceStrategy : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path_;
    std::vector<std::byte> bytes_;

    [[nodiscard]] SourceRun runOf(const char* id, std::string parameters = {}) const {
        return {findSource(id), std::move(parameters), path_, kWhole, {{Bytes(0), kWhole}}, bytes_};
    }

    // The most this process grew while the source delivered, touching every page.
    [[nodiscard]] Bytes growthOf(const char* id, const std::string& parameters,
                                 Bytes ProcessSizes::*what) const {
        SourceRun run = runOf(id, parameters);
        run.expected = {};
        const Bytes before = processSizes().*what;
        Bytes most = before;
        run.onSpan = [&](std::size_t, std::span<const std::byte> span) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < span.size(); i += 1024) {
                sum += static_cast<std::uint64_t>(static_cast<const volatile std::byte&>(span[i]));
            }
            most = std::max(most, processSizes().*what);
        };
        const Delivered result = deliver(run);
        return result.status ? most - before : Bytes(0);
    }

    [[nodiscard]] Bytes resident() const {
        const auto residency = residencyOf(*inspectFile(path_), {Bytes(0), kWhole});
        return residency ? residency->resident : Bytes(0);
    }
    /// Returns what stayed.
    Bytes evict() const {
        const UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
        (void)::fdatasync(fd.get());
        (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
        return resident();
    }

  private slots:
    void initTestCase() {
        path_ = dir_.filePath("strategy.bin").toStdString();
        bytes_ = patternBytes(kWhole.size());
        writeFile(path_, bytes_);
    }

    void retireHoldsItsTrail() {
        // Beside the trail: one step, and what one fault maps ahead, at most a huge page.
        const Bytes slack = mib(4);
        QVERIFY(growthOf("mmap", "", &ProcessSizes::file) > mib(40));
        const Bytes four = growthOf("mmap-retire", "", &ProcessSizes::file);
        QVERIFY2(four > mib(2) && four < mib(4) + slack, std::to_string(four.count()).c_str());
        const Bytes sixteen = growthOf("mmap-retire", "16MiB", &ProcessSizes::file);
        QVERIFY2(sixteen > mib(12) && sixteen < mib(16) + slack, std::to_string(sixteen.count()).c_str());
        const auto notes = deliver(runOf("mmap-retire")).notes;
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(
            has(notes[0], "MADV_DONTNEED gave back 43.9 MiB behind the cursor in 703 calls, keeping 4 MiB"),
            notes[0].c_str());
    }

    void windowHoldsOneWindow() {
        const Bytes one = growthOf("mmap-window", "window=4MiB", &ProcessSizes::file);
        QVERIFY2(one > mib(2) && one < mib(8), std::to_string(one.count()).c_str());
    }

    void readHoldsItsBuffer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory is counted too");
#endif
        QVERIFY(growthOf("read", "", &ProcessSizes::resident) < mib(2));
        const Bytes four = growthOf("pread", "", &ProcessSizes::resident);
        QVERIFY2(four > mib(3) && four < mib(6), std::to_string(four.count()).c_str());
    }

    void onlyReadingSourcesAskTheHeap() {
        for (const auto& [id, least, most] : {std::tuple{"read", kib(64), kib(64)},
                                              {"pread", mib(4), mib(4)},
                                              {"mmap", Bytes(0), Bytes(0)},
                                              {"mmap-window", Bytes(0), Bytes(0)},
                                              {"mmap-retire", Bytes(0), Bytes(0)}}) {
            const std::stop_source stop;
            Accounts accounts(stop.get_token());
            const ThreadAccount account(accounts);
            const SourceInput input{path_, kWhole, {{Bytes(0), kWhole}}, &accounts};
            const auto* type = findSource(id);
            const auto source = type->create(*parseParameters(type->parameters, ""));
            QVERIFY(source->open(input).has_value());
            std::uint64_t bytes = 0;
            bool equal = true;
            QVERIFY(consumeRange(runOf(id), *source, input, 0, bytes, equal).has_value());
            source->close();
            QVERIFY2(accounts.totals().heapAllocated >= least.count() &&
                         accounts.totals().heapAllocated <= most.count(),
                     id);
        }
    }

    void windowsThatCannotBeMappedAreRead() {
        SourceRun run = runOf("mmap-window");
        std::string said;
        {
            const AddressSpaceLimit limit(mib(9));  // a window of 16 MiB doesn't fit, a buffer of 1 MiB does
            said = deliverHere(run);
        }
        QVERIFY2(has(said, "equal; 3 of 3 windows could not be mapped and were read with pread instead"),
                 said.c_str());
        QVERIFY2(has(said, "ulimit -v"), said.c_str());
        QCOMPARE(deliverHere(run), std::string("equal"));
    }

    void aMappingThatCannotBeMadeIsRefused() {
        const AddressSpaceLimit limit(mib(9));
        const std::string said = deliverHere(runOf("mmap"));
        QVERIFY2(has(said, "strategy.bin (on ") && has(said, "mapping 48 MiB: Cannot allocate memory") &&
                     has(said, "ulimit -v"),
                 said.c_str());
    }

    void smallFilesAreNotWindowed() {
        FileFacts facts;
        facts.bytes = kib(512);
        const auto* type = findSource("mmap-window");
        const auto plain = *parseParameters(type->parameters, "");
        const auto no = type->availability(facts, plain, {Bytes(0), kib(512)}, 1);
        QVERIFY(!no.available);
        QVERIFY2(has(no.reason, "512 KiB is less than 1 MiB"), no.reason.c_str());
        QCOMPARE(no.unlock, std::string("mmap-window:small=yes"));
        QVERIFY(type->availability(facts, *parseParameters(type->parameters, "small=yes"),
                                   {Bytes(0), kib(512)}, 1)
                    .available);
        QVERIFY(type->availability(facts, plain, {Bytes(0), mib(1)}, 1).available);
    }

    void whatDoesNotFitInMemoryIsRefused() {
        FileFacts facts;
        facts.bytes = gib(1U << 20U);
        for (const char* id : {"memory", "mmap-populate"}) {
            const auto* type = findSource(id);
            const auto no =
                type->availability(facts, *parseParameters(type->parameters, ""), {Bytes(0), facts.bytes}, 1);
            QVERIFY2(!no.available, id);
            QVERIFY2(has(no.reason,
                         "would have to be in memory at once, and MemAvailable of /proc/meminfo allows"),
                     no.reason.c_str());
        }
    }

    void aCgroupLimitIsRefusedByName() {
        const CgroupGuard group("memory", "memory.limit_in_bytes", "memory.max", mib(64));
        if (!group.ready()) {
            QSKIP("no cgroup with a memory limit can be made here");
        }
        const std::string said = group.inside([] {
            const auto no = fitsInMemory({Bytes(0), mib(65)});
            return no.available ? std::string("available") : no.reason;
        });
        QCOMPARE(said,
                 "65 MiB would have to be in memory at once, and " + group.limitFile() + " allows 64 MiB");
        QCOMPARE(group.inside([] {
            return std::string(fitsInMemory({Bytes(0), mib(64)}).available ? "fits" : "no");
        }),
                 std::string("fits"));
    }

    void willneedSaysWhatItAskedFor() {
        const auto whole = deliver(runOf("mmap-willneed")).notes;
        QCOMPARE(whole.size(), std::size_t{1});
        QVERIFY2(has(whole[0], "MADV_WILLNEED asked for 48 MiB in 1 call (readahead "), whole[0].c_str());
        const auto steps = deliver(runOf("mmap-willneed", "step=readahead")).notes;
        QVERIFY2(has(steps[0], "MADV_WILLNEED asked for 48 MiB in ") && !has(steps[0], "in 1 call"),
                 steps[0].c_str());
    }

    void collapseSaysWhatCameOfIt() {
        const QTemporaryDir memory("/dev/shm/mmapscope-XXXXXX");
        SourceRun run = runOf("mmap-collapse");
        run.path = memory.filePath("collapse.bin").toStdString();
        writeFile(run.path, bytes_);
        const Delivered result = deliver(run);
        if (!result.status && result.status.error().kind == ErrorKind::unavailable) {
            QSKIP(result.status.error().message.c_str());
        }
        QVERIFY(result.status.has_value());
        QVERIFY(result.equal);
        const auto& note = result.notes.at(0);
        QVERIFY2(
            has(note, "MADV_COLLAPSE: ") && has(note, " of 24 regions of 2 MiB collapsed, 0 not resident"),
            note.c_str());
        QVERIFY2(!has(note, ": 0 of 24"), note.c_str());
    }

    void prefetchKeepsItsDistance_data() {
        QTest::addColumn<QString>("source");
        QTest::newRow("mmap, readahead") << "mmap-prefetch:ahead=4MiB";
        QTest::newRow("mmap, fadvise") << "mmap-prefetch:ahead=4MiB,how=fadvise";
        QTest::newRow("mmap, willneed") << "mmap-prefetch:ahead=4MiB,how=willneed";
        QTest::newRow("pread") << "pread-prefetch:buffer=64KiB,ahead=4MiB";
    }
    void prefetchKeepsItsDistance() {
        QFETCH(const QString, source);
        const auto parts = source.split(':');
        if (evict() > Bytes(0)) {
            QSKIP("the file can't be evicted from the page cache here");
        }
        SourceRun run = runOf(parts[0].toLatin1().constData(), parts[1].toStdString());
        Bytes most;
        Bytes last;
        bool first = true;
        run.onSpan = [&](std::size_t, std::span<const std::byte>) {
            if (!std::exchange(first, false)) {
                return;
            }
            // Nothing has been used yet, so that what is cached is what the coordinator asked for.
            for (int i = 0; i < 200 && most < mib(4); ++i) {
                QTest::qSleep(5);
                most = std::max(most, resident());
            }
            QTest::qSleep(30);
            last = resident();
        };
        const Delivered result = deliver(run);
        QVERIFY(result.status.has_value());
        QVERIFY(result.equal);
        QCOMPARE(last, mib(4));
        QVERIFY2(has(result.notes.at(0), "at most 4 MiB ahead"), result.notes.at(0).c_str());
    }

    void directReadsStayOutOfTheCache() {
        for (const char* id : {"direct", "io-uring"}) {
            if (evict() > Bytes(0)) {
                QSKIP("the file can't be evicted from the page cache here");
            }
            SourceRun run = runOf(id, std::string(id) == "io-uring" ? "direct=yes" : "");
            if (!availabilityOf(run).available) {
                QSKIP(availabilityOf(run).reason.c_str());
            }
            run.ranges = {{Bytes(5000), kWhole - Bytes(77)}};
            const Delivered result = deliver(run);
            QVERIFY(result.status.has_value());
            QVERIFY(result.equal);
            QCOMPARE(resident(), Bytes(0));
        }
    }

    void helperThreadsAreTheArms() {
        for (const char* id : {"read-thread", "direct", "mmap-prefetch", "pread-prefetch"}) {
            const std::stop_source stop;
            Accounts accounts(stop.get_token());
            const SourceInput input{path_, kWhole, {{Bytes(0), kWhole}}, &accounts};
            const auto* type = findSource(id);
            const auto source = type->create(*parseParameters(type->parameters, ""));
            QVERIFY2(source->prepare(input).has_value() && source->open(input).has_value(), id);
            std::uint64_t bytes = 0;
            bool equal = true;
            QVERIFY2(consumeRange(runOf(id), *source, input, 0, bytes, equal).has_value(), id);
            source->close();
            // This thread has no account: what is there is the helper's.
            QVERIFY2(accounts.totals().cpu.count() > 0, id);
        }
    }

    void aWindowThatHoldsAllBecomesAMemfd() {
        const PoolGuard pool(24);
        if (!pool.ready()) {
            QSKIP(pool.why().c_str());
        }
        const Delivered result = deliver(runOf("hugetlb-stream", "window=48MiB"));
        QVERIFY(result.status.has_value());
        QVERIFY(result.equal);
        QCOMPARE(result.notes.at(0),
                 std::string("a window of 48 MiB holds all 48 MiB: done as hugetlb-memfd"));
        QVERIFY(deliver(runOf("hugetlb-stream")).notes.empty());
        const auto* type = findSource("hugetlb-stream");
        const auto tooSmall = parseParameters(type->parameters, "window=1MiB");
        QVERIFY(!tooSmall.has_value());
        QVERIFY2(has(tooSmall.error().message, "at least 2 MiB"), tooSmall.error().message.c_str());
    }

    void poolTooSmall() {
        const PoolGuard pool(2);
        if (!pool.ready()) {
            QSKIP(pool.why().c_str());
        }
        const auto available = poolOf(kHugePage)->available();
        if (available >= 24) {
            QSKIP("overcommit provides huge pages here, so the pool is never too small");
        }
        const auto no = availabilityOf(runOf("hugetlb-memfd"));
        QVERIFY(!no.available);
        QVERIFY2(
            has(no.reason, "24 huge pages of 2 MiB are needed, " + std::to_string(available) + " available"),
            no.reason.c_str());
        QVERIFY2(has(no.unlock, "sudo sysctl vm.nr_hugepages="), no.unlock.c_str());
        const Delivered result = deliver(runOf("hugetlb-memfd"));
        QCOMPARE(result.status.error().kind, ErrorKind::unavailable);
        QCOMPARE(result.status.error().message, no.reason + "; " + no.unlock);
        QCOMPARE(result.liveMappings, std::size_t{0});
    }

    void poolIsAsItWas() {
        const PoolGuard pool(24);
        if (!pool.ready()) {
            QSKIP(pool.why().c_str());
        }
        const auto before = *poolOf(kHugePage);
        QVERIFY(deliver(runOf("hugetlb-memfd")).status.has_value());
        QCOMPARE(poolOf(kHugePage)->free, before.free);
        QCOMPARE(poolOf(kHugePage)->reserved, before.reserved);
        SourceRun shorter = runOf("hugetlb-memfd");
        shorter.ranges = {{Bytes(0), mib(10)}};
        QVERIFY(deliver(shorter).status.has_value());
        QCOMPARE(poolOf(kHugePage)->free, before.free);
    }

    void hugePagesUnderACgroupLimit() {
        const PoolGuard pool(24);
        if (!pool.ready()) {
            QSKIP(pool.why().c_str());
        }
        const CgroupGuard group("hugetlb", "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max", mib(4));
        if (!group.ready()) {
            QSKIP("no cgroup with a limit on huge pages can be made here");
        }
        const std::string said = group.inside([&] { return deliverHere(runOf("hugetlb-memfd")); });
        QCOMPARE(said, "a huge page that was reserved could not be had when it was touched: " +
                           group.limitFile() + " allows 4 MiB");
    }
};

QTEST_GUILESS_MAIN(TestSourceStrategy)
#include "tst_source_strategy.moc"
