// The loop of a scanner that goes by shapes, for the scanners alone. The includer defines TICK_TARGET with
// its instruction set: a function with other target options could not be inlined.
//
// `Isa` names Block (64 bytes of a row), Sums<groups> (what a batch adds up), kGathering, kLines, and has
//   load<whole>(p)          a block; not whole: its last byte is neither a digit nor anything else
//   feeds(block), above<n>(block)    one bit a byte: a line feed; more than n above '0'
//   check(block, n, shape, sums)     notes bytes that aren't as the shape says
//   add(p, block, shape, sums, clock)     gathers the digits, adds them, and stores the first cell at `clock`
//   literalsRight(sums), digitsRight(sums), commit(sums, tally), clocks(cells, rows, tally)
#pragma once

#ifndef TICK_TARGET
#error "define TICK_TARGET: the target attribute of the instruction set"
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "workload/tick_run.h"

#define TICK_INLINE __attribute__((always_inline, TICK_TARGET)) inline

namespace mmapscope {
namespace {

/// To begin and to end costs more than reading some rows by the rules.
constexpr std::ptrdiff_t kFewBytes = 512;
/// How far ahead memory is asked for.
constexpr std::size_t kTickAhead = 2048;

/// Keeps a mask from being joined with others where that takes more moves between kinds of registers.
[[gnu::always_inline]] inline std::uint64_t inRegister(std::uint64_t mask) {
    asm("" : "+r"(mask));
    return mask;
}

/// From bit 0 to the lowest that is set, with it; all of them when none is set.
constexpr std::uint64_t upToLowest(std::uint64_t mask) {
    return mask ^ (mask - 1);
}

template <class Isa, std::size_t Groups, bool Text, bool Wide, std::size_t Lines>
class TickRows {
  public:
    __attribute__((TICK_TARGET)) static void take(TickRun& run) {
        takeLines(run, std::make_index_sequence<Lines>{});
    }

  private:
    using Block = typename Isa::Block;
    using Sums = typename Isa::template Sums<Groups>;
    static constexpr std::size_t kRounds = TickTally::kBatch / Lines;
    static constexpr std::size_t kCell = TickLayout::kSlots;

    /// What a batch adds up beside its digits.
    struct Others {
        std::uint64_t words = 0;
        std::uint64_t sides = 0;
        std::uint64_t lengths = 0;
    };

    TICK_INLINE static std::uint64_t key(const Block& block) {
        return inRegister(Isa::template above < Text ? kMostPlain : 9 > (block));
    }

    /// The line feed being one of the bytes that must be as the shape says, so is the row's length. There are
    /// no shapes of longer rows while the loop isn't wide.
    TICK_INLINE static bool has(const TickShape& shape, std::uint64_t first, std::uint64_t second) {
        return Wide ? ((shape.keys[0] ^ first) | (shape.keys[1] ^ second)) == 0 : shape.keys[0] == first;
    }

    /// Takes the row at `p` and moves it behind; false: its shape isn't known, nothing was done.
    TICK_INLINE static bool takeRow(const TickShapeTable& table, const char*& p, Sums& sums, Others& others,
                                    std::uint8_t* clock, bool hasSide) {
        const Block first = Isa::template load<Wide>(p);
        const std::uint64_t firstFeeds = inRegister(Isa::feeds(first));
        const std::uint64_t firstKey = key(first) & upToLowest(firstFeeds);
        std::size_t length = static_cast<std::size_t>(std::countr_zero(firstFeeds)) + 1;
        Block second;
        std::uint64_t secondKey = 0;
        if constexpr (Wide) {
            second = Isa::template load<true>(p + TickShape::kBlock);
            const std::uint64_t onlyIfNeeded = firstFeeds != 0 ? 0 : ~std::uint64_t{0};
            const std::uint64_t secondFeeds = inRegister(Isa::feeds(second)) & onlyIfNeeded;
            secondKey = key(second) & (upToLowest(secondFeeds) & onlyIfNeeded);
            length += static_cast<std::size_t>(std::countr_zero(secondFeeds)) & onlyIfNeeded;
        }
        const std::uint64_t hash = TickShapeTable::hash(firstKey, secondKey);
        const TickShape* found = &table.at(table.buckets[TickShapeTable::firstBucket(hash)]);
        if (!has(*found, firstKey, secondKey)) [[unlikely]] {
            found = &table.at(table.buckets[TickShapeTable::secondBucket(hash)]);
            if (!has(*found, firstKey, secondKey)) {
                return false;
            }
        }
        const TickShape& shape = *found;
        Isa::template check<0>(first, shape, sums);
        if constexpr (Wide) {
            Isa::template check<1>(second, shape, sums);
            others.lengths |= length;
        }
        Isa::template add<Wide, Text>(p, first, shape, sums, clock);
        others.words += shape.words;
        if (hasSide) {
            others.sides += table.sides[static_cast<std::uint8_t>(p[shape.letter])];
        }
        p += length;
        __builtin_prefetch(p + kTickAhead);
        return true;
    }

