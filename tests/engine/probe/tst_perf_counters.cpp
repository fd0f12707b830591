#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "core/units.h"
#include "probe/perf_counters.h"
#include "support/child.h"
#include "support/forbid.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

/// Touches so many fresh pages, each one fault.
void touch(std::size_t pages) {
    const std::size_t length = pages * pageSize().size();
    void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    QVERIFY(memory != MAP_FAILED);
    madvise(memory, length, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < length; i += pageSize().size()) {
        static_cast<volatile char*>(memory)[i] = 1;
    }
    munmap(memory, length);
}

std::uint64_t faultsOfThisThread() {
    rusage u{};
    getrusage(RUSAGE_THREAD, &u);
    return static_cast<std::uint64_t>(u.ru_minflt);
}

bool canCount(const char* id) {
    for (const CountableEvent& one : countableEvents()) {
        if (one.event->id == id && !one.userOnly) {
            return true;
        }
    }
    return false;
}

}  // namespace

class TestPerfCounters : public QObject {
    Q_OBJECT
  private slots:
    void everyEventIsThereOrSaysWhy() {
        QVERIFY(findPerfEvent("no_such_event") == nullptr);
        for (const PerfEvent& event : perfEvents()) {
            QVERIFY(findPerfEvent(event.id) == &event);
            const PerfFinding found = lookAtPerfEvent(event);
            QVERIFY2(found.available || !found.reason.empty(), event.id.data());
            QVERIFY2(!found.userOnly || !found.unlock.empty(), event.id.data());
        }
    }

    void countsThisThreadAndThoseItStarts() {
        if (!canCount("perf_minor_faults")) {
            QSKIP("faults in kernel mode may not be counted here");
        }
        constexpr std::size_t kPages = 1000;
        std::map<std::string, PerfCount> total;
        std::uint64_t own = 0;
        std::uint64_t helpers = 0;
        std::thread([&] {
            PerfCounters counters;
            touch(kPages);  // before the start: not counted
            counters.start();
            const std::uint64_t before = faultsOfThisThread();
            touch(kPages);
            std::thread([&] {
                const std::uint64_t start = faultsOfThisThread();
                touch(2 * kPages);
                helpers = faultsOfThisThread() - start;
            }).join();
            own = faultsOfThisThread() - before;
            counters.addTo(total);
        }).join();
        const auto counted = total.at("perf_minor_faults").value;
        QVERIFY(own >= kPages && helpers >= 2 * kPages);
        // What starting and ending a thread costs is counted too.
        QVERIFY2(counted >= own + helpers && counted < own + helpers + 100,
                 qPrintable(QString("%1 counted, %2 + %3 by getrusage").arg(counted).arg(own).arg(helpers)));
        QCOMPARE(total.at("perf_minor_faults").measured, 1.0);
        QCOMPARE(total.at("perf_major_faults").value, std::uint64_t{0});
        const auto all = total.at("perf_page_faults").value;
        QVERIFY2(all <= counted + 2 && counted <= all + 2,
                 qPrintable(QString("%1, %2").arg(all).arg(counted)));
    }

    void countsWaits() {
        if (!canCount("perf_context_switches")) {
            QSKIP("context switches may not be counted here");
        }
        std::map<std::string, PerfCount> total;
        std::thread([&] {
            PerfCounters counters;
            counters.start();
            for (int i = 0; i < 20; ++i) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
            counters.addTo(total);
        }).join();
        QVERIFY(total.at("perf_context_switches").value >= 20);
    }

    void whereItIsForbiddenNothingIsCounted() {
        const Child child = inChild([](const auto& say) {
            if (!forbid(SYS_perf_event_open)) {
                say("no seccomp filters here");
                return;
            }
            const PerfFinding found = lookAtPerfEvent(*findPerfEvent("perf_page_faults"));
            say(found.available ? "available" : found.reason);
            std::map<std::string, PerfCount> total;
            PerfCounters counters;
            counters.start();
            counters.addTo(total);
            say(total.empty() ? "" : " but counted");
        });
        QCOMPARE(child.trouble, std::string());
        QVERIFY2(QString::fromStdString(child.said).startsWith("forbidden"), child.said.c_str());
        QVERIFY(!QString::fromStdString(child.said).contains("counted"));
    }
};

QTEST_GUILESS_MAIN(TestPerfCounters)
#include "tst_perf_counters.moc"
