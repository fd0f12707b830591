// One call of a scanner that goes by shapes: the lines are read in several places at once, since one row's
// end must be known before the next one can begin, and such chains fill the gaps of each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workload/tick_scanner.h"
#include "workload/tick_shape_book.h"

namespace mmapscope {

class TickRun {
  public:
    static constexpr std::size_t kMostLines = 4;

    struct Line {
        const char* p = nullptr;      ///< the next row
        const char* limit = nullptr;  ///< a row that begins before it may be read in blocks
        const char* end = nullptr;
        TickTotals* totals = nullptr;
        bool taken = false;  ///< rows were taken by their shapes
    };

    /// `lines`: how many places are read at once, 1 or kMostLines, when it is worth it.
    TickRun(const TickPlan& plan, TickShapeBook& book, std::size_t lines, const char* begin, const char* end,
            std::uint64_t offset, TickTotals& totals);

    /// How many lines (1 or kMostLines) there are to go on with, from `first`; 0: everything is done.
    [[nodiscard]] std::size_t next();

    [[nodiscard]] TickShapeBook& book() noexcept { return book_; }
    [[nodiscard]] Line& line(std::size_t i) noexcept { return lines_[first_ + i]; }

    /// The row at the line's place isn't known by its shape.
    void missed(std::size_t i);
    /// Rows up to `to` were taken by their shapes.
    void took(std::size_t i, const char* to) noexcept {
        Line& one = line(i);
        one.taken |= one.p != to;
        one.p = to;
    }
    /// The same, but something in them, or in those of another line, was wrong: they are read anew, and as
    /// many more as `patience` says. `literal`: it may be that a shape doesn't hold any longer.
    void again(std::size_t i, const char* to, bool literal, std::uint32_t patience);
    /// Everything is done.
    void finish() noexcept;

  private:
    /// Takes rows by the rules, one and as many more as it takes to be behind empty lines.
    void takeSlowly(Line& line);
    [[nodiscard]] TickTotals& totalsOf(Line& line);

    const TickPlan& plan_;
    TickShapeBook& book_;
    const char* begin_;
    const char* end_;
    std::uint64_t offset_;
    TickTotals& totals_;
    std::array<Line, kMostLines> lines_{};
    std::size_t used_ = 1;
    std::size_t first_ = 0;
};

}  // namespace mmapscope
