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
    std::uint64_t total = 0;     ///< nr_hugepages (persistent and surplus)
    std::uint64_t free = 0;
    std::uint64_t reserved = 0;  ///< promised to a mapping, not yet touched
    std::uint64_t surplus = 0;
    std::uint64_t overcommit = 0;  ///< nr_overcommit_hugepages
    /// Pages a new mapping can really have: free − reserved, plus what overcommit still allows.
    [[nodiscard]] std::uint64_t available() const {
        const std::uint64_t own = free > reserved ? free - reserved : 0;
        return own + (overcommit > surplus ? overcommit - surplus : 0);
    }
};

/// Error: unavailable when the kernel has no pool of that size.
[[nodiscard]] Result<PoolFacts> poolOf(Bytes size);
/// Every size this kernel offers.
[[nodiscard]] std::vector<PoolFacts> allPools();
/// "sudo sysctl vm.nr_hugepages=N": N is what is in use now plus what is missing for `pages` more.
[[nodiscard]] std::string reserveCommand(const PoolFacts& pool, std::uint64_t pages);

}  // namespace mmapscope
