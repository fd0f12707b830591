// The huge-page pool (Documentation/admin-guide/mm/hugetlbpage.rst).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

struct PoolFacts {
    Bytes size;
    std::uint64_t total = 0;  ///< nr_hugepages, surplus ones among them
    std::uint64_t free = 0;
    std::uint64_t reserved = 0;  ///< promised to a mapping, not yet touched
    std::uint64_t surplus = 0;
    std::uint64_t overcommit = 0;  ///< nr_overcommit_hugepages
    /// Pages a new mapping can really have: free − reserved, plus what overcommit still allows.
    [[nodiscard]] std::uint64_t available() const {
        const std::uint64_t own = free > reserved ? free - reserved : 0;
        return own + (overcommit > surplus ? overcommit - surplus : 0);
    }
    /// Pages of the pool itself: what writing nr_hugepages sets, and what an undo has to write.
    [[nodiscard]] std::uint64_t persistent() const { return total > surplus ? total - surplus : 0; }
};

/// Error: unavailable when the kernel has no pool of that size. `sysRoot` is /sys.
[[nodiscard]] Result<PoolFacts> poolOf(Bytes size, const std::string& sysRoot = "/sys");
/// Every size this kernel offers, smallest first.
[[nodiscard]] std::vector<PoolFacts> allPools(const std::string& sysRoot = "/sys");
/// "/sys/kernel/mm/hugepages/hugepages-2048kB": where the pool of a size is read and set.
[[nodiscard]] std::string poolDirectory(Bytes size, const std::string& sysRoot = "/sys");
/// How large the pool must be for `pages` more to be available: what is in use or promised now plus `pages`,
/// never less than there is.
[[nodiscard]] std::uint64_t reserveTotal(const PoolFacts& pool, std::uint64_t pages);
/// "sudo sysctl vm.nr_hugepages=N". For a size that is not the default one, the same through its own file.
[[nodiscard]] std::string poolCommand(Bytes size, std::uint64_t pages);
/// The command that makes the pool reserveTotal pages large.
[[nodiscard]] std::string reserveCommand(const PoolFacts& pool, std::uint64_t pages);

}  // namespace mmapscope
