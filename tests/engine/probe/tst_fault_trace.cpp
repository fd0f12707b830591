// Real traces of real mappings.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <functional>
#include <latch>
#include <thread>

#include "core/unique_fd.h"
#include "probe/fault_trace.h"
#include "support/child.h"
#include "support/forbid.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

std::uint64_t touch(const std::byte* at, std::size_t length) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < length; i += pageSize().size()) {
        sum += static_cast<std::uint64_t>(static_cast<const volatile std::byte*>(at)[i]);
    }
    return sum;
}

/// `work` on a thread of its own, traced; `faults` are getrusage's of that thread.
struct Traced {
    TracedFaults trace;
    std::uint64_t faults = 0;
    std::string error;
};
Traced trace(const FileFacts& file, const std::function<void()>& work) {
    Traced result;
    FaultTracer tracer;
    std::latch attached(1);
    std::latch begin(1);
    std::thread thread([&] {
        if (const auto status = tracer.attach(); !status) {
            result.error = status.error().message;
        }
        attached.count_down();
        begin.wait();
        rusage before{};
        rusage after{};
        getrusage(RUSAGE_THREAD, &before);
        work();
        getrusage(RUSAGE_THREAD, &after);
        result.faults = static_cast<std::uint64_t>(after.ru_minflt - before.ru_minflt + after.ru_majflt -
                                                   before.ru_majflt);
    });
    attached.wait();
    if (result.error.empty()) {
        tracer.start();
    }
    begin.count_down();
    thread.join();
    if (result.error.empty()) {
        result.trace = tracer.stop(tracedFiles(file.path, file.stamp, file.members));
    }
    return result;
}

}  // namespace

