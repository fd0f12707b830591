// Hands out bytes that lie in huge pages of the pool, under the guard.
#pragma once

#include <utility>

#include "source/huge_pages_region.h"
#include "source/memory_cursor.h"

namespace mmapscope {

class HugeCursor : public MemoryCursor {
  public:
    /// `bytes` lie in `mapping`; both outlive the cursor.
    HugeCursor(const GuardedMapping& mapping, std::span<const std::byte> bytes, std::stop_token stop)
        : MemoryCursor(bytes, std::move(stop)), mapping_(mapping) {}

    [[nodiscard]] Status intact() const override { return hugePagesIntact(mapping_); }

  private:
    const GuardedMapping& mapping_;
};

}  // namespace mmapscope
