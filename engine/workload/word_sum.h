// The sum of 8-byte little-endian words, in the widest registers this CPU has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mmapscope {

struct WordSum {
    std::string_view name;
    bool (*supported)();
    /// Sum modulo 2^64 of `words` words at `first`, of any alignment. Precondition: supported().
    std::uint64_t (*sum)(const std::byte* first, std::size_t words);
};

/// Portable first, then wider ones; those for another architecture are not in it.
[[nodiscard]] std::span<const WordSum> allWordSums();
/// The widest one this CPU supports.
[[nodiscard]] const WordSum& bestWordSum();

}  // namespace mmapscope