class TestFaultTrace : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;

    FileFacts makeFile(const char* name, std::size_t bytes, std::size_t piece) {
        const std::string path = dir_.filePath(QLatin1String(name)).toStdString();
        const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        const std::vector<char> content(piece, 'x');
        for (std::size_t at = 0; at < bytes; at += piece) {
            if (::write(fd.get(), content.data(), piece) != static_cast<ssize_t>(piece)) {
                qFatal("can't write the test's file");
            }
        }
        ::fsync(fd.get());
        return *inspectFile(path);
    }

    /// Touches every page of a mapping of the file, in order.
    static void scan(const FileFacts& file, int flags) {
        const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
        void* const at = ::mmap(nullptr, file.bytes.size(), PROT_READ, MAP_PRIVATE | flags, fd.get(), 0);
        touch(static_cast<const std::byte*>(at), file.bytes.size());
        ::munmap(at, file.bytes.size());
    }

    void skipWithout(const Traced& traced) {
        if (!traced.error.empty()) {
            QSKIP(traced.error.c_str());
        }
    }

    /// Offsets of the faults in the file, ascending.
    static std::vector<std::uint64_t> inFile(const TracedFaults& trace) {
        std::vector<std::uint64_t> offsets;
        std::copy_if(trace.offsets.begin(), trace.offsets.end(), std::back_inserter(offsets),
                     [](std::uint64_t offset) { return offset != TracedFaults::kElsewhere; });
        std::sort(offsets.begin(), offsets.end());
        return offsets;
    }

    static std::vector<std::uint64_t> strides(const std::vector<std::uint64_t>& offsets) {
        std::vector<std::uint64_t> all;
        for (std::size_t i = 1; i < offsets.size(); ++i) {
            all.push_back(offsets[i] - offsets[i - 1]);
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    static std::uint64_t medianStride(const std::vector<std::uint64_t>& offsets) {
        const auto all = strides(offsets);
        return all.empty() ? 0 : all[all.size() / 2];
    }
    static std::uint64_t longestStride(const std::vector<std::uint64_t>& offsets) {
        const auto all = strides(offsets);
        return all.empty() ? 0 : all.back();
    }

  private slots:
    void smallFoliosFaultInRungsAndLargeOnesInFewer() {
        constexpr std::size_t kBytes = 32U << 20U;
        const FileFacts file = makeFile("written", kBytes, 4096);
        const Traced small = trace(file, [&] { scan(file, 0); });
        skipWithout(small);
        const auto rungs = inFile(small.trace);
        QCOMPARE(small.trace.lost, std::uint64_t{0});
        QVERIFY(!rungs.empty() && rungs.front() == 0 && rungs.back() < kBytes);
        // 16 pages around each fault: Documentation/admin-guide, fault_around_bytes, 64 KiB by default.
        QCOMPARE(medianStride(rungs), std::uint64_t{16} * pageSize().count());
        QVERIFY2(
            small.trace.faults.size() + 8 >= small.faults && small.faults + 8 >= small.trace.faults.size(),
            qPrintable(
                QString("%1 traced, %2 by getrusage").arg(small.trace.faults.size()).arg(small.faults)));
        for (std::size_t i = 1; i < small.trace.faults.size(); ++i) {
            QVERIFY(small.trace.faults[i - 1].tNs <= small.trace.faults[i].tNs);
        }

        // Read again by readahead: larger folios, mapped whole.
        const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
        ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
        std::vector<char> buffer(1U << 20U);
        while (::read(fd.get(), buffer.data(), buffer.size()) > 0) {
        }
        const auto large = inFile(trace(file, [&] { scan(file, 0); }).trace);
        if (large.size() >= rungs.size()) {
            QSKIP("this filesystem has no large folios");
        }
        // Where a large folio fills a whole page table it is mapped at once; elsewhere it still goes in
        // rungs.
        QVERIFY2(4 * large.size() < 3 * rungs.size() && longestStride(large) > longestStride(rungs),
                 qPrintable(QString("%1 faults, steps up to %2; %3 faults, steps up to %4")
                                .arg(rungs.size())
                                .arg(longestStride(rungs))
                                .arg(large.size())
                                .arg(longestStride(large))));

        // MAP_POPULATE maps them all before anything is touched, and its own are no events.
        QCOMPARE(inFile(trace(file, [&] { scan(file, MAP_POPULATE); }).trace).size(), std::size_t{0});
    }

    void whatComesFromStorageIsMajor() {
        const FileFacts file = makeFile("cold", 8U << 20U, 1U << 20U);
        const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
        ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
        const Traced cold = trace(file, [&] { scan(file, 0); });
        skipWithout(cold);
        const auto isMajor = [](const TracedFault& fault) { return fault.major; };
        QVERIFY(std::any_of(cold.trace.faults.begin(), cold.trace.faults.end(), isMajor));
        const Traced warm = trace(file, [&] { scan(file, 0); });
        QVERIFY(std::none_of(warm.trace.faults.begin(), warm.trace.faults.end(), isMajor));
    }

    void threadsItStartsAreTracedAndOtherMemoryIsElsewhere() {
        const FileFacts file = makeFile("file", 1U << 20U, 4096);
        constexpr std::size_t kPages = 100;
        std::uint32_t helper = 0;
        const Traced traced = trace(file, [&] {
            std::thread([&] {
                helper = static_cast<std::uint32_t>(::syscall(SYS_gettid));
                const std::size_t length = kPages * pageSize().size();
                void* memory =
                    ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                ::madvise(memory, length, MADV_NOHUGEPAGE);
                touch(static_cast<const std::byte*>(memory), length);
                ::munmap(memory, length);
                scan(file, 0);
            }).join();
        });
        skipWithout(traced);
        std::size_t elsewhere = 0;
        std::size_t inTheFile = 0;
        for (std::size_t i = 0; i < traced.trace.faults.size(); ++i) {
            if (traced.trace.faults[i].thread == helper) {
                ++(traced.trace.offsets[i] == TracedFaults::kElsewhere ? elsewhere : inTheFile);
            }
        }
        QVERIFY(elsewhere >= kPages);
        QVERIFY(inTheFile >= 16);
    }

    /// The same addresses, one mapping after the other: only the file's count as the file's.
    void anAddressMappedAgainIsTheLaterMappings() {
        const FileFacts file = makeFile("a", 1U << 20U, 4096);
        const FileFacts other = makeFile("b", 1U << 20U, 4096);
        const Traced traced = trace(file, [&] {
            void* const place = ::mmap(nullptr, file.bytes.size(), PROT_NONE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            for (const FileFacts* one : {&file, &other, &file}) {
                const UniqueFd fd(::open(one->path.c_str(), O_RDONLY | O_CLOEXEC));
                ::mmap(place, one->bytes.size(), PROT_READ, MAP_PRIVATE | MAP_FIXED, fd.get(), 0);
                ::madvise(place, one->bytes.size(), MADV_RANDOM);
                touch(static_cast<const std::byte*>(place), one->bytes.size());
            }
            ::munmap(place, file.bytes.size());
        });
        skipWithout(traced);
        const auto offsets = inFile(traced.trace);
        // Each offset of the file twice, and nothing of the other one.
        QCOMPARE(std::count(offsets.begin(), offsets.end(), 0U), std::ptrdiff_t{2});
        QCOMPARE(offsets.size() % 2, std::size_t{0});
        QVERIFY(traced.trace.faults.size() >= offsets.size() + offsets.size() / 2);
    }

    void whereItIsForbiddenItSaysSo() {
        const Child child = inChild([](const auto& say) {
            if (!forbid(SYS_perf_event_open)) {
                say("no seccomp filters here");
                return;
            }
            FaultTracer tracer;
            const auto attached = tracer.attach();
            say(attached ? "attached" : attached.error().message);
        });
        QCOMPARE(child.trouble, std::string());
        QVERIFY2(QString::fromStdString(child.said).contains("forbidden"), child.said.c_str());
    }
};

QTEST_GUILESS_MAIN(TestFaultTrace)
#include "tst_fault_trace.moc"
