// Private anonymous memory that really has the page size asked for, where the kernel can give it.
#pragma once

#include "source/guarded_mapping.h"

namespace mmapscope {

class AnonymousRegion {
  public:
    /// `length` > 0. Huge: aligned to 2 MiB and advised MADV_HUGEPAGE; else MADV_NOHUGEPAGE, so that the
    /// choice also holds where transparent huge pages are on always. Error: as GuardedMapping::map and
    /// advise.
    [[nodiscard]] static Result<AnonymousRegion> map(Bytes length, bool huge);

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::span<const std::byte> bytes(Bytes offset, Bytes count) const noexcept {
        return {data_ + offset.size(), count.size()};
    }
    void unmap() noexcept { mapping_.unmap(); }

  private:
    GuardedMapping mapping_;
    std::byte* data_ = nullptr;
};

}  // namespace mmapscope
