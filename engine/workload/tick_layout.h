// A row as cells of sixteen digits: a schema described the way vector scanners work by it.
//
// Each column whose digits count becomes one cell. The digit of the least weight is in its first slot, so
// that cells of many rows can be added slot by slot, and two of them compared as little-endian numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmapscope {

struct TickPlan;

struct TickLayout {
    static constexpr std::size_t kSlots = 16;
    static constexpr std::size_t kMostCells = 16;
    static constexpr std::size_t kMostWords = 8;
    static constexpr std::uint8_t kNoCell = 255;

    /// What eight slots of a cell add to.
    struct Lane {
        std::uint64_t scale = 0;  ///< 0: to nothing
        std::uint8_t slot = 0;
    };
    struct Cell {
        std::uint8_t column = 0;
        bool behindText = false;  ///< text of any length is between it and the cell before
        std::array<Lane, 2> lanes{};
    };

    bool usable = false;  ///< false: too many cells or words, or nothing to convert
    bool hasText = false;
    std::size_t cellCount = 0;
    std::size_t wordCount = 0;  ///< flags and sides
    bool hasSide = false;       ///< one at most: it may be a single letter
    std::uint8_t sideSlot = 0;
    std::uint8_t clockCell = kNoCell;
    std::array<Cell, kMostCells> cells{};
    std::array<std::uint8_t, kMostWords> wordSlots{};
};

[[nodiscard]] TickLayout makeTickLayout(const TickPlan& plan);

}  // namespace mmapscope