    /// How many rows each line can go on for without a look at its limit.
    TICK_INLINE static std::size_t roundsFor(std::ptrdiff_t room) {
        // One more than a row can have: where there is no line feed, which is found out afterwards.
        constexpr std::ptrdiff_t longest = 1 + (Wide ? TickShape::kMostRow : TickShape::kBlock);
        return room <= 0
                   ? 0
                   : std::min<std::size_t>(kRounds, static_cast<std::size_t>((room + longest - 1) / longest));
    }

    template <std::size_t... Is>
    TICK_INLINE static void takeLines(TickRun& run, std::index_sequence<Is...>) {
        TickShapeBook& book = run.book();
        const TickShapeTable& table = book.table();
        const bool hasSide = book.hasSide();
        const char* p[Lines] = {run.line(Is).p...};
        alignas(64) std::array<std::uint8_t, kCell*(TickTally::kBatch + 4)> clocks;
        while (true) {
            const std::size_t rounds = roundsFor(std::min({run.line(Is).limit - p[Is]...}));
            if (rounds == 0) {
                return;
            }
            Sums sums;
            Isa::clear(sums);
            Others others;
            std::uint8_t* clock = clocks.data();
            std::uint8_t* const full = clock + kCell * Lines * rounds;
            std::size_t missed = Lines;
            do {
                const bool all = ((takeRow(table, p[Is], sums, others, clock + kCell * Is, hasSide) ||
                                   (missed = Is, false)) &&
                                  ...);
                if (!all) [[unlikely]] {
                    break;
                }
                clock += kCell * Lines;
            } while (clock != full);
            const std::size_t rows =
                static_cast<std::size_t>(clock - clocks.data()) / kCell + (missed == Lines ? 0 : missed);
            if (rows != 0) {
                const bool literals = Isa::literalsRight(sums);
                bool right = literals & (others.sides < TickShapeTable::kNoSide);
                if constexpr (Text) {
                    right &= Isa::digitsRight(sums);
                }
                if (right) [[likely]] {
                    commit(book, sums, others, clocks.data(), rows);
                    (run.took(Is, p[Is]), ...);
                } else {
                    const std::uint32_t patience = (book.patience() - 1) / Lines;
                    (run.again(Is, p[Is], !literals, patience), ...);
                    ((p[Is] = run.line(Is).p), ...);
                }
            }
            if (missed != Lines) [[unlikely]] {
                run.missed(missed);
                return;
            }
            if constexpr (Wide) {
                // Rows of one block again: back to the loop for those.
                if (book.narrowed(others.lengths < TickShape::kBlock)) {
                    return;
                }
            }
        }
    }

    TICK_INLINE static void commit(TickShapeBook& book, const Sums& sums, const Others& others,
                                   std::uint8_t* clocks, std::size_t rows) {
        TickTally& tally = book.tally;
        if (tally.batches == TickTally::kMostBatches) [[unlikely]] {
            book.widen();
        }
        ++tally.batches;
        tally.rows += rows;
        constexpr std::uint64_t even = 0x00FF00FF00FF00FFU;
        tally.words[0] += others.words & even;
        tally.words[1] += others.words >> 8U & even;
        tally.sides += others.sides;
        Isa::commit(sums, tally);
        Isa::clocks(clocks, rows, tally);
    }
};

/// The loop for a plan, chosen anew whenever something out of the ordinary was met.
template <class Isa, std::size_t Groups, bool Text, bool Wide>
void takeTickLines(TickRun& run, std::size_t lines) {
    if (lines == 1) {
        TickRows<Isa, Groups, Text, Wide, 1>::take(run);
    } else {
        TickRows<Isa, Groups, Text, Wide, Isa::kLines>::take(run);
    }
}

template <class Isa, std::size_t Groups, bool Text>
void takeTickRows(TickRun& run) {
    while (const std::size_t lines = run.next()) {
        if (run.book().wide) {
            takeTickLines<Isa, Groups, Text, true>(run, lines);
        } else {
            takeTickLines<Isa, Groups, Text, false>(run, lines);
        }
    }
    run.finish();
}

template <class Isa, std::size_t Groups>
void takeTickGroups(TickRun& run, bool text) {
    if (text) {
        takeTickRows<Isa, Groups, true>(run);
    } else {
        takeTickRows<Isa, Groups, false>(run);
    }
}

template <class Isa>
void scanByShapes(const TickPlan& plan, TickShapeBook* book, const char* begin, const char* end,
                  std::uint64_t offset, TickTotals& totals) {
    if (end - begin < kFewBytes) {
        return plainTickScanner.scan(plan, nullptr, begin, end, offset, totals);
    }
    TickRun run(plan, *book, Isa::kLines, begin, end, offset, totals);
    switch (book->groups()) {
        case 1:
            return takeTickGroups<Isa, 1>(run, plan.layout.hasText);
        case 2:
            return takeTickGroups<Isa, 2>(run, plan.layout.hasText);
        case 3:
            return takeTickGroups<Isa, 3>(run, plan.layout.hasText);
        default:
            return takeTickGroups<Isa, 4>(run, plan.layout.hasText);
    }
}

}  // namespace
}  // namespace mmapscope
