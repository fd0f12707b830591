#include <sys/mman.h>

#include <QtTest>
#include <thread>

#include "core/accounting.h"
#include "core/units.h"

using namespace mmapscope;

class TestAccounting : public QObject {
    Q_OBJECT
  private slots:
    void faultsOfHelperThreadsAreTheArms() {
        std::stop_source stop;
        const auto accounts = std::make_unique<Accounts>(stop.get_token());
        constexpr std::size_t pages = 256;
        const auto touch = [&] {
            const ThreadAccount account(*accounts);
            const std::size_t length = pages * pageSize().size();
            void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            madvise(memory, length, MADV_NOHUGEPAGE);
            for (std::size_t i = 0; i < length; i += pageSize().size()) {
                static_cast<volatile char*>(memory)[i] = 1;
            }
            munmap(memory, length);
        };
        std::thread a(touch);
        std::thread b(touch);
        a.join();
        b.join();
        const auto totals = accounts->totals();
        QVERIFY2(totals.minorFaults >= 2 * pages, qPrintable(QString::number(totals.minorFaults)));
        QVERIFY(totals.cpu.count() > 0);
    }

    void restartForgetsWhatCameBefore() {
        const auto accounts = std::make_unique<Accounts>(std::stop_token());
        ThreadAccount account(*accounts);
        countHeap(100);
        std::vector<char> memory(8U << 20U, 'x');
        QVERIFY(memory[5] == 'x');
        account.publish();
        QVERIFY(accounts->totals().minorFaults > 64);
        account.restart();
        QCOMPARE(accounts->totals().minorFaults, std::uint64_t{0});
        account.publish();
        countHeap(7);
        QCOMPARE(accounts->totals().heapAllocated, std::uint64_t{7});
        QVERIFY(accounts->totals().minorFaults < 64);
    }

    /// A source that starts a helper for each of many files has more threads than slots, in turn.
    void slotsAreUsedAgain() {
        const auto accounts = std::make_unique<Accounts>(std::stop_token());
        const auto work = [&] {
            ThreadAccount account(*accounts);
            countHeap(3);
            account.counters().bytesIn.fetch_add(5);
            void* page =
                mmap(nullptr, pageSize().size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            *static_cast<volatile char*>(page) = 1;
            munmap(page, pageSize().size());
            account.publish();
        };
        constexpr std::uint64_t kThreads = 3 * Accounts::kMaxThreads;
        std::uint64_t faults = 0;
        for (std::uint64_t i = 0; i < kThreads; ++i) {
            std::thread(work).join();
            QVERIFY(accounts->totals().minorFaults >= faults);
            faults = accounts->totals().minorFaults;
        }
        QCOMPARE(accounts->totals().heapAllocated, 3 * kThreads);
        QCOMPARE(accounts->totals().bytesIn, 5 * kThreads);
        QVERIFY(faults >= kThreads);
    }

    void checkpointSeesTheStop() {
        std::stop_source stop;
        QVERIFY(checkpoint(stop.get_token()).has_value());
        stop.request_stop();
        const auto status = checkpoint(stop.get_token());
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::cancelled);
    }
};

QTEST_GUILESS_MAIN(TestAccounting)
#include "tst_accounting.moc"
