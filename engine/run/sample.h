// What the sampler sees while an arm works.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace mmapscope {

/// Stands for "not available here" in a Sample; written as null.
inline constexpr std::uint64_t kNotAvailable = UINT64_MAX;

/// One look at a running arm. Trivially copyable: goes through the ring and the worker's pipe as it is.
/// Running totals, not rates. Dear facts keep their last value between looks.
struct Sample {
    std::int64_t tNs = 0;       ///< since the run's clock started
    std::uint64_t bytesIn = 0;  ///< the arm's threads
    std::uint64_t bytesOut = 0;
    std::uint64_t minorFaults = 0;  ///< the arm's threads, getrusage(2) RUSAGE_THREAD
    std::uint64_t majorFaults = 0;
    std::uint64_t rssAnon = kNotAvailable;     ///< bytes, /proc/self/status RssAnon
    std::uint64_t rssFile = kNotAvailable;     ///< RssFile
    std::uint64_t rssShmem = kNotAvailable;    ///< RssShmem
    std::uint64_t hugetlb = kNotAvailable;     ///< HugetlbPages (not part of RSS)
    std::uint64_t pageTables = kNotAvailable;  ///< VmPTE
    std::uint64_t poolFree =
        kNotAvailable;  ///< pages, /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
    std::uint64_t poolTotal = kNotAvailable;       ///< pages, nr_hugepages
    std::uint64_t storageRead = kNotAvailable;     ///< bytes, /proc/self/io read_bytes
    std::uint64_t thpEligible = kNotAvailable;     ///< smaps THPeligible of the arm's mapping: 0 or 1
    std::uint64_t anonHuge = kNotAvailable;        ///< bytes, smaps AnonHugePages over the arm's mappings
    std::uint64_t filePmdMapped = kNotAvailable;   ///< smaps FilePmdMapped
    std::uint64_t shmemPmdMapped = kNotAvailable;  ///< smaps ShmemPmdMapped
    std::uint64_t mappedSize = kNotAvailable;      ///< bytes, smaps Size over the arm's mappings
    std::uint64_t mappedRss = kNotAvailable;       ///< smaps Rss
    std::uint64_t kernelPage = kNotAvailable;      ///< bytes, smaps KernelPageSize, the largest
    std::uint64_t mmuPage = kNotAvailable;         ///< smaps MMUPageSize, the largest
    std::uint64_t privateHugetlb = kNotAvailable;  ///< bytes, smaps Private_Hugetlb
    std::uint64_t sharedHugetlb = kNotAvailable;   ///< smaps Shared_Hugetlb
    std::uint64_t locked = kNotAvailable;          ///< smaps Locked
    std::uint64_t vmFlags = kNotAvailable;  ///< VmFlags that any of the mappings has (probe/vm_flags.h)
    /// Context switches of the process since the run's start, getrusage(2) RUSAGE_SELF.
    std::uint64_t voluntarySwitches = kNotAvailable;
    std::uint64_t involuntarySwitches = kNotAvailable;
    // Of the whole machine, since the run's start:
    std::uint64_t pressureMemoryUs = kNotAvailable;    ///< µs, "some" total of /proc/pressure/memory
    std::uint64_t pressureIoUs = kNotAvailable;        ///< µs, "some" total of /proc/pressure/io
    std::uint64_t workingsetRefaults = kNotAvailable;  ///< pages, workingset_refault_file of /proc/vmstat
    std::uint64_t tlbShootdowns = kNotAvailable;       ///< TLB line of /proc/interrupts, all CPUs
};
static_assert(std::is_trivially_copyable_v<Sample>);

/// Single producer (sampler), single consumer (window timer or pipe writer). Allocated and touched before the
/// run starts. When the consumer lags the newest samples are dropped and counted; the run's own record keeps
/// its own.
class SampleRing {
  public:
    explicit SampleRing(std::size_t capacity = 1024);
    /// false when full.
    bool push(const Sample& sample) noexcept;
    /// Copies up to out.size() of the oldest, returns how many.
    std::size_t pop(std::span<Sample> out) noexcept;
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  private:
    std::size_t capacity_;
    std::unique_ptr<Sample[]> slots_;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
    std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace mmapscope
