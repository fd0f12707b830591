// /proc/meminfo (proc_meminfo(5)).
#pragma once

#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// Absent: the kernel doesn't say.
struct Meminfo {
    std::optional<Bytes> total, free;
    std::optional<Bytes> available;  ///< MemAvailable: what new work can have without swapping, an estimate
    std::optional<Bytes> cached, dirty, writeback, shmem, mlocked;
    std::optional<Bytes> swapTotal, swapFree;
    std::optional<Bytes> anonHugePages, fileHugePages, filePmdMapped, shmemPmdMapped;
    std::optional<Bytes> hugePage;  ///< Hugepagesize: the default pool's
    std::optional<Bytes> hugetlb;   ///< in pools of all sizes
};
[[nodiscard]] Meminfo parseMeminfo(std::string_view text) noexcept;
[[nodiscard]] Result<Meminfo> readMeminfo();

}  // namespace mmapscope
