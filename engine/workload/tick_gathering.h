// How a scanner gathers the digits of a row: which cells at once, from which bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workload/tick_shape.h"

namespace mmapscope {

struct TickGathering {
    std::size_t cellsPerGroup = 4;  ///< a group is what is gathered and added at once
    std::size_t mostGroups = 4;
    /// By picks, a byte a slot, from windows of bytes each for some cells; 0: by words, two TickLaneWord a
    /// cell.
    std::size_t cellsPerWindow = 4;
    std::size_t windowBytes = 0;
    std::uint8_t nothing = 0;  ///< the pick that gives no digit

    [[nodiscard]] std::size_t bytesPerCell() const noexcept;
};

/// Eight slots as a word: the bytes at `at`, of which `mask` are digits, moved up by a factor (which is
/// faster than by a shift of variable length). The digit of the least weight is the last byte.
struct TickLaneWord {
    std::uint64_t mask = 0;
    std::uint64_t factor = 1;
    std::uint64_t at = 0;
};

/// Which cell is where.
struct TickPlaces {
    std::array<std::uint8_t, 2 * TickLayout::kMostCells> cells{};  ///< index of a cell, or kNoCell
    std::size_t groups = 0;
};

/// The clock's cell is the first. `groups` is above mostGroups when there is no room for all.
[[nodiscard]] TickPlaces placesFor(const TickLayout& layout, const TickGathering& gathering) noexcept;

/// Writes how `cells` cells are gathered to `to` and the shape's windows. False: their digits lie too far
/// apart.
[[nodiscard]] bool arrange(const TickGathering& gathering, const TickPlaces& places, std::size_t cells,
                           const TickRowPicture& picture, TickShape& shape, std::byte* to) noexcept;

}  // namespace mmapscope
