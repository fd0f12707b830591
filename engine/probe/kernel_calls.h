// System calls and constants newer than the C library this is built with.
#pragma once

#include <cstdint>
#include <optional>

#include "core/units.h"

namespace mmapscope {

inline constexpr int kMadvPopulateRead = 22;  ///< madvise(2), Linux 5.14
inline constexpr int kMadvCollapse = 25;      ///< Linux 6.1

/// struct cachestat of linux/mman.h: pages.
struct CachePages {
    std::uint64_t cached = 0;
    std::uint64_t dirty = 0;
    std::uint64_t writeback = 0;
    std::uint64_t evicted = 0;
    std::uint64_t recentlyEvicted = 0;
};
/// cachestat(2), Linux 6.5. A length of 0 means to the end. nullopt: errno says why (ENOSYS, EPERM for a file
/// that is neither ours nor writable, EOPNOTSUPP for hugetlbfs).
[[nodiscard]] std::optional<CachePages> cachestatOf(int fd, Bytes offset, Bytes length) noexcept;

}  // namespace mmapscope
