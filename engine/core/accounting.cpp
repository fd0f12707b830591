#include "core/accounting.h"

#include <sys/resource.h>
#include <time.h>

#include <span>

namespace mmapscope {
namespace {

thread_local ThreadAccount* currentAccount = nullptr;

std::chrono::nanoseconds toNs(const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
}

}  // namespace

ThreadAccount::Base ThreadAccount::read() noexcept {
    rusage u{};
    getrusage(RUSAGE_THREAD, &u);
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    Base b;
    b.minorFaults = static_cast<std::uint64_t>(u.ru_minflt);
    b.majorFaults = static_cast<std::uint64_t>(u.ru_majflt);
    b.voluntary = static_cast<std::uint64_t>(u.ru_nvcsw);
    b.involuntary = static_cast<std::uint64_t>(u.ru_nivcsw);
    b.blocksRead = static_cast<std::uint64_t>(u.ru_inblock);
    b.cpu = std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
    b.user = toNs(u.ru_utime);
    b.system = toNs(u.ru_stime);
    return b;
}

ThreadAccount::ThreadAccount(Accounts& accounts) : accounts_(accounts), base_(read()) {
    // The last slot is shared by any thread past the limit, so that its bytes are still counted.
    for (slot_ = 0; slot_ + 1 < Accounts::kMaxThreads; ++slot_) {
        if (!accounts.taken_[slot_].exchange(true, std::memory_order_acquire)) {
            break;
        }
    }
    for (auto used = accounts.used_.load(); used <= slot_;) {
        accounts.used_.compare_exchange_weak(used, slot_ + 1);
    }
    counters_ = &accounts.threads_[slot_];
    earlierMinor_ = counters_->minorFaults.load(std::memory_order_relaxed);
    earlierMajor_ = counters_->majorFaults.load(std::memory_order_relaxed);
    currentAccount = this;
}

ThreadAccount::~ThreadAccount() {
    publish();
    const Base now = read();
    auto& e = accounts_.ended_;
    constexpr auto relaxed = std::memory_order_relaxed;
    e.voluntary.fetch_add(now.voluntary - base_.voluntary, relaxed);
    e.involuntary.fetch_add(now.involuntary - base_.involuntary, relaxed);
    e.blocksRead.fetch_add(now.blocksRead - base_.blocksRead, relaxed);
    e.cpuNs.fetch_add((now.cpu - base_.cpu).count(), relaxed);
    e.userNs.fetch_add((now.user - base_.user).count(), relaxed);
    e.systemNs.fetch_add((now.system - base_.system).count(), relaxed);
    accounts_.taken_[slot_].store(false, std::memory_order_release);
    currentAccount = nullptr;
}

void ThreadAccount::publish() noexcept {
    rusage u{};
    getrusage(RUSAGE_THREAD, &u);
    counters_->minorFaults.store(earlierMinor_ + static_cast<std::uint64_t>(u.ru_minflt) - base_.minorFaults,
                                 std::memory_order_relaxed);
    counters_->majorFaults.store(earlierMajor_ + static_cast<std::uint64_t>(u.ru_majflt) - base_.majorFaults,
                                 std::memory_order_relaxed);
}

void ThreadAccount::restart() noexcept {
    // A sample taken between here and the next publish must not show what came before the clock.
    counters_->heapAllocated.store(0, std::memory_order_relaxed);
    counters_->minorFaults.store(0, std::memory_order_relaxed);
    counters_->majorFaults.store(0, std::memory_order_relaxed);
    earlierMinor_ = 0;
    earlierMajor_ = 0;
    base_ = read();
}

ThreadAccount* ThreadAccount::current() noexcept {
    return currentAccount;
}

AccountTotals Accounts::totals() const noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    AccountTotals t;
    const std::size_t used = used_.load(relaxed);
    for (const ThreadCounters& thread : std::span(threads_).first(used)) {
        t.bytesIn += thread.bytesIn.load(relaxed);
        t.bytesOut += thread.bytesOut.load(relaxed);
        t.minorFaults += thread.minorFaults.load(relaxed);
        t.majorFaults += thread.majorFaults.load(relaxed);
        t.heapAllocated += thread.heapAllocated.load(relaxed);
        t.hugeAllocationNs += thread.hugeAllocationNs.load(relaxed);
    }
    t.voluntarySwitches = ended_.voluntary.load(relaxed);
    t.involuntarySwitches = ended_.involuntary.load(relaxed);
    t.blocksRead = ended_.blocksRead.load(relaxed);
    t.cpu = std::chrono::nanoseconds(ended_.cpuNs.load(relaxed));
    t.user = std::chrono::nanoseconds(ended_.userNs.load(relaxed));
    t.system = std::chrono::nanoseconds(ended_.systemNs.load(relaxed));
    return t;
}

Status checkpoint(const std::stop_token& stop) {
    if (auto* account = ThreadAccount::current()) {
        account->publish();
    }
    if (stop.stop_requested()) {
        return cancelled();
    }
    return {};
}

void countHeap(std::size_t bytes) noexcept {
    if (auto* account = ThreadAccount::current()) {
        account->counters().heapAllocated.fetch_add(bytes, std::memory_order_relaxed);
    }
}

}  // namespace mmapscope
