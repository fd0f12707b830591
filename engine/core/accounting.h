// What the threads of one arm did: counters each thread publishes for itself, so that reading them costs the
// arm nothing. Helper threads of a source (coordinator, reader) are the arm's threads too.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "core/result.h"

namespace mmapscope {

/// One cache line a thread, written by that thread alone, relaxed.
struct alignas(64) ThreadCounters {
    std::atomic<std::uint64_t> bytesIn{0};
    std::atomic<std::uint64_t> bytesOut{0};
    std::atomic<std::uint64_t> minorFaults{0};
    std::atomic<std::uint64_t> majorFaults{0};
    std::atomic<std::uint64_t> heapAllocated{0};  ///< bytes ever asked of the heap by the arm on this thread
    std::atomic<std::uint64_t> hugeAllocationNs{
        0};  ///< told by sources that allocate huge pages, see SourceInput
};

/// Sums over the arm's threads. Faults and switches: getrusage(2) RUSAGE_THREAD; cpu:
/// CLOCK_THREAD_CPUTIME_ID; user and system tick at HZ on most kernels (±4 ms).
struct AccountTotals {
    std::uint64_t bytesIn = 0;
    std::uint64_t bytesOut = 0;
    std::uint64_t minorFaults = 0;
    std::uint64_t majorFaults = 0;
    std::uint64_t heapAllocated = 0;
    std::uint64_t hugeAllocationNs = 0;
    std::uint64_t voluntarySwitches = 0;
    std::uint64_t involuntarySwitches = 0;
    std::uint64_t blocksRead = 0;  ///< ru_inblock, units of 512 bytes
    std::chrono::nanoseconds cpu{0};
    std::chrono::nanoseconds user{0};
    std::chrono::nanoseconds system{0};
};

class Accounts;

/// Lives on an arm's thread for as long as it works. Counts from its construction to its destruction.
class ThreadAccount {
  public:
    explicit ThreadAccount(Accounts& accounts);
    ~ThreadAccount();
    ThreadAccount(const ThreadAccount&) = delete;
    ThreadAccount& operator=(const ThreadAccount&) = delete;

    /// Publishes this thread's faults so far; 0.3–0.5 µs.
    void publish() noexcept;
    /// Counts again from here: for threads made before the run's clock starts.
    void restart() noexcept;
    [[nodiscard]] ThreadCounters& counters() noexcept { return *counters_; }

    /// The account of the calling thread, or nullptr outside an arm's threads.
    [[nodiscard]] static ThreadAccount* current() noexcept;

  private:
    struct Base {
        std::uint64_t minorFaults = 0, majorFaults = 0, voluntary = 0, involuntary = 0, blocksRead = 0;
        std::chrono::nanoseconds cpu{0}, user{0}, system{0};
    };
    [[nodiscard]] static Base read() noexcept;

    Accounts& accounts_;
    std::size_t slot_;
    ThreadCounters* counters_;
    std::uint64_t earlierMinor_ = 0, earlierMajor_ = 0;  ///< of the thread that had the slot before
    Base base_;
};

/// The accounts of one run. Never allocates after construction; at most kMaxThreads threads at a time.
class Accounts {
  public:
    static constexpr std::size_t kMaxThreads = 512;
    /// Of an arm; the rest is room for the helper threads of sources.
    static constexpr unsigned kMaxArmThreads = kMaxThreads / 4;

    explicit Accounts(std::stop_token stop) : stop_(std::move(stop)) {}

    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

    /// Sums of the published counters; safe from any thread while the arm works. Times and switches of
    /// threads still running are not in it.
    [[nodiscard]] AccountTotals totals() const noexcept;

  private:
    friend class ThreadAccount;
    struct Ended {
        std::atomic<std::uint64_t> voluntary{0}, involuntary{0}, blocksRead{0};
        std::atomic<std::int64_t> cpuNs{0}, userNs{0}, systemNs{0};
    };
    std::stop_token stop_;
    /// Slots that are taken. A thread that ends leaves its counts in its slot, and the next one counts on.
    std::array<std::atomic<bool>, kMaxThreads> taken_{};
    std::atomic<std::size_t> used_{0};  ///< slots that ever were taken
    std::array<ThreadCounters, kMaxThreads> threads_;
    Ended ended_;
};

/// To be called in every loop of an arm at least every 4 MiB of data (design: cancel within 10 ms): publishes
/// the calling thread's faults and returns the `cancelled` error when a stop was requested.
[[nodiscard]] Status checkpoint(const std::stop_token& stop);

/// Heap memory the arm asks for goes through here so that `heap_allocated_bytes` is what the strategy and the
/// workload themselves allocate. Adds to the calling thread's account, if it has one.
void countHeap(std::size_t bytes) noexcept;

}  // namespace mmapscope
