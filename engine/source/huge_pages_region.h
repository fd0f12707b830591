// Memory from the huge-page pool (2 MiB pages), and the words for when there isn't enough of it.
#pragma once

#include <stop_token>

#include "core/unique_fd.h"
#include "source/guarded_mapping.h"

namespace mmapscope {

/// MAP_ANONYMOUS|MAP_HUGETLB|MAP_HUGE_2MB of at least `length` > 0. Error: unavailable, with the count
/// needed, the count there is and the command that reserves the rest.
[[nodiscard]] Result<GuardedMapping> mapHugePages(Bytes length);

/// A file of huge pages that has no name (memfd_create(2), MFD_HUGETLB|MFD_HUGE_2MB), mapped shared.
struct HugeMemfd {
    UniqueFd fd;
    GuardedMapping mapping;
};
/// Error: as mapHugePages.
[[nodiscard]] Result<HugeMemfd> mapHugeMemfd(Bytes length);

/// The error for a huge page that was reserved and yet not there when it was touched: names the limit that
/// can do this.
[[nodiscard]] tl::unexpected<Error> hugePageMissing();

/// memcpy to the mapping's start, in steps of at most 4 MiB with a checkpoint before each, the huge pages
/// touched under the guard. Error: cancelled; unavailable (hugePageMissing).
[[nodiscard]] Status copyGuarded(const GuardedMapping& to, std::span<const std::byte> from,
                                 const std::stop_token& stop);

/// A mapping of huge pages as the cursor's `intact` says it.
[[nodiscard]] Status hugePagesIntact(const GuardedMapping& mapping);

}  // namespace mmapscope
