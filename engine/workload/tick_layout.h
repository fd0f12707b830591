// A row as pieces of eight bytes: a schema described the way vector scanners work by it.
//
// Each column that is converted becomes one to three pieces: eight digits (or letters) before its anchor, the
// eight before those, the eight digits behind it. The anchor is the decimal point, or the end of a field
// without one. Eight pieces make a group, which is converted at once; rows that don't fit the pieces (longer
// numbers, signs, rare words) are left to the portable scanner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workload/tick_schema.h"

namespace mmapscope {

struct TickPlan;

struct TickLayout {
    static constexpr std::size_t kMostColumns = 16;
    static constexpr std::size_t kMostGroups = 4;
    static constexpr std::size_t kLanes = 8;
    static constexpr std::size_t kNoLane = 255;
    static constexpr std::size_t kWords = 4;

    using PerByte = std::array<std::uint8_t, 64>;
    using PerColumn = std::array<std::uint8_t, kMostColumns>;

    struct Group {
        alignas(64) PerByte column{};    ///< whose anchor a byte is counted from
        alignas(64) PerByte offset{};    ///< from there, modulo 256
        alignas(64) PerByte length{};    ///< which length bounds it: column, or 16 + column for the fraction
        alignas(64) PerByte distance{};  ///< a byte belongs to the field when this is less than that length
        /// Words as they lie in a lane, lower case: the first two count as one, the others as nothing.
        alignas(64) std::array<std::array<std::uint64_t, kLanes>, kWords> words{};
        std::uint64_t digitBytes = 0;  ///< the bytes of digitLanes
        std::uint8_t digitLanes = 0;
        std::uint8_t wordLanes = 0;
        std::uint8_t firstColumn = 0;
        std::uint8_t lastColumn = 0;
    };
    /// What one lane's total adds to.
    struct Lane {
        std::uint8_t slot = 0;
        bool summed = false;
        std::uint64_t scale = 1;
    };
    struct Time {
        std::uint8_t group = 0;
        std::uint8_t low = 0, high = 0;   ///< lanes of the whole number's digits
        std::uint8_t fraction = kNoLane;  ///< lane of the eight digits behind the point
        TimeUnit unit = TimeUnit::byMagnitude;
        bool clock = false;
    };

    bool usable = false;  ///< false: too many columns or pieces, or nothing to convert
    bool hasText = false;
    std::size_t groupCount = 0;
    std::size_t timeCount = 0;
    std::array<Group, kMostGroups> groups{};
    std::array<std::array<Lane, kLanes>, kMostGroups> lanes{};
    std::array<Time, kMostColumns> times{};
    /// Bounds of a field's length before the anchor: at least leastWhole, at most wholeRange more; and of
    /// what is from the anchor to the field's end (0, or the point and up to eight digits).
    alignas(16) PerColumn leastWhole{};
    alignas(16) PerColumn wholeRange{};
    alignas(16) PerColumn mostBehind{};
};

[[nodiscard]] TickLayout makeTickLayout(const TickPlan& plan);

}  // namespace mmapscope
