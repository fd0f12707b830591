// /proc/PID/status and /proc/PID/stat (proc_pid_status(5), proc_pid_stat(5)). Both parsers allocate nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units.h"

namespace mmapscope {

/// What a field of the text says; absent when the kernel doesn't write it (kernel threads, zombies, old
/// kernels).
struct TaskStatus {
    std::optional<Bytes> rssAnon, rssFile, rssShmem;
    std::optional<Bytes> rss;  ///< VmRSS: the three together; huge pages are not part of it
    std::optional<Bytes>
        peakRss;  ///< VmHWM, of this program's memory alone (ru_maxrss is carried across exec)
    std::optional<Bytes> pageTables;  ///< VmPTE
    std::optional<Bytes> swap;        ///< VmSwap
    std::optional<Bytes> locked;      ///< VmLck
    std::optional<Bytes> hugetlb;     ///< HugetlbPages
    std::optional<std::uint64_t> threads;
    std::optional<std::uint64_t> effectiveCapabilities;  ///< CapEff, a bit per capabilities(7)
};
[[nodiscard]] TaskStatus parseTaskStatus(std::string_view text) noexcept;

struct TaskStat {
    std::uint64_t pid = 0;
    std::string_view command;  ///< points into the text; may hold blanks, parentheses and newlines
    char state = '?';
    std::uint64_t minorFaults = 0;
    std::uint64_t majorFaults = 0;
    std::uint64_t userTicks = 0;  ///< sysconf(_SC_CLK_TCK) a second
    std::uint64_t systemTicks = 0;
    std::optional<std::uint64_t> lastCpu;
};
/// Splits at the last ')', because a command may be named ") R 1". nullopt when the text has another form.
[[nodiscard]] std::optional<TaskStat> parseTaskStat(std::string_view text) noexcept;

/// "read_bytes: N" of /proc/PID/io: bytes this task really caused to be fetched from storage.
[[nodiscard]] std::optional<Bytes> parseReadBytes(std::string_view ioText) noexcept;

}  // namespace mmapscope
