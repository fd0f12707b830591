// From fields a CSV library has split to counts and sums: the rules of `ticks`, for fields that come one by
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "workload/tick_fields.h"
#include "workload/tick_scanner.h"

namespace mmapscope {

class CsvRows {
  public:
    explicit CsvRows(const TickPlan& plan) : plan_(plan) {}
    CsvRows(const CsvRows&) = delete;
    CsvRows& operator=(const CsvRows&) = delete;

    /// Where the next row begins in the file. Exact up to the first row that is rejected, which is the only
    /// one whose place is told; never ahead of it from there on.
    void place(std::uint64_t offset) noexcept { offset_ = offset; }
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    [[nodiscard]] bool inRow() const noexcept { return column_ > 0; }

    /// The row's next field, without the comma or line end behind it. Overwrites *end, and looks at up to
    /// kTickPadding bytes behind it.
    void field(char* begin, char* end) noexcept {
        *end = ',';
        convert(begin, end);
    }
    /// The same for a field with a carriage return as its last byte, which is part of the row's end or a
    /// fault by what follows. Overwrites *end.
    void fieldWithReturn(char* begin, char* end, bool rowEnds) noexcept {
        *end = rowEnds ? '\n' : ',';
        convert(begin, rowEnds ? end - 1 : end);
    }

    /// `length` is of the row without its line feed.
    void endRow(std::size_t length) noexcept {
        if (!fault_ && column_ < plan_.columns) [[unlikely]] {
            note(TickFault::tooFewColumns, column_ - 1);
        }
        if (length > kMaxTickRow) [[unlikely]] {
            totals_.reject({offset_, TickFault::rowTooLong, 0});
        } else if (fault_) [[unlikely]] {
            totals_.reject({offset_, *fault_, faultColumn_});
        } else {
            tickfields::count(plan_, row_, totals_);
        }
        next(length);
    }
    void emptyLine(std::size_t length) noexcept {
        totals_.emptyLine(offset_);
        next(length);
    }
    /// A row nobody splits.
    void rejectTooLong() noexcept { totals_.reject({offset_, TickFault::rowTooLong, 0}); }

    [[nodiscard]] const TickPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] const TickTotals& totals() const noexcept { return totals_; }

  private:
    /// Up to the first fault of a row; the first from the left is what `ticks` tells too.
    void convert(const char* begin, const char* end) noexcept {
        const std::size_t column = column_++;
        if (fault_) [[unlikely]] {
            return;
        }
        if (column == plan_.columns) [[unlikely]] {
            return note(TickFault::tooManyColumns, column - 1);
        }
        const TickPlan::Step step = plan_.steps[column];
        const char* const p = tickfields::readField(begin, step, row_);
        if (p == nullptr) [[unlikely]] {
            note(row_.fault, column);
        } else if (p != end) [[unlikely]] {
            note(tickfields::strayByte(step.kind, p), column);
        }
    }
    void note(TickFault fault, std::size_t column) noexcept {
        fault_ = fault;
        faultColumn_ = static_cast<std::uint8_t>(column);
    }
    void next(std::size_t length) noexcept {
        offset_ += length + 1;
        column_ = 0;
        fault_.reset();
    }

    TickPlan plan_;
    TickTotals totals_;
    tickfields::TickRow row_;
    std::uint64_t offset_ = 0;
    std::size_t column_ = 0;
    std::optional<TickFault> fault_;
    std::uint8_t faultColumn_ = 0;
};

}  // namespace mmapscope
