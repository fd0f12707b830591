#include "workload/tick_gathering.h"

#include <algorithm>
#include <new>

namespace mmapscope {
namespace {

constexpr std::size_t kSlots = TickLayout::kSlots;
constexpr std::size_t kLane = kSlots / 2;

/// Cells in the order of their columns, a new group behind text if wanted; the group with the clock first,
/// and the clock first in it.
TickPlaces placesOf(const TickLayout& layout, std::size_t perGroup, bool splitAtText) {
    TickPlaces places;
    places.cells.fill(TickLayout::kNoCell);
    std::size_t next = 0;
    std::size_t clock = 0;
    for (std::uint8_t cell = 0; cell < layout.cellCount; ++cell) {
        if (splitAtText && layout.cells[cell].behindText) {
            next = (next + perGroup - 1) / perGroup * perGroup;
        }
        if (next == places.cells.size()) {
            return {{}, SIZE_MAX};
        }
        clock = cell == layout.clockCell ? next : clock;
        places.cells[next++] = cell;
    }
    const std::size_t group = clock / perGroup * perGroup;
    for (std::size_t i = 0; i < perGroup; ++i) {
        std::swap(places.cells[i], places.cells[group + i]);
    }
    std::swap(places.cells[0], places.cells[clock % perGroup]);
    places.groups = std::max<std::size_t>(1, (next + perGroup - 1) / perGroup);
    return places;
}

bool arrangePicks(const TickGathering& gathering, const TickPlaces& places, std::size_t cells,
                  const TickRowPicture& picture, TickShape& shape, std::uint8_t* picks) {
    const std::size_t perWindow = gathering.cellsPerWindow;
    std::fill_n(picks, cells * kSlots, gathering.nothing);
    for (std::size_t window = 0; window < cells / perWindow; ++window) {
        std::uint8_t least = TickRowPicture::kNothing;
        std::uint8_t most = 0;
        const auto each = [&](auto&& visit) {
            for (std::size_t place = window * perWindow; place < (window + 1) * perWindow; ++place) {
                const std::uint8_t cell = places.cells[place];
                for (std::size_t slot = 0; cell != TickLayout::kNoCell && slot < kSlots; ++slot) {
                    const std::uint8_t from = picture.from[cell][slot];
                    if (from != TickRowPicture::kNothing) {
                        visit(from, picks[place * kSlots + slot]);
                    }
                }
            }
        };
        each([&](std::uint8_t from, std::uint8_t&) {
            least = std::min(least, from);
            most = std::max(most, from);
        });
        if (least > most) {
            continue;
        }
        // Rows of one block are read once, whatever is picked from them.
        const std::uint8_t begin = most < gathering.windowBytes ? std::uint8_t{0} : least;
        if (static_cast<std::size_t>(most - begin) >= gathering.windowBytes) {
            return false;
        }
        shape.windows[window] = begin;
        each([&](std::uint8_t from, std::uint8_t& pick) { pick = static_cast<std::uint8_t>(from - begin); });
    }
    return true;
}

/// The slots of a lane as one word, if their digits lie one behind the other.
bool laneWord(const std::uint8_t* from, TickLaneWord& word) {
    std::size_t least = kLane;  // slots with a digit
    std::size_t most = 0;
    for (std::size_t slot = 0; slot < kLane; ++slot) {
        if (from[slot] != TickRowPicture::kNothing) {
            least = std::min(least, slot);
            most = slot;
        }
    }
    if (least == kLane) {
        return true;  // nothing but zeros
    }
    const std::size_t count = most - least + 1;
    word.at = from[most];
    for (std::size_t slot = least; slot <= most; ++slot) {
        if (from[slot] != word.at + (most - slot)) {
            return false;
        }
    }
    word.mask = ~std::uint64_t{0} >> (8 * (kLane - count));
    word.factor = std::uint64_t{1} << (8 * (kLane - 1 - most));
    return true;
}

bool arrangeWords(const TickPlaces& places, std::size_t cells, const TickRowPicture& picture, std::byte* to) {
    for (std::size_t place = 0; place < cells; ++place) {
        for (std::size_t lane = 0; lane < 2; ++lane) {
            auto* const word = new (to + (2 * place + lane) * sizeof(TickLaneWord)) TickLaneWord;
            const std::uint8_t cell = places.cells[place];
            if (cell != TickLayout::kNoCell && !laneWord(picture.from[cell].data() + lane * kLane, *word)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

std::size_t TickGathering::bytesPerCell() const noexcept {
    return cellsPerWindow == 0 ? 2 * sizeof(TickLaneWord) : kSlots;
}

TickPlaces placesFor(const TickLayout& layout, const TickGathering& gathering) noexcept {
    const bool windowsAreShared = gathering.cellsPerWindow > 1;
    const TickPlaces split = placesOf(layout, gathering.cellsPerGroup, windowsAreShared);
    return split.groups <= gathering.mostGroups ? split : placesOf(layout, gathering.cellsPerGroup, false);
}

bool arrange(const TickGathering& gathering, const TickPlaces& places, std::size_t cells,
             const TickRowPicture& picture, TickShape& shape, std::byte* to) noexcept {
    if (gathering.cellsPerWindow == 0) {
        return arrangeWords(places, cells, picture, to);
    }
    void* const picks = to;
    return arrangePicks(gathering, places, cells, picture, shape, static_cast<std::uint8_t*>(picks));
}

}  // namespace mmapscope
