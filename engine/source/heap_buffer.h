// A page-aligned buffer on the heap, counted as the arm's.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "core/accounting.h"
#include "core/process_limits.h"
#include "core/result.h"
#include "core/text.h"
#include "core/units.h"

namespace mmapscope {

class HeapBuffer {
  public:
    HeapBuffer() = default;

    /// `size` > 0; the contents are not set, so that the first use of a page is the strategy's own fault.
    /// Error: unavailable, when there is no memory for it.
    [[nodiscard]] static Result<HeapBuffer> allocate(Bytes size) {
        HeapBuffer buffer;
        buffer.data_.reset(
            static_cast<std::byte*>(std::aligned_alloc(pageSize().size(), roundUp(size, pageSize()).size())));
        if (!buffer.data_) {
            return fail(ErrorKind::unavailable,
                        fmt::format("no memory for a buffer of {}: {}", formatBytes(size),
                                    addressSpaceAdvice("make it smaller")));
        }
        buffer.size_ = size;
        countHeap(size.size());
        return buffer;
    }

    [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }
    [[nodiscard]] Bytes size() const noexcept { return size_; }
    [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

  private:
    struct Free {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> data_;
    Bytes size_;
};

}  // namespace mmapscope
