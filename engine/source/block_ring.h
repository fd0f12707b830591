// A thread of its own reads blocks ahead into a ring of buffers, and the cursor hands them out in order.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "source/heap_buffer.h"
#include "source/source.h"

namespace mmapscope {

/// How a block of the file gets into memory.
class BlockReader {
  public:
    BlockReader() = default;
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;
    virtual ~BlockReader() = default;

    /// Reads the whole block and returns where it lies in `slot`. Checkpoints at least every 4 MiB.
    [[nodiscard]] virtual Result<std::span<const std::byte>> read(std::span<std::byte> slot, Range block,
                                                                  const std::stop_token& stop) const = 0;
    /// Blocks begin and end at multiples of it, but for the range's own ends.
    [[nodiscard]] virtual Bytes alignment() const { return Bytes(1); }
};

/// The parts of a range between multiples of `size`; the first and the last may be shorter.
class BlockPlan {
  public:
    BlockPlan(Range range, Bytes size, Bytes alignment)
        : range_(range), size_(roundUp(size, alignment)), base_(roundDown(range.begin, alignment)) {}
    [[nodiscard]] std::uint64_t count() const {
        return range_.length().isZero() ? 0 : roundUp(range_.end - base_, size_) / size_;
    }
    [[nodiscard]] Range block(std::uint64_t index) const {
        const Bytes begin = base_ + size_ * index;
        return {std::max(begin, range_.begin), std::min(begin + size_, range_.end)};
    }
    [[nodiscard]] Bytes size() const { return size_; }

  private:
    Range range_;
    Bytes size_;
    Bytes base_;
};

class BlockRingCursor : public Cursor {
  public:
    /// Starts the reader thread, whose account is one of the arm's. `reader` and `accounts` outlive the
    /// cursor. Error: unavailable, without memory for depth × block.
    [[nodiscard]] static Result<std::unique_ptr<Cursor>> start(const BlockReader& reader, Range range,
                                                               Bytes block, unsigned depth,
                                                               Accounts& accounts);
    ~BlockRingCursor() override;

    [[nodiscard]] Result<std::span<const std::byte>> next() override;

  private:
    BlockRingCursor(const BlockReader& reader, BlockPlan plan, unsigned depth, HeapBuffer memory,
                    Accounts& accounts);
    void readAll();
    [[nodiscard]] std::span<std::byte> slotMemory(std::uint64_t block) const;

    const BlockReader& reader_;
    BlockPlan plan_;
    unsigned depth_;
    HeapBuffer memory_;
    Accounts& accounts_;
    // Block k lies in slot k % depth. Each counter is written by one side only and counts up (modulo 2^32).
    std::vector<Result<std::span<const std::byte>>> slots_;
    alignas(64) std::atomic<std::uint32_t> filled_{0};
    alignas(64) std::atomic<std::uint32_t> released_{0};
    std::atomic<bool> quit_{false};
    std::uint64_t taken_ = 0;
    std::jthread thread_;
};

}  // namespace mmapscope
