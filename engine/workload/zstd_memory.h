// Memory the zstd workload asks for: counted as the arm's heap, and null instead of an exception when there
// is none. Include <zstd.h> with ZSTD_STATIC_LINKING_ONLY first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/accounting.h"

namespace mmapscope {

/// For the _advanced constructors of libzstd.
[[nodiscard]] inline ZSTD_customMem countedZstdMemory() {
    return {[](void*, std::size_t size) -> void* {
                countHeap(size);
                return std::malloc(size);
            },
            [](void*, void* memory) { std::free(memory); }, nullptr};
}

/// Bytes without initial values, which only grow: untouched pages cost nothing.
class ZstdBuffer {
  public:
    /// At least `size` bytes; what was there is kept up to `kept`. False: no memory, nothing changed.
    [[nodiscard]] bool reserve(std::size_t size, std::size_t kept = 0) {
        if (size <= size_) {
            return true;
        }
        if (kept == 0) {
            // Freed first: both at once could be twice what fits.
            bytes_.reset();
            size_ = 0;
        }
        void* const grown = std::realloc(bytes_.get(), size);
        if (grown == nullptr) {
            return false;
        }
        static_cast<void>(bytes_.release());
        bytes_.reset(static_cast<std::byte*>(grown));
        size_ = size;
        countHeap(size);
        return true;
    }
    [[nodiscard]] std::byte* data() const { return bytes_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_ = 0;
};

}  // namespace mmapscope
