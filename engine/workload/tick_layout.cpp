#include "workload/tick_layout.h"

#include "workload/tick_digits.h"
#include "workload/tick_scanner.h"

namespace mmapscope {
namespace {

constexpr std::size_t kLane = TickLayout::kSlots / 2;
/// From eight fractional digits to the sums' eighteen.
constexpr std::uint64_t kFractionScale = kPowersOfTen[kFractionDigits - kLane];

class Builder {
  public:
    explicit Builder(const TickPlan& plan) : plan_(plan) {
        for (std::size_t i = 0; i < plan.columns; ++i) {
            const TickKind kind = plan.steps[i].kind;
            layout_.hasText |= kind == TickKind::text || kind == TickKind::skip;
        }
    }

    TickLayout build() {
        layout_.usable = true;
        for (std::size_t i = 0; i < plan_.columns && layout_.usable; ++i) {
            addColumn(static_cast<std::uint8_t>(i));
        }
        layout_.usable &= layout_.cellCount + layout_.wordCount > 0;
        return layout_;
    }

  private:
    void addColumn(std::uint8_t column) {
        const TickPlan::Step& step = plan_.steps[column];
        switch (step.kind) {
            case TickKind::integer:
                addCell(column, {{{1, step.slot}, {kPowersOfTen[kLane], step.slot}}});
                break;
            case TickKind::decimal: {
                const auto fraction = static_cast<std::uint8_t>(step.slot + 1);
                addCell(column, {{{kFractionScale, fraction}, {1, step.slot}}});
                break;
            }
            case TickKind::time:
                // Not summed. Without text the places of a row's other bytes say that these are digits.
                if (step.clock) {
                    layout_.clockCell = static_cast<std::uint8_t>(layout_.cellCount);
                }
                if (step.clock || layout_.hasText) {
                    addCell(column, {});
                }
                break;
            case TickKind::side:
                addSide(step.slot);
                break;
            case TickKind::flag:
                addWord(step.slot);
                break;
            case TickKind::text:
            case TickKind::skip:
                behindText_ = true;
                break;
        }
    }

    void addCell(std::uint8_t column, std::array<TickLayout::Lane, 2> lanes) {
        if (layout_.cellCount == TickLayout::kMostCells) {
            layout_.usable = false;
            return;
        }
        layout_.cells[layout_.cellCount++] = {column, behindText_, lanes};
        behindText_ = false;
    }

    void addSide(std::uint8_t slot) {
        layout_.usable &= !layout_.hasSide;
        layout_.hasSide = true;
        layout_.sideSlot = slot;
        addWord(slot);
    }

    void addWord(std::uint8_t slot) {
        if (layout_.wordCount == TickLayout::kMostWords) {
            layout_.usable = false;
            return;
        }
        layout_.wordSlots[layout_.wordCount++] = slot;
    }

    const TickPlan& plan_;
    TickLayout layout_;
    bool behindText_ = false;
};

}  // namespace

TickLayout makeTickLayout(const TickPlan& plan) {
    return Builder(plan).build();
}

}  // namespace mmapscope
