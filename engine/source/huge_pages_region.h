// Memory from the huge-page pool (2 MiB pages), and the words for when there isn't enough of it.
#pragma once

#include <algorithm>
#include <stop_token>

#include "core/unique_fd.h"
#include "source/guarded_mapping.h"
#include "source/open_file.h"

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

/// memcpy to `offset` of the mapping, in steps of at most 4 MiB with a checkpoint before each, the huge pages
/// touched under the guard. Error: cancelled; unavailable (hugePageMissing).
[[nodiscard]] Status copyGuarded(const GuardedMapping& to, Bytes offset, std::span<const std::byte> from,
                                 const std::stop_token& stop);

/// MADV_POPULATE_WRITE of the huge pages under [at, at + length), timed into the calling thread's account
/// (ThreadCounters::hugeAllocationNs). Where it fails the filling will meet, and tell, the same trouble.
void allocateAhead(std::byte* at, Bytes length) noexcept;

/// Fills `whole`'s bytes at `to` by `fill(at, stretch)`: all at once, or, where time is split, stretch by
/// stretch of at most kStopStep, each allocated before (allocateAhead).
template <class Fill>
[[nodiscard]] Status fillHuge(const SourceInput& input, std::byte* to, Range whole, Fill&& fill) {
    if (!input.splitTime) {
        return fill(to, whole);
    }
    for (Range stretch{whole.begin, whole.begin}; stretch.begin < whole.end; stretch.begin = stretch.end) {
        stretch.end = std::min(whole.end, stretch.begin + kStopStep);
        std::byte* const at = to + (stretch.begin - whole.begin).size();
        allocateAhead(at, stretch.length());
        if (auto status = fill(at, stretch); !status) {
            return status;
        }
    }
    return {};
}

/// A mapping of huge pages as the cursor's `intact` says it.
[[nodiscard]] Status hugePagesIntact(const GuardedMapping& mapping);

}  // namespace mmapscope
