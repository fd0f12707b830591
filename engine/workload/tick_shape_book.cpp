#include "workload/tick_shape_book.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/accounting.h"
#include "workload/tick_digits.h"

namespace mmapscope {
namespace {

constexpr std::size_t kSlots = TickLayout::kSlots;
constexpr std::size_t kAlignment = alignof(TickShape);
/// So few rows between two without a shape are hardly any.
constexpr std::uint64_t kFewRows = 16;
constexpr std::uint32_t kMostPatience = 256;
constexpr std::uint32_t kShortBatches = 64;
constexpr std::size_t kFirstBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
/// Rows whose shapes there was no room for.
constexpr std::uint32_t kMostTurnedAway = 2048;
/// Of the shape without a row, which fills empty places.
constexpr auto kNowhere = static_cast<std::uint32_t>(sizeof(TickShapeTable));

std::uint64_t numberOf(std::uint64_t nibbles) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < kSlots; ++i) {
        number = number * 10 + (nibbles >> (60 - 4 * i) & 0xFU);
    }
    return number;
}

}  // namespace

bool TickShapeBook::takes(const TickLayout& layout, const TickGathering& gathering) noexcept {
    return layout.usable && placesFor(layout, gathering).groups <= gathering.mostGroups;
}

TickShapeBook::TickShapeBook(const TickPlan& plan, const TickGathering& gathering)
    : plan_(plan), gathering_(gathering), places_(placesFor(plan.layout, gathering)) {
    const std::size_t picks = groups() * gathering.cellsPerGroup * gathering.bytesPerCell();
    stride_ = sizeof(TickShape) + (picks + kAlignment - 1) / kAlignment * kAlignment;
    countHeap(sizeof *this);
    reserve(kFirstBytes / stride_);
    table_->sides.fill(TickShapeTable::kNoSide);
    table_->sides['B'] = table_->sides['b'] = 1;
    table_->sides['S'] = table_->sides['s'] = table_->sides['\n'] = 0;
    clear();
}

/// Most files have some dozen shapes; others are met early, so that growing is soon over.
void TickShapeBook::reserve(std::size_t capacity) {
    const std::size_t bytes = sizeof(TickShapeTable) + capacity * stride_;
    auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes + kAlignment);
    countHeap(bytes + kAlignment);
    void* start = memory.get();
    std::size_t room = bytes + kAlignment;
    auto* const table = new (std::align(kAlignment, bytes, start, room)) TickShapeTable;
    if (table_ != nullptr) {
        *table = *table_;
        // Places are counted from the table, so they stay what they are.
        void* const to = table + 1;
        std::memcpy(to, placeAt(0), used_ * stride_);
    }
    table_ = table;
    capacity_ = capacity;
    memory_ = std::move(memory);
}

std::byte* TickShapeBook::placeAt(std::size_t index) noexcept {
    void* const base = table_;
    return static_cast<std::byte*>(base) + sizeof(TickShapeTable) + index * stride_;
}

void TickShapeBook::clear() noexcept {
    // What has these keys isn't right: its first byte would have to be a digit and isn't one.
    std::fill_n(placeAt(0), stride_, std::byte{0});
    auto* const none = new (placeAt(0)) TickShape;
    none->keys.fill(~std::uint64_t{0});
    none->literal[0] = '0';
    none->care[0] = 0xFF;
    used_ = 1;
    turnedAway_ = 0;
    table_->buckets.fill(kNowhere);
}

std::uint32_t* TickShapeBook::placeOf(const Keys& keys) noexcept {
    const std::uint64_t hash = TickShapeTable::hash(keys[0], keys[1]);
    for (const std::size_t at : {TickShapeTable::firstBucket(hash), TickShapeTable::secondBucket(hash)}) {
        std::uint32_t& place = table_->buckets[at];
        if (table_->at(place).keys == keys) {
            return &place;
        }
    }
    return nullptr;
}

/// Rows earn what looking for shapes costs, so that a file without recurring ones isn't slowed down by it.
bool TickShapeBook::pay() noexcept {
    const std::uint64_t earned = (allRows_ + tally.rows - paidRows_) / kRowsPerShape;
    paidRows_ += earned * kRowsPerShape;
    credit_ = std::min(credit_ + earned, kMostCredit);
    if (credit_ == 0) {
        return false;
    }
    --credit_;
    return true;
}

bool TickShapeBook::learn(const char* row, std::size_t length) {
    if (placeOf(keysOf(plan_.layout.hasText, row, length)) != nullptr) {
        return true;
    }
    if (used_ == capacity_ && capacity_ * stride_ < kMostBytes) {
        reserve(2 * capacity_);
    }
    if (used_ == capacity_ && ++turnedAway_ == kMostTurnedAway) {
        clear();  // the file's rows aren't what they were
    }
    if (used_ == capacity_ || !pay()) {
        return false;
    }
    TickRowPicture picture;
    bool right = pictureRow(plan_, row, length, exponent_, picture);
    if (picture.finer) {
        settleClock();
        exponent_ = kFineClock;
        clear();
        right = pictureRow(plan_, row, length, exponent_, picture);
    }
    if (!right) {
        return false;
    }
    if (plan_.hasClock && picture.prefix != prefix_) {
        settleClock();
        prefix_ = picture.prefix;
        clear();
        credit_ -= std::min<std::uint64_t>(credit_, 16);
    }
    std::byte* const place = placeAt(used_);
    auto* const shape = new (place) TickShape(picture.shape);
    if (!arrange(gathering_, places_, groups() * gathering_.cellsPerGroup, picture, *shape,
                 place + sizeof(TickShape))) {
        return false;
    }
    remember(shape->keys, static_cast<std::uint32_t>(sizeof(TickShapeTable) + used_ * stride_));
    ++used_;
    return true;
}

