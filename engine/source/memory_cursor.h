// Hands out what already is in memory of the process, in spans.
#pragma once

#include <algorithm>
#include <stop_token>
#include <utility>

#include "source/source.h"

namespace mmapscope {

class MemoryCursor : public Cursor {
  public:
    /// The bytes outlive the cursor.
    MemoryCursor(std::span<const std::byte> bytes, std::stop_token stop)
        : rest_(bytes), stop_(std::move(stop)) {}

    [[nodiscard]] Result<std::span<const std::byte>> next() override {
        if (rest_.empty()) {
            return rest_;
        }
        if (auto status = checkpoint(stop_); !status) {
            return tl::unexpected(status.error());
        }
        const auto span = rest_.first(std::min(rest_.size(), kMaxSpan.size()));
        rest_ = rest_.subspan(span.size());
        return span;
    }

  private:
    std::span<const std::byte> rest_;
    std::stop_token stop_;
};

/// The part of the range of `index` in memory that holds all of input.whole() from its first byte on.
template <typename Memory>
[[nodiscard]] std::span<const std::byte> rangeIn(const Memory& memory, const SourceInput& input,
                                                 std::size_t index) {
    const Range range = input.ranges[index];
    return memory.bytes(range.begin - input.whole().begin, range.length());
}

}  // namespace mmapscope
