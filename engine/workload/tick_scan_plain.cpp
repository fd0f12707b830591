// The rules: what a row is, field by field, eight digits at a time. Rows that have no shape are read so.
#include <cstring>

#include "workload/tick_fields.h"
#include "workload/tick_scanner.h"
#include "workload/tick_shape_book.h"

namespace mmapscope {
namespace {

using namespace tickfields;

const char* rejectLine(const char* line, const char* p, const char* end, TickReject what,
                       TickTotals& totals) {
    const auto* feed = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    if (static_cast<std::size_t>(feed - line) > kMaxTickRow) {
        what.fault = TickFault::rowTooLong;
        what.column = 0;
    }
    totals.reject(what);
    return feed + 1;
}

inline const char* scanLine(const TickPlan& plan, const char* line, const char* end, std::uint64_t offset,
                            TickTotals& totals, TickRow& row) {
    const char* p = line;
    if (*p == '\n' || (*p == '\r' && p[1] == '\n')) [[unlikely]] {
        totals.emptyLine(offset);
        return p + (*p == '\r' ? 2 : 1);
    }
    const std::size_t last = plan.columns - 1;
    for (std::size_t i = 0;; ++i) {
        const auto reject = [&](const char* from, TickFault fault) {
            return rejectLine(line, from, end, {offset, fault, static_cast<std::uint8_t>(i)}, totals);
        };
        const char* const behind = readField(p, plan.steps[i], row);
        if (behind == nullptr) [[unlikely]] {
            return reject(p, row.fault);
        }
        p = behind;
        if (i != last) {
            if (*p != ',') [[unlikely]] {
                return reject(p, endsField(p) ? TickFault::tooFewColumns : strayByte(plan.steps[i].kind, p));
            }
            ++p;
            continue;
        }
        if (*p != '\n') {
            if (*p != '\r' || p[1] != '\n') [[unlikely]] {
                return reject(p, *p == ',' ? TickFault::tooManyColumns : strayByte(plan.steps[i].kind, p));
            }
            ++p;
        }
        break;
    }
    if (static_cast<std::size_t>(p - line) > kMaxTickRow) [[unlikely]] {
        return rejectLine(line, p, end, {offset, TickFault::rowTooLong, 0}, totals);
    }
    count(plan, row, totals);
    return p + 1;
}

void scanPlainly(const TickPlan& plan, TickShapeBook*, const char* begin, const char* end,
                 std::uint64_t offset, TickTotals& totals) {
    TickRow row;
    for (const char* p = begin; p < end;) {
        p = scanLine(plan, p, end, offset + static_cast<std::uint64_t>(p - begin), totals, row);
    }
}

}  // namespace

const TickScanner plainTickScanner{"plain",
                                   "",
                                   [] { return true; },
                                   [](const TickPlan&) { return true; },
                                   [](const TickPlan&) { return std::unique_ptr<TickShapeBook>(); },
                                   scanPlainly};

const char* scanTickLine(const TickPlan& plan, const char* row, const char* end, std::uint64_t offset,
                         TickTotals& totals) {
    TickRow values;
    return scanLine(plan, row, end, offset, totals, values);
}

}  // namespace mmapscope
