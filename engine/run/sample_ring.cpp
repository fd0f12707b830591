#include <algorithm>

#include "run/sample.h"

namespace mmapscope {

SampleRing::SampleRing(std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity, 1)), slots_(std::make_unique<Sample[]>(capacity_)) {}

bool SampleRing::push(const Sample& sample) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    // Acquire: the consumer has done reading the slot before it is written again.
    if (head - tail_.load(std::memory_order_acquire) == capacity_) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    slots_[head % capacity_] = sample;
    head_.store(head + 1, std::memory_order_release);
    return true;
}

std::size_t SampleRing::pop(std::span<Sample> out) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t waiting = head_.load(std::memory_order_acquire) - tail;
    const std::size_t count = std::min<std::size_t>(out.size(), waiting);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = slots_[(tail + i) % capacity_];
    }
    tail_.store(tail + count, std::memory_order_release);
    return count;
}

}  // namespace mmapscope
