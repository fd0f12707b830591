#include "workload/tick_run.h"

#include <algorithm>
#include <cstring>

namespace mmapscope {
namespace {

/// Less than this isn't worth several places.
constexpr std::size_t kWorthMany = 8192;

const char* behindFeed(const char* p, const char* end) {
    const auto* feed = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return feed == nullptr ? end : feed + 1;
}

}  // namespace

TickRun::TickRun(const TickPlan& plan, TickShapeBook& book, std::size_t lines, const char* begin,
                 const char* end, std::uint64_t offset, TickTotals& totals)
    : plan_(plan), book_(book), begin_(begin), end_(end), offset_(offset), totals_(totals) {
    const auto length = static_cast<std::size_t>(end - begin);
    used_ = length < kWorthMany ? 1 : lines;
    const char* from = begin;
    for (std::size_t i = 0; i < used_; ++i) {
        const char* const to =
            i + 1 == used_ ? end : behindFeed(std::max(from, begin + length * (i + 1) / used_), end);
        lines_[i] = {from, to, to};
        from = to;
    }
    lines_[0].totals = &totals;
    if (totals.emptyLines != 0 && begin < end) {
        takeSlowly(lines_[0]);
    }
}

std::size_t TickRun::next() {
    const std::size_t reach = book_.wide ? TickShape::kMostRow : TickShape::kBlock;
    const char* const last = end_ - std::min(reach - kTickPadding, static_cast<std::size_t>(end_ - begin_));
    std::size_t open = 0;
    first_ = used_;
    for (std::size_t i = 0; i < used_; ++i) {
        Line& line = lines_[i];
        line.limit = std::min(line.end, last);
        while (line.p >= line.limit && line.p < line.end) {
            takeSlowly(line);
        }
        if (line.p < line.limit) {
            first_ = std::min(first_, i);
            ++open;
        }
    }
    return open == kMostLines ? kMostLines : std::min<std::size_t>(open, 1);
}

void TickRun::missed(std::size_t i) {
    Line& line = this->line(i);
    const std::size_t most = std::min(TickShape::kMostRow, static_cast<std::size_t>(line.end - line.p));
    const auto* feed = static_cast<const char*>(std::memchr(line.p, '\n', most));
    if (feed != nullptr) {
        const auto length = static_cast<std::size_t>(feed - line.p) + 1;
        if (book_.learn(line.p, length)) {
            // Of a row that fills the block the last byte can't be told from what is left out there.
            book_.wide |= length >= TickShape::kBlock;
            return;
        }
    }
    for (std::uint32_t patience = book_.patience(); patience > 0 && line.p < line.end; --patience) {
        takeSlowly(line);
    }
}

void TickRun::again(std::size_t i, const char* to, bool literal, std::uint32_t patience) {
    Line& line = this->line(i);
    while (line.p < std::min(to, line.end)) {
        const char* const row = line.p;
        const std::uint64_t before = totalsOf(line).rows;
        takeSlowly(line);
        if (literal && totalsOf(line).rows != before) {
            book_.forget(row, static_cast<std::size_t>(line.p - row));
        }
    }
    for (; patience > 0 && line.p < line.end; --patience) {
        takeSlowly(line);
    }
}

TickTotals& TickRun::totalsOf(Line& line) {
    if (line.totals == nullptr) {
        line.totals = &book_.later(static_cast<std::size_t>(&line - lines_.data()) - 1);
    }
    return *line.totals;
}

void TickRun::takeSlowly(Line& line) {
    TickTotals& totals = totalsOf(line);
    do {
        line.p =
            scanTickLine(plan_, line.p, end_, offset_ + static_cast<std::uint64_t>(line.p - begin_), totals);
    } while (totals.emptyLines != 0 && line.p < line.end);
}

void TickRun::finish() noexcept {
    for (std::size_t i = 0; i < used_; ++i) {
        Line& line = lines_[i];
        if (line.taken && i > 0) {
            totals_.settleEmptyLines();
        }
        if (line.totals != nullptr && i > 0) {
            totals_.append(*line.totals);
            *line.totals = {};
        }
    }
    book_.moveTo(totals_);
}

}  // namespace mmapscope
