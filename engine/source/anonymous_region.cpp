#include "source/anonymous_region.h"

#include <sys/mman.h>

#include <utility>

namespace mmapscope {

Result<AnonymousRegion> AnonymousRegion::map(Bytes length, bool huge) {
    // One huge page more than needed leaves room to begin at a multiple of 2 MiB wherever the kernel puts it.
    const Bytes whole = huge ? roundUp(length, kHugePage) + kHugePage : roundUp(length, pageSize());
    auto mapping = GuardedMapping::map(MappingKind::anonymous, whole, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (!mapping) {
        return tl::unexpected(mapping.error());
    }
    AnonymousRegion region;
    region.mapping_ = std::move(*mapping);
    const Bytes address(reinterpret_cast<std::uintptr_t>(region.mapping_.data()));
    const Bytes skipped = huge ? roundUp(address, kHugePage) - address : Bytes(0);
    region.data_ = region.mapping_.data() + skipped.size();
    if (huge) {
        if (auto status = region.mapping_.advise(skipped, roundUp(length, kHugePage), MADV_HUGEPAGE);
            !status) {
            return tl::unexpected(status.error());
        }
        return region;
    }
    // A kernel that has no transparent huge pages refuses the advice, and needs none.
    (void)region.mapping_.advise(Bytes(0), whole, MADV_NOHUGEPAGE);
    return region;
}

}  // namespace mmapscope
