#include "workload/tick_layout.h"

#include <string_view>

#include "workload/tick_digits.h"
#include "workload/tick_scanner.h"

namespace mmapscope {
namespace {

constexpr std::size_t kPiece = 8;
constexpr std::uint8_t kNever = 255;
/// From eight fractional digits to the sums' eighteen.
constexpr std::uint64_t kFractionScale = kPowersOfTen[kFractionDigits - kPiece];

/// The last eight bytes before a field's end, when the field is this word.
std::uint64_t rightAligned(std::string_view word) {
    std::uint64_t value = 0;
    for (const char c : word) {
        value = value >> 8U | static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << 56U;
    }
    return value;
}

class Builder {
  public:
    explicit Builder(const TickPlan& plan) : plan_(plan) {}

    TickLayout build() {
        if (plan_.columns > TickLayout::kMostColumns) {
            return {};
        }
        layout_.usable = true;
        layout_.wholeRange.fill(kNever);
        for (std::size_t i = 0; i < plan_.columns && layout_.usable; ++i) {
            addColumn(static_cast<std::uint8_t>(i));
        }
        layout_.groupCount = lane_ == 0 ? group_ : group_ + 1;
        layout_.usable &= layout_.groupCount > 0;
        return layout_;
    }

  private:
    void addColumn(std::uint8_t column) {
        const TickPlan::Step& step = plan_.steps[column];
        switch (step.kind) {
            case TickKind::integer:
                bound(column, 1, 2 * kPiece, false);
                place(column, 2);
                whole(column, 0, {step.slot, true, 1});
                whole(column, 1, {step.slot, true, kPowersOfTen[kPiece]});
                break;
            case TickKind::decimal:
                bound(column, 1, kPiece, true);
                place(column, 2);
                whole(column, 0, {step.slot, true, 1});
                fraction(column, {static_cast<std::uint8_t>(step.slot + 1), true, kFractionScale});
                break;
            case TickKind::time:
                addTime(column, step);
                break;
            case TickKind::flag:
                addWords(column, step.slot, {"true", "true", "false", "false"});
                break;
            case TickKind::side:
                addWords(column, step.slot, {"b", "buy", "s", "sell"});
                break;
            case TickKind::text:
            case TickKind::skip:
                layout_.hasText = true;
                layout_.mostBehind[column] = kNever;
                break;
        }
    }

    void addTime(std::uint8_t column, const TickPlan::Step& step) {
        const bool fractional = step.unit == TimeUnit::seconds;
        bound(column, 1, 2 * kPiece, fractional);
        place(column, fractional ? 3 : 2);
        if (!layout_.usable) {
            return;
        }
        TickLayout::Time& time = layout_.times[layout_.timeCount++];
        time.group = static_cast<std::uint8_t>(group_);
        time.unit = step.unit;
        time.clock = step.clock;
        time.low = static_cast<std::uint8_t>(lane_);
        whole(column, 0, {});
        time.high = static_cast<std::uint8_t>(lane_);
        whole(column, 1, {});
        if (fractional) {
            time.fraction = static_cast<std::uint8_t>(lane_);
            fraction(column, {});
        }
    }

    void addWords(std::uint8_t column, std::uint8_t slot,
                  std::array<std::string_view, TickLayout::kWords> words) {
        bound(column, 1, kPiece, false);
        place(column, 1);
        if (!layout_.usable) {
            return;
        }
        TickLayout::Group& group = layout_.groups[group_];
        group.wordLanes = static_cast<std::uint8_t>(group.wordLanes | 1U << lane_);
        for (std::size_t i = 0; i < words.size(); ++i) {
            group.words[i][lane_] = rightAligned(words[i]);
        }
        before(column, 0, {slot, true, 1});
    }

    void bound(std::uint8_t column, std::size_t least, std::size_t most, bool pointAllowed) {
        layout_.leastWhole[column] = static_cast<std::uint8_t>(least);
        layout_.wholeRange[column] = static_cast<std::uint8_t>(most - least);
        layout_.mostBehind[column] = pointAllowed ? 1 + kPiece : 0;
    }

    /// Room for a column's pieces in one group.
    void place(std::uint8_t column, std::size_t pieces) {
        if (lane_ + pieces > TickLayout::kLanes) {
            ++group_;
            lane_ = 0;
        }
        if (group_ == TickLayout::kMostGroups) {
            layout_.usable = false;
            group_ = 0;
            lane_ = 0;
            return;
        }
        TickLayout::Group& group = layout_.groups[group_];
        if (lane_ == 0) {
            group.distance.fill(kNever);
            group.firstColumn = column;
        }
        group.lastColumn = column;
    }

    void whole(std::uint8_t column, std::size_t nth, TickLayout::Lane lane) {
        markDigits();
        before(column, nth, lane);
    }
    void fraction(std::uint8_t column, TickLayout::Lane lane) {
        markDigits();
        for (std::size_t byte = 0; byte < kPiece; ++byte) {
            setByte(byte, column, 1 + byte, TickLayout::kMostColumns + column, byte);
        }
        layout_.lanes[group_][lane_++] = lane;
    }
    void before(std::uint8_t column, std::size_t nth, TickLayout::Lane lane) {
        for (std::size_t byte = 0; byte < kPiece; ++byte) {
            const std::size_t back = kPiece * (nth + 1) - byte;
            setByte(byte, column, 256 - back, column, back - 1);
        }
        layout_.lanes[group_][lane_++] = lane;
    }
    void markDigits() {
        TickLayout::Group& group = layout_.groups[group_];
        group.digitLanes = static_cast<std::uint8_t>(group.digitLanes | 1U << lane_);
        group.digitBytes |= std::uint64_t{0xFF} << (kPiece * lane_);
    }
    void setByte(std::size_t byte, std::uint8_t column, std::size_t offset, std::size_t length,
                 std::size_t distance) {
        TickLayout::Group& group = layout_.groups[group_];
        const std::size_t at = lane_ * kPiece + byte;
        group.column[at] = column;
        group.offset[at] = static_cast<std::uint8_t>(offset);
        group.length[at] = static_cast<std::uint8_t>(length);
        group.distance[at] = static_cast<std::uint8_t>(distance);
    }

    const TickPlan& plan_;
    TickLayout layout_;
    std::size_t group_ = 0;
    std::size_t lane_ = 0;
};

}  // namespace

TickLayout makeTickLayout(const TickPlan& plan) {
    return Builder(plan).build();
}

}  // namespace mmapscope
