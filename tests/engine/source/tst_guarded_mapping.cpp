// The table behind the guard: many mappings, many threads, and repairs that stay within one mapping.
#include <fcntl.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <unistd.h>

#include <QtTest>

#include <atomic>
#include <numeric>
#include <thread>

#include "core/unique_fd.h"
#include "source/guarded_mapping.h"
#include "source/sigbus_guard.h"

using namespace mmapscope;

namespace {

UniqueFd fileOfPages(std::uint64_t pages) {
    UniqueFd fd(memfd_create("pages", MFD_CLOEXEC));
    return ftruncate(fd.get(), static_cast<off_t>((pageSize() * pages).count())) == 0 ? std::move(fd)
                                                                                      : UniqueFd();
}

Result<GuardedMapping> mapPages(const UniqueFd& fd, std::uint64_t pages) {
    return GuardedMapping::map(MappingKind::file, pageSize() * pages, PROT_READ, MAP_SHARED, fd.get());
}

std::byte touch(const GuardedMapping& mapping, std::uint64_t page) {
    return static_cast<const volatile std::byte*>(mapping.data())[(pageSize() * page).size()];
}

std::size_t liveCount() {
    static std::array<MappedRange, guard::kSlots> live;
    return liveMappings(live);
}

}  // namespace

class TestGuardedMapping : public QObject {
    Q_OBJECT
  private slots:
    void repairsFromTheFaultToTheEnd() {
        const UniqueFd fd = fileOfPages(8);
        const auto damaged = mapPages(fd, 8);
        const auto other = mapPages(fd, 8);
        QVERIFY(damaged.has_value() && other.has_value());
        QCOMPARE(pwrite(fd.get(), "x", 1, 0), ssize_t{1});
        QCOMPARE(ftruncate(fd.get(), static_cast<off_t>((pageSize() * 3).count())), 0);
        QCOMPARE(touch(*damaged, 5), std::byte{0});
        QCOMPARE(touch(*damaged, 7), std::byte{0});
        QCOMPARE(touch(*damaged, 0), std::byte{'x'});  // still the file's
        QVERIFY(!damaged->intact().has_value());
        QCOMPARE(damaged->intact().error().kind, ErrorKind::changed);
        QVERIFY(other->intact().has_value());
        // What was repaired stays zero although the file is long enough again; the rest is still the file.
        QCOMPARE(ftruncate(fd.get(), static_cast<off_t>((pageSize() * 8).count())), 0);
        QCOMPARE(pwrite(fd.get(), "y", 1, static_cast<off_t>((pageSize() * 5).count())), ssize_t{1});
        QCOMPARE(touch(*damaged, 5), std::byte{0});
        QCOMPARE(touch(*other, 5), std::byte{'y'});
    }

    void manyThreadsFaultAtOnce() {
        constexpr int kThreads = 8;
        for (int round = 0; round < 50; ++round) {
            const UniqueFd fd = fileOfPages(kThreads);
            const auto mapping = mapPages(fd, kThreads);
            QVERIFY(mapping.has_value());
            QCOMPARE(ftruncate(fd.get(), 0), 0);
            std::vector<std::jthread> threads;
            std::atomic<int> zeros{0};
            for (int i = 0; i < kThreads; ++i) {
                threads.emplace_back([&, i] {
                    zeros += touch(*mapping, static_cast<std::uint64_t>(i)) == std::byte{0} ? 1 : 0;
                });
            }
            threads.clear();
            QCOMPARE(zeros.load(), kThreads);
            QVERIFY(!mapping->intact().has_value());
        }
    }

    void threadsMapAndUnmapWhileOthersFault() {
        const UniqueFd whole = fileOfPages(4);
        std::atomic<bool> wrong{false};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                const UniqueFd cut = fileOfPages(1);
                for (int i = 0; i < 500; ++i) {
                    const auto mapping = mapPages(t % 2 == 0 ? whole : cut, 4);
                    if (!mapping) {
                        wrong = true;
                        return;
                    }
                    (void)touch(*mapping, 3);
                    if (mapping->intact().has_value() != (t % 2 == 0)) {
                        wrong = true;
                    }
                }
            });
        }
        threads.clear();
        QVERIFY(!wrong.load());
        QCOMPARE(liveCount(), std::size_t{0});
    }

    void slotsComeBack() {
        const UniqueFd fd = fileOfPages(1);
        for (int round = 0; round < 3; ++round) {
            std::vector<GuardedMapping> all;
            for (int i = 0; i < guard::kSlots; ++i) {
                auto mapping = mapPages(fd, 1);
                QVERIFY(mapping.has_value());
                all.push_back(std::move(*mapping));
            }
            QCOMPARE(liveCount(), std::size_t{guard::kSlots});
            const auto tooMany = mapPages(fd, 1);
            QVERIFY(!tooMany.has_value());
            QVERIFY(tooMany.error().message.find("4096") != std::string::npos);
            QVERIFY(all.back().intact().has_value());
        }
        QCOMPARE(liveCount(), std::size_t{0});
    }

    void liveMappingsAreListed() {
        const UniqueFd fd = fileOfPages(2);
        auto mapping = mapPages(fd, 2);
        std::array<MappedRange, 4> live;
        QCOMPARE(liveMappings(live), std::size_t{1});
        QCOMPARE(live[0].begin, reinterpret_cast<std::uintptr_t>(mapping->data()));
        QCOMPARE(live[0].end - live[0].begin, (pageSize() * 2).size());
        QCOMPARE(live[0].kind, MappingKind::file);
        GuardedMapping moved = std::move(*mapping);
        QCOMPARE(liveCount(), std::size_t{1});
        moved.unmap();
        moved.unmap();
        QCOMPARE(liveCount(), std::size_t{0});
        QCOMPARE(liveMappings({}), std::size_t{0});
    }

    void populateBeyondTheEndIsTheSameError() {
        const UniqueFd fd = fileOfPages(1);
        const auto mapping = mapPages(fd, 4);
        const auto status = mapping->advise(Bytes(0), pageSize() * 4, MADV_POPULATE_READ);
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::changed);
    }

    void refusedAdviceIsNamed() {
        const UniqueFd fd = fileOfPages(1);
        const auto mapping = mapPages(fd, 1);
        const auto status = mapping->advise(Bytes(0), pageSize(), 9999);
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::unavailable);
        QVERIFY(status.error().message.find("madvise(9999)") != std::string::npos);
    }

    void refusedMapsSayWhy() {
        const auto badFd = GuardedMapping::map(MappingKind::file, pageSize(), PROT_READ, MAP_PRIVATE, -1);
        QVERIFY(!badFd.has_value());
        QCOMPARE(badFd.error().kind, ErrorKind::failed);
        // A file of /proc that offers no mapping: ENODEV.
        const UniqueFd proc(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
        const auto noDevice =
            GuardedMapping::map(MappingKind::file, pageSize(), PROT_READ, MAP_PRIVATE, proc.get());
        QVERIFY(!noDevice.has_value());
        const auto tooLong = GuardedMapping::map(MappingKind::anonymous, Bytes(std::uint64_t{1} << 60U),
                                                 PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        QVERIFY(!tooLong.has_value());
        QCOMPARE(tooLong.error().kind, ErrorKind::unavailable);
    }
};

QTEST_GUILESS_MAIN(TestGuardedMapping)
#include "tst_guarded_mapping.moc"
