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

}  // namespace mmapscope
