#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "workload/tick_scanner.h"

namespace mmapscope {
namespace {

constexpr Int128 kOne = 1'000'000'000'000'000'000;  // 10^kFractionDigits

std::string digitsOf(Uint128 value) {
    std::string reversed;
    do {
        reversed += static_cast<char>('0' + static_cast<int>(value % 10));
        value /= 10;
    } while (value != 0);
    return {reversed.rbegin(), reversed.rend()};
}

Uint128 magnitude(Int128 value) {
    return value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
}

std::string_view words(TickFault fault) {
    switch (fault) {
        case TickFault::emptyLine:
            return "empty line between rows";
        case TickFault::rowTooLong:
            return "row longer than 64 KiB";
        case TickFault::tooFewColumns:
            return "too few columns";
        case TickFault::tooManyColumns:
            return "too many columns";
        case TickFault::emptyField:
            return "empty field";
        case TickFault::quotedField:
            return "quoted field";
        case TickFault::carriageReturn:
            return "carriage return inside the row";
        case TickFault::controlCharacter:
            return "control character";
        case TickFault::notANumber:
            return "not a number";
        case TickFault::wholeTooLarge:
            return "does not fit 63 bits before the point";
        case TickFault::fractionTooLong:
            return "more than 18 fractional digits";
        case TickFault::timeTooLarge:
            return "later than the year 2262";
        case TickFault::timeTooFine:
            return "finer than a nanosecond";
        case TickFault::notAFlag:
            return "neither true nor false";
        case TickFault::notASide:
            return "none of B, S, buy, sell, unknown";
    }
    return "";
}

}  // namespace

TickPlan makeTickPlan(const TickSchema& schema) {
    TickPlan plan;
    plan.columns = schema.columns.size();
    for (std::size_t i = 0; i < plan.columns; ++i) {
        const TickColumn& column = schema.columns[i];
        TickPlan::Step& step = plan.steps[i];
        step.kind = column.kind;
        step.unit = column.unit;
        step.clock = column.kind == TickKind::time && !plan.hasClock;
        plan.hasClock |= step.clock;
        step.slot = static_cast<std::uint8_t>(plan.sumCount);
        switch (column.kind) {
            case TickKind::decimal:
                plan.sumCount += 2;
                break;
            case TickKind::integer:
            case TickKind::flag:
            case TickKind::side:
                plan.sumCount += 1;
                break;
            case TickKind::time:
            case TickKind::text:
            case TickKind::skip:
                break;
        }
    }
    plan.layout = makeTickLayout(plan);
    return plan;
}

void TickTotals::reject(const TickReject& what) noexcept {
    settleEmptyLines();
    ++rejected;
    if (what.offset < firstReject.offset) {
        firstReject = what;
    }
}

void TickTotals::emptyLine(std::uint64_t offset) noexcept {
    if (emptyLines++ == 0) {
        firstEmptyLine = offset;
    }
}

void TickTotals::settleEmptyLines() noexcept {
    if (emptyLines == 0) {
        return;
    }
    rejected += emptyLines;
    if (firstEmptyLine < firstReject.offset) {
        firstReject = {firstEmptyLine, TickFault::emptyLine, 0};
    }
    emptyLines = 0;
}

void TickTotals::append(const TickTotals& next) noexcept {
    if (next.rows + next.rejected > 0) {
        settleEmptyLines();
    }
    rows += next.rows;
    rejected += next.rejected;
    if (next.firstReject.offset < firstReject.offset) {
        firstReject = next.firstReject;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += next.sums[i];
    }
    firstTime = std::min(firstTime, next.firstTime);
    lastTime = std::max(lastTime, next.lastTime);
    if (next.emptyLines > 0) {
        firstEmptyLine = emptyLines == 0 ? next.firstEmptyLine : firstEmptyLine;
        emptyLines += next.emptyLines;
    }
}

std::string describeReject(const TickSchema& schema, const TickReject& reject) {
    switch (reject.fault) {
        case TickFault::emptyLine:
        case TickFault::rowTooLong:
            return std::string(words(reject.fault));
        case TickFault::tooFewColumns:
            return fmt::format("{}: the row ends after {} of {}", words(reject.fault), reject.column + 1,
                               schema.columns.size());
        case TickFault::tooManyColumns:
            return fmt::format("{}: the row goes on after {}", words(reject.fault), schema.columns.size());
        default:
            return fmt::format("column {} ({}): {}", reject.column + 1,
                               printable(schema.columns.at(reject.column).name), words(reject.fault));
    }
}

std::string decimalText(Int128 whole, Int128 fraction) {
    whole += fraction / kOne;
    fraction %= kOne;
    if (whole > 0 && fraction < 0) {
        whole -= 1;
        fraction += kOne;
    } else if (whole < 0 && fraction > 0) {
        whole += 1;
        fraction -= kOne;
    }
    std::string text = (whole < 0 || fraction < 0 ? "-" : "") + digitsOf(magnitude(whole));
    if (fraction != 0) {
        const std::string digits = digitsOf(magnitude(fraction));
        text += '.' + std::string(kFractionDigits - digits.size(), '0') + digits;
        text.resize(text.find_last_not_of('0') + 1);
    }
    return text;
}

}  // namespace mmapscope
