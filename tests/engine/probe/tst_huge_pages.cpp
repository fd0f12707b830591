#include <sys/mman.h>

#include "probe/huge_pages.h"
#include "probe_support.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

void makePool(const Tree& sys, const std::string& size, const char* total, const char* free,
              const char* reserved, const char* surplus, const char* overcommit) {
    const std::string directory = "kernel/mm/hugepages/hugepages-" + size + "kB/";
    sys.file(directory + "nr_hugepages", std::string(total) + "\n");
    sys.file(directory + "free_hugepages", std::string(free) + "\n");
    sys.file(directory + "resv_hugepages", std::string(reserved) + "\n");
    sys.file(directory + "surplus_hugepages", std::string(surplus) + "\n");
    if (overcommit != nullptr) {
        sys.file(directory + "nr_overcommit_hugepages", std::string(overcommit) + "\n");
    }
}

constexpr int kHugeMapping = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (21 << MAP_HUGE_SHIFT);

}  // namespace

class TestHugePages : public QObject {
    Q_OBJECT
  private slots:
    void readsAPool() {
        const Tree sys;
        makePool(sys, "2048", "100", "40", "10", "5", "20");
        const auto pool = poolOf(kHugePage, sys.root());
        QVERIFY(pool.has_value());
        QCOMPARE(pool->total, quint64{100});
        QCOMPARE(pool->free, quint64{40});
        QCOMPARE(pool->reserved, quint64{10});
        // 30 free and not promised, and 15 more that overcommit still allows.
        QCOMPARE(pool->available(), quint64{45});
    }
    void listsEverySizeSmallestFirst() {
        const Tree sys;
        makePool(sys, "1048576", "1", "1", "0", "0", nullptr);
        makePool(sys, "2048", "0", "0", "0", "0", "0");
        sys.file("kernel/mm/hugepages/other", "");
        sys.file("kernel/mm/hugepages/hugepages-xkB/nr_hugepages", "1\n");
        const auto pools = allPools(sys.root());
        QCOMPARE(pools.size(), std::size_t{2});
        QCOMPARE(pools[0].size, mib(2));
        QCOMPARE(pools[1].size, gib(1));
        QCOMPARE(pools[1].overcommit, quint64{0});
    }
    void missingAndDamagedPoolsAreUnavailable() {
        const Tree sys;
        const auto none = poolOf(kHugePage, sys.root());
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().kind, ErrorKind::unavailable);
        QVERIFY(none.error().message.find("no pool of 2 MiB pages") != std::string::npos);
        makePool(sys, "2048", "many", "40", "10", "5", "20");
        QVERIFY(!poolOf(kHugePage, sys.root()).has_value());
        QVERIFY(allPools(sys.root()).empty());
    }
    void commandReservesWhatIsMissing() {
        PoolFacts pool;
        pool.size = kHugePage;
        pool.total = 10;
        pool.free = 4;
        pool.reserved = 3;
        // 6 in use, 3 promised, 5 more.
        QVERIFY(reserveCommand(pool, 5).ends_with("nr_hugepages=14"));
        // Never fewer than there are.
        QVERIFY(reserveCommand(pool, 0).ends_with("nr_hugepages=10"));
        pool.size = gib(1);
        QCOMPARE(reserveCommand(pool, 1),
                 std::string("echo 10 | sudo tee /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"));
    }
    void promisedAndTouchedPagesAreToldApart() {
        const PoolGuard guard(3);
        if (!guard.ready()) {
            QSKIP(guard.why().c_str());
        }
        const auto before = poolOf(kHugePage);
        QVERIFY(before.has_value());
        const std::size_t length = 2 * kHugePage.size();
        auto* const pages =
            static_cast<char*>(::mmap(nullptr, length, PROT_READ | PROT_WRITE, kHugeMapping, -1, 0));
        QVERIFY(pages != MAP_FAILED);
        const auto promised = poolOf(kHugePage);
        pages[0] = 1;
        const auto touched = poolOf(kHugePage);
        ::munmap(pages, length);
        QCOMPARE(promised->free, before->free);
        QCOMPARE(promised->reserved, before->reserved + 2);
        QCOMPARE(promised->available(), before->available() - 2);
        QCOMPARE(touched->free, before->free - 1);
        QCOMPARE(touched->reserved, before->reserved + 1);
        QCOMPARE(touched->available(), promised->available());
        QCOMPARE(poolOf(kHugePage)->available(), before->available());
    }
    void commandGivesWhatItPromises() {
        const PoolGuard guard(1);
        if (!guard.ready()) {
            QSKIP(guard.why().c_str());
        }
        void* const page = ::mmap(nullptr, kHugePage.size(), PROT_READ | PROT_WRITE, kHugeMapping, -1, 0);
        QVERIFY(page != MAP_FAILED);
        *static_cast<char*>(page) = 1;
        const std::string command = reserveCommand(*poolOf(kHugePage), 2);
        const std::string pages = command.substr(command.find('=') + 1);
        std::ofstream("/proc/sys/vm/nr_hugepages") << pages << std::flush;
        const auto after = poolOf(kHugePage);
        ::munmap(page, kHugePage.size());
        QVERIFY2(after->available() >= 2, command.c_str());
    }
};

QTEST_GUILESS_MAIN(TestHugePages)
#include "tst_huge_pages.moc"
