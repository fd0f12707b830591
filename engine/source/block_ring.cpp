#include "source/block_ring.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/process_limits.h"

namespace mmapscope {

Result<std::unique_ptr<Cursor>> BlockRingCursor::start(const BlockReader& reader, Range range, Bytes block,
                                                       unsigned depth, Accounts& accounts) {
    const BlockPlan plan(range, block, reader.alignment());
    auto memory = HeapBuffer::allocate(plan.size() * depth);
    if (!memory) {
        return tl::unexpected(memory.error());
    }
    try {
        return std::unique_ptr<Cursor>(
            new BlockRingCursor(reader, plan, depth, std::move(*memory), accounts));
    } catch (const std::system_error& error) {
        return fail(ErrorKind::unavailable, threadError("a reader thread", error.code()));
    }
}

BlockRingCursor::BlockRingCursor(const BlockReader& reader, BlockPlan plan, unsigned depth, HeapBuffer memory,
                                 Accounts& accounts)
    : reader_(reader),
      plan_(plan),
      depth_(depth),
      memory_(std::move(memory)),
      accounts_(accounts),
      slots_(depth),
      thread_([this] { readAll(); }) {}

BlockRingCursor::~BlockRingCursor() {
    quit_.store(true);
    // A changed counter is what wakes a reader that waits for room.
    released_.fetch_add(1);
    released_.notify_one();
}

std::span<std::byte> BlockRingCursor::slotMemory(std::uint64_t block) const {
    const std::size_t size = plan_.size().size();
    return {memory_.data() + static_cast<std::size_t>(block % depth_) * size, size};
}

void BlockRingCursor::readAll() {
    ThreadAccount account(accounts_);
    for (std::uint64_t block = 0; block < plan_.count(); ++block) {
        for (std::uint32_t released = released_.load();
             static_cast<std::uint32_t>(block) - released >= depth_ && !quit_.load();
             released = released_.load()) {
            released_.wait(released);
        }
        if (quit_.load()) {
            return;
        }
        auto& slot = slots_[static_cast<std::size_t>(block % depth_)];
        slot = reader_.read(slotMemory(block), plan_.block(block), accounts_.stop());
        const bool good = slot.has_value();
        filled_.fetch_add(1);
        filled_.notify_one();
        if (!good) {
            return;  // the consumer gets the error in the block's place
        }
    }
}

Result<std::span<const std::byte>> BlockRingCursor::next() {
    if (taken_ == plan_.count()) {
        return std::span<const std::byte>();
    }
    if (auto status = checkpoint(accounts_.stop()); !status) {
        return tl::unexpected(status.error());
    }
    const auto block = static_cast<std::uint32_t>(taken_);
    if (taken_ > 0) {
        released_.fetch_add(1);
        released_.notify_one();
    }
    while (filled_.load() == block) {
        filled_.wait(block);
    }
    auto& slot = slots_[static_cast<std::size_t>(taken_ % depth_)];
    if (slot) {
        ++taken_;
    }
    return slot;
}

}  // namespace mmapscope
