// Calls checkpoint() as often as the design asks of every loop, and not at every small span: publishing a
// thread's faults costs 0.3–0.5 µs, which would be 5 % of a 64 KiB span of the fastest workload.
#pragma once

#include <cstddef>
#include <stop_token>
#include <utility>

#include "core/accounting.h"
#include "core/result.h"

namespace mmapscope {

class Pacer {
  public:
    /// Half of what the design allows: a slice of this length plus a span's rest stays within 4 MiB.
    static constexpr std::size_t kSlice = std::size_t{2} << 20U;

    explicit Pacer(std::stop_token stop) : stop_(std::move(stop)) {}

    /// `bytes` more were worked on.
    [[nodiscard]] Status advance(std::size_t bytes) {
        since_ += bytes;
        if (since_ < kSlice) {
            return {};
        }
        since_ = 0;
        return checkpoint(stop_);
    }

  private:
    std::stop_token stop_;
    std::size_t since_ = 0;
};

}  // namespace mmapscope
