// What rows of equal appearance have in common: which byte is which digit of which column, and what every
// other byte must be. Rows of a file have few appearances (the widths of their numbers differ, and that is
// all), so that a scanner looks one up and has nothing to find out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workload/tick_layout.h"
#include "workload/tick_scanner.h"

namespace mmapscope {

struct alignas(64) TickShape {
    static constexpr std::size_t kBlock = 64;
    static constexpr std::size_t kMostRow = 2 * kBlock;  ///< longer rows have no shape
    static constexpr std::size_t kMostWindows = 8;

    /// Which bytes of the row's two blocks aren't digits, or, where a schema has text, aren't plain: the line
    /// feed is always among them. What they are is in `literal`.
    std::array<std::uint64_t, 2> keys{};
    std::uint64_t words = 0;  ///< byte i: 1 when word column i counts
    std::array<std::uint8_t, kMostWindows>
        windows{};            ///< where the bytes of a group's (a cell's) digits begin
    std::uint8_t letter = 0;  ///< where the side is, if it is a single letter; else the line feed
    std::uint8_t length = 0;  ///< with the line feed; 0: no shape

    /// Of each byte, what it must be in the bits of `care`.
    alignas(64) std::array<std::uint8_t, kMostRow> literal{};
    std::array<std::uint8_t, kMostRow> care{};

    /// How the digits are gathered, behind the shape: see TickGathering.
    template <class T>
    [[nodiscard, gnu::always_inline]] const T* gathered() const noexcept {
        const void* const behind = this + 1;
        return static_cast<const T*>(behind);
    }
    [[nodiscard]] bool fits(const char* row) const noexcept;
};

/// What a row's bytes are, before it is put the way one scanner wants it.
struct TickRowPicture {
    static constexpr std::uint8_t kNothing = 255;

    TickShape shape;  ///< without windows
    std::array<std::array<std::uint8_t, TickLayout::kSlots>, TickLayout::kMostCells> from{};
    std::uint64_t prefix = 0;  ///< what the digits of the clock above its cell say
    bool finer = false;        ///< it has no picture because a time has digits below its cell
};

/// The clock's cell begins at 10^`exponent` ns: coarse ones hold eight digits before and behind the second's
/// point, so that what is above them changes every three years; fine ones hold nanoseconds.
inline constexpr unsigned kCoarseClock = 1;
inline constexpr unsigned kFineClock = 0;

/// Bytes that text may hold without their being looked at one by one, and digits: '0' to '~'.
inline constexpr std::uint8_t kMostPlain = '~' - '0';

/// Of a whole row of at most kMostRow bytes, line feed included: TickShape::keys.
[[nodiscard]] std::array<std::uint64_t, 2> keysOf(bool hasText, const char* row, std::size_t length) noexcept;

/// False: the row is wrong, or right but out of the ordinary (signs, long numbers), which the rules tell
/// apart. `length` with the line feed.
[[nodiscard]] bool pictureRow(const TickPlan& plan, const char* row, std::size_t length, unsigned exponent,
                              TickRowPicture& picture);

}  // namespace mmapscope
