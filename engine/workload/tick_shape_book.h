// The shapes a scanner has met, found by the places of a row's delimiters, and what the rows that had one of
// them add up to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "workload/tick_gathering.h"

namespace mmapscope {

/// Sums not yet in a TickTotals. Slots are added up as they are, since the sum of numbers is the sum of their
/// digits' sums, each times its weight.
class TickTally {
  public:
    static constexpr std::size_t kMostSlots = TickLayout::kMostCells * TickLayout::kSlots;
    /// Rows whose digits can be added in bytes: 28 times 9 is 252.
    static constexpr std::size_t kBatch = 28;
    /// Batches that can be added in 16 bits: 256 times 252 is 64,512.
    static constexpr std::uint32_t kMostBatches = 256;

    alignas(64) std::array<std::uint16_t, kMostSlots> digits{};
    std::array<std::uint64_t, 2> words{};  ///< of even and of odd word columns, 16 bits each
    std::uint64_t sides = 0;
    std::uint32_t batches = 0;
    std::uint64_t rows = 0;
    /// Sixteen digits, four bits each; of eight rows' turns.
    alignas(64) std::array<std::uint64_t, 8> leastClocks = filled(~std::uint64_t{0});
    std::array<std::uint64_t, 8> mostClocks{};
    std::array<std::uint64_t, 2 * TickLayout::kMostCells> lanes{};
    std::array<std::uint64_t, TickLayout::kMostWords> wordCounts{};
    std::int64_t firstTime = INT64_MAX;
    std::int64_t lastTime = INT64_MIN;

  private:
    static constexpr std::array<std::uint64_t, 8> filled(std::uint64_t value) {
        std::array<std::uint64_t, 8> all{};
        all.fill(value);
        return all;
    }
};

/// What the loop over rows needs at hand, in one piece of memory: the shapes follow.
struct TickShapeTable {
    static constexpr unsigned kBucketBits = 13;
    /// Of a side's single letter: 1 when it counts, kNoSide when there is no such side. A line feed stands
    /// for no letter.
    static constexpr std::uint32_t kNoSide = 0x10000;

    /// Where shapes are, in bytes from the table.
    alignas(64) std::array<std::uint32_t, std::size_t{1} << kBucketBits> buckets;
    std::array<std::uint32_t, 256> sides;

    [[gnu::always_inline]] static std::uint64_t hash(std::uint64_t first, std::uint64_t second) noexcept {
        return first * 0x9E3779B97F4A7C15U + second * 0xC2B2AE3D27D4EB4FU;
    }
    /// A shape is in its first bucket or, when that is taken, in its second.
    [[gnu::always_inline]] static std::size_t firstBucket(std::uint64_t hash) noexcept {
        return hash >> (64 - kBucketBits);
    }
    [[gnu::always_inline]] static std::size_t secondBucket(std::uint64_t hash) noexcept {
        return hash >> (64 - 2 * kBucketBits) & ((std::size_t{1} << kBucketBits) - 1);
    }
    [[nodiscard, gnu::always_inline]] const TickShape& at(std::uint32_t offset) const noexcept {
        const void* const base = this;
        const void* const shape = static_cast<const std::byte*>(base) + offset;
        return *static_cast<const TickShape*>(shape);
    }
};

class TickShapeBook {
  public:
    TickShapeBook(const TickPlan& plan, const TickGathering& gathering);
    TickShapeBook(const TickShapeBook&) = delete;
    TickShapeBook& operator=(const TickShapeBook&) = delete;

    /// Whether a layout can be gathered so.
    [[nodiscard]] static bool takes(const TickLayout& layout, const TickGathering& gathering) noexcept;

    /// 1 to 4.
    [[nodiscard]] std::size_t groups() const noexcept { return places_.groups; }

    [[nodiscard]] bool hasSide() const noexcept { return plan_.layout.hasSide; }
    [[nodiscard]] const TickShapeTable& table() const noexcept { return *table_; }

    /// Makes the row's shape known. False: it has none, or looking for it isn't worth the time any more.
    bool learn(const char* row, std::size_t length);
    /// The row is right, yet something in it isn't as its shape says: the shape is looked at anew.
    void forget(const char* row, std::size_t length);

    /// Must be called before the sums of more than kMostBatches batches are in `tally`.
    void widen() noexcept;
    /// All that `tally` holds goes to `totals`.
    void moveTo(TickTotals& totals) noexcept;

    /// How many rows to take by the rules when one has no shape: the more, the fewer have one.
    [[nodiscard]] std::uint32_t patience() noexcept;
    /// Takes note of a batch; true: there have been only short rows for so long that `wide` was given up.
    [[nodiscard]] bool narrowed(bool batchIsShort) noexcept;
    /// For what is found behind the place the first of several lines has got to.
    [[nodiscard]] TickTotals& later(std::size_t i) noexcept { return (*later_)[i]; }

    TickTally tally;
    /// Rows longer than a block are about: each is looked at as two.
    bool wide = false;

  private:
    using Keys = std::array<std::uint64_t, 2>;
    static constexpr std::uint64_t kMostCredit = 4096;
    static constexpr std::uint64_t kRowsPerShape = 16;

    [[nodiscard]] std::uint32_t* placeOf(const Keys& keys) noexcept;
    void remember(const Keys& keys, std::uint32_t offset) noexcept;
    void reserve(std::size_t capacity);
    [[nodiscard]] std::byte* placeAt(std::size_t index) noexcept;
    void clear() noexcept;
    void settleClock() noexcept;
    [[nodiscard]] bool pay() noexcept;

    static constexpr std::size_t kLater = 3;

    const TickPlan plan_;
    const TickGathering gathering_;
    const TickPlaces places_;
    std::size_t stride_ = 0;
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;
    std::uint32_t turnedAway_ = 0;
    unsigned exponent_ = kCoarseClock;
    std::uint64_t prefix_ = 0;
    std::uint64_t credit_ = kMostCredit;
    std::uint64_t paidRows_ = 0;
    std::uint64_t allRows_ = 0;
    std::uint64_t rowsAtMiss_ = 0;
    std::uint32_t patience_ = 1;
    std::uint32_t shortBatches_ = 0;
    std::unique_ptr<std::array<TickTotals, kLater>> later_ =
        std::make_unique<std::array<TickTotals, kLater>>();
    std::unique_ptr<std::byte[]> memory_;
    TickShapeTable* table_ = nullptr;
};

}  // namespace mmapscope
