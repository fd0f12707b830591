// What the kernel says of this process before, during and after a run (proc_pid_status(5), proc_pid_io(5)).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/units.h"

namespace mmapscope {

struct MemoryFigures {
    std::optional<Bytes> peakRss;     ///< VmHWM
    std::optional<Bytes> rss;         ///< VmRSS
    std::optional<Bytes> anon;        ///< RssAnon and RssShmem: memory that is the process' own
    std::optional<Bytes> file;        ///< RssFile: page cache it has mapped
    std::optional<Bytes> hugetlb;     ///< HugetlbPages, no part of RSS
    std::optional<Bytes> pageTables;  ///< VmPTE
};
[[nodiscard]] MemoryFigures readMemoryFigures();

/// Sets VmHWM back to what is resident now, so that the peak is the run's own (proc_pid_clear_refs(5), value
/// 5; needs CONFIG_PROC_PAGE_MONITOR). Without it the peak since the process' start stays.
void resetPeakRss();

struct ProcessFigures {
    std::uint64_t minorFaults = 0, majorFaults = 0;  ///< getrusage(2) RUSAGE_SELF
    std::optional<Bytes> storageRead;                ///< /proc/self/io read_bytes
    MemoryFigures memory;
};
[[nodiscard]] ProcessFigures readProcessFigures();

/// What the scheduler says of the calling thread, since it began.
struct ThreadTimes {
    std::chrono::nanoseconds cpu{0};
    /// Ready to run, without a CPU. Absent: the kernel has no schedstat (CONFIG_SCHED_INFO).
    std::optional<std::chrono::nanoseconds> runDelay;
};
/// CLOCK_THREAD_CPUTIME_ID and /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst).
[[nodiscard]] ThreadTimes readThreadTimes();

}  // namespace mmapscope