/// Where both buckets are taken and none of the two shapes there can go to its other one, one is forgotten,
/// and in time learnt again.
void TickShapeBook::remember(const Keys& keys, std::uint32_t offset) noexcept {
    auto& buckets = table_->buckets;
    const auto bucketsOf = [](const Keys& of) {
        const std::uint64_t hash = TickShapeTable::hash(of[0], of[1]);
        return std::array{TickShapeTable::firstBucket(hash), TickShapeTable::secondBucket(hash)};
    };
    const auto own = bucketsOf(keys);
    for (const std::size_t at : own) {
        if (buckets[at] == kNowhere) {
            buckets[at] = offset;
            return;
        }
    }
    for (const std::size_t at : own) {
        for (const std::size_t other : bucketsOf(table_->at(buckets[at]).keys)) {
            if (buckets[other] == kNowhere) {
                buckets[other] = buckets[at];
                buckets[at] = offset;
                return;
            }
        }
    }
    buckets[own[1]] = offset;
}

void TickShapeBook::forget(const char* row, std::size_t length) {
    TickRowPicture picture;
    if (!pictureRow(plan_, row, length, exponent_, picture)) {
        return;
    }
    std::uint32_t* const place = placeOf(picture.shape.keys);
    if (place != nullptr && !table_->at(*place).fits(row)) {
        *place = kNowhere;  // its memory is taken back with all others'
    }
}

void TickShapeBook::widen() noexcept {
    for (std::size_t lane = 0; lane < 2 * groups() * gathering_.cellsPerGroup; ++lane) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < kSlots / 2; ++i) {
            std::uint16_t& digits = tally.digits[lane * (kSlots / 2) + i];
            sum += digits * kPowersOfTen[i];
            digits = 0;
        }
        tally.lanes[lane] += sum;
    }
    for (std::size_t i = 0; i < plan_.layout.wordCount; ++i) {
        tally.wordCounts[i] += tally.words[i % 2] >> (16 * (i / 2)) & 0xFFFFU;
    }
    tally.words = {};
    tally.batches = 0;
}

void TickShapeBook::settleClock() noexcept {
    const std::uint64_t least = *std::min_element(tally.leastClocks.begin(), tally.leastClocks.end());
    const std::uint64_t most = *std::max_element(tally.mostClocks.begin(), tally.mostClocks.end());
    if (most < least) {
        return;  // no row
    }
    const auto time = [&](std::uint64_t nibbles) {
        return static_cast<std::int64_t>(prefix_ * kPowersOfTen[kSlots + exponent_] +
                                         numberOf(nibbles) * kPowersOfTen[exponent_]);
    };
    tally.firstTime = std::min(tally.firstTime, time(least));
    tally.lastTime = std::max(tally.lastTime, time(most));
    tally.leastClocks.fill(~std::uint64_t{0});
    tally.mostClocks.fill(0);
}

std::uint32_t TickShapeBook::patience() noexcept {
    const std::uint64_t rows = allRows_ + tally.rows;
    patience_ = rows - rowsAtMiss_ < kFewRows ? std::min(2 * patience_, kMostPatience) : 1;
    rowsAtMiss_ = rows;
    return patience_;
}

bool TickShapeBook::narrowed(bool batchIsShort) noexcept {
    shortBatches_ = batchIsShort ? shortBatches_ + 1 : 0;
    if (shortBatches_ < kShortBatches) {
        return false;
    }
    shortBatches_ = 0;
    wide = false;
    clear();  // of a longer row's shape only the beginning would be looked at
    return true;
}

void TickShapeBook::moveTo(TickTotals& totals) noexcept {
    widen();
    totals.rows += tally.rows;
    allRows_ += tally.rows;
    tally.rows = 0;
    for (std::size_t place = 0; place < groups() * gathering_.cellsPerGroup; ++place) {
        const std::uint8_t cell = places_.cells[place];
        for (std::size_t i = 0; i < 2; ++i) {
            std::uint64_t& lane = tally.lanes[2 * place + i];
            if (cell != TickLayout::kNoCell) {
                const TickLayout::Lane& to = plan_.layout.cells[cell].lanes[i];
                totals.sums[to.slot] += static_cast<Int128>(lane) * static_cast<Int128>(to.scale);
            }
            lane = 0;
        }
    }
    for (std::size_t i = 0; i < plan_.layout.wordCount; ++i) {
        totals.sums[plan_.layout.wordSlots[i]] += tally.wordCounts[i];
        tally.wordCounts[i] = 0;
    }
    if (plan_.layout.hasSide) {
        totals.sums[plan_.layout.sideSlot] += tally.sides;
    }
    tally.sides = 0;
    if (plan_.hasClock) {
        settleClock();
        totals.firstTime = std::min(totals.firstTime, tally.firstTime);
        totals.lastTime = std::max(totals.lastTime, tally.lastTime);
    }
    tally.firstTime = INT64_MAX;
    tally.lastTime = INT64_MIN;
    tally.leastClocks.fill(~std::uint64_t{0});
    tally.mostClocks.fill(0);
}

}  // namespace mmapscope
