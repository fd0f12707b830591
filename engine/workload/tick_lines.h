// From spans of any length to whole lines: what makes rows and sums the same for every source and buffer
// size.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/result.h"
#include "core/units.h"
#include "workload/pacer.h"
#include "workload/tick_scanner.h"
#include "workload/tick_shape_book.h"

namespace mmapscope {

/// Feeds a scanner. Lines are scanned where they lie; only one that straddles two spans, and those that end
/// in the last kTickPadding bytes of a span (a scanner reads that far behind a line), are copied first.
class TickLines {
  public:
    /// `begin` is the range's place in the file. A byte-order mark and the header belong to the line at 0.
    TickLines(const TickPlan& plan, bool header, Bytes begin, std::stop_token stop = {});
    /// The same with a scanner of the caller's choice, for holding them against each other.
    TickLines(const TickPlan& plan, bool header, Bytes begin, const TickScanner& scanner,
              std::stop_token stop = {});

    /// Error: cancelled.
    [[nodiscard]] Status consume(std::string_view bytes);
    /// The range is over: a last line without a line feed is a line too.
    void finish() noexcept;

    [[nodiscard]] const TickTotals& totals() const noexcept { return totals_; }

  private:
    /// Each takes [p, end), returns where it stopped.
    [[nodiscard]] const char* completeLine(const char* p, const char* end) noexcept;
    [[nodiscard]] const char* skipRest(const char* p, const char* end) noexcept;
    void keep(const char* p, const char* end) noexcept;

    void scan(const char* begin, const char* end, std::uint64_t offset) noexcept {
        scanner_.scan(plan_, book_.get(), begin, end, offset, totals_);
    }
    void scanKept() noexcept;
    void rejectKept() noexcept;

    TickPlan plan_;
    const TickScanner& scanner_;
    std::unique_ptr<TickShapeBook> book_;
    TickTotals totals_;
    bool header_;
    bool fileStart_;         ///< the line at offset 0 isn't complete yet
    bool skipping_ = false;  ///< inside a row that is too long, already rejected
    std::unique_ptr<char[]> kept_;
    std::size_t keptLength_ = 0;
    std::uint64_t keptOffset_;  ///< of kept_'s first byte; without kept bytes, of the next span
    Pacer pacer_;
};

}  // namespace mmapscope
