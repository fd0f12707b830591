// One field of a row: what it is by its kind, or what is wrong with it. All that reads tick CSV byte by byte
// reads fields by these rules.
//
// A reader is given the field's first byte and stops at the comma or line end behind it; it looks at up to
// kTickPadding bytes behind that.
#pragma once

#include <array>
#include <cstdint>

#include "workload/tick_digits.h"
#include "workload/tick_scanner.h"

namespace mmapscope::tickfields {

/// Values of one row, kept back until the whole row turned out to be right.
struct TickRow {
    std::array<std::int64_t, 2 * kMaxTickColumns> values;
    std::int64_t clock = 0;
    TickFault fault = TickFault::emptyLine;
};

enum class ByteClass : std::uint8_t { plain, delimiter, control };

inline constexpr std::array<ByteClass, 256> kClasses = [] {
    std::array<ByteClass, 256> classes{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) {
        classes[byte] = ByteClass::control;
    }
    classes[0x7F] = ByteClass::control;
    for (const char byte : {'\n', '\r', ',', '"'}) {
        classes[static_cast<unsigned char>(byte)] = ByteClass::delimiter;
    }
    return classes;
}();

inline ByteClass classOf(char byte) {
    return kClasses[static_cast<unsigned char>(byte)];
}

inline bool endsField(const char* p) {
    return *p == ',' || *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/// What is wrong where a field of this kind ought to have begun, gone on or ended.
inline TickFault faultAt(const char* p, TickFault otherwise) {
    if (*p == '"') {
        return TickFault::quotedField;
    }
    if (*p == '\r' && p[1] != '\n') {
        return TickFault::carriageReturn;
    }
    return otherwise;
}

inline TickFault missingDigits(const char* fieldBegin, const char* p, TickFault otherwise) {
    return p == fieldBegin && endsField(p) ? TickFault::emptyField : faultAt(p, otherwise);
}

// Each reader returns the first byte behind its field, or nullptr with row.fault set. They never step over a
// line feed.

inline bool takeSign(const char*& p) {
    if (*p == '-') {
        ++p;
        return true;
    }
    if (*p == '+') {
        ++p;
    }
    return false;
}

inline const char* readWhole(const char* begin, const char* p, std::uint64_t& whole, TickRow& row) {
    const unsigned digits = readDigits(p, whole);
    if (digits == 0) [[unlikely]] {
        row.fault = missingDigits(begin, p, TickFault::notANumber);
        return nullptr;
    }
    if (digits > kMostDigits || whole > INT64_MAX) [[unlikely]] {
        row.fault = TickFault::wholeTooLarge;
        return nullptr;
    }
    return p + digits;
}

inline const char* readInteger(const char* p, std::int64_t* value, TickRow& row) {
    const char* const begin = p;
    const bool negative = takeSign(p);
    std::uint64_t whole = 0;
    p = readWhole(begin, p, whole, row);
    const auto magnitude = static_cast<std::int64_t>(whole);
    *value = negative ? -magnitude : magnitude;
    return p;
}

inline const char* readDecimal(const char* p, std::int64_t* value, TickRow& row) {
    const char* const begin = p;
    const bool negative = takeSign(p);
    std::uint64_t whole = 0;
    p = readWhole(begin, p, whole, row);
    if (p == nullptr) [[unlikely]] {
        return nullptr;
    }
    std::uint64_t fraction = 0;
    if (*p == '.') {
        ++p;
        const unsigned digits = readDigits(p, fraction);
        if (digits == 0) [[unlikely]] {
            row.fault = faultAt(p, TickFault::notANumber);
            return nullptr;
        }
        if (digits > kFractionDigits) [[unlikely]] {
            row.fault = TickFault::fractionTooLong;
            return nullptr;
        }
        fraction *= kPowersOfTen[kFractionDigits - digits];
        p += digits;
    }
    const auto wholePart = static_cast<std::int64_t>(whole);
    const auto fractionPart = static_cast<std::int64_t>(fraction);
    value[0] = negative ? -wholePart : wholePart;
    value[1] = negative ? -fractionPart : fractionPart;
    return p;
}

/// How many digits a unit has down to the nanosecond.
inline unsigned digitsToNanoseconds(TimeUnit unit, std::uint64_t value) {
    switch (unit) {
        case TimeUnit::seconds:
            return 9;
        case TimeUnit::milliseconds:
            return 6;
        case TimeUnit::microseconds:
            return 3;
        case TimeUnit::nanoseconds:
            return 0;
        case TimeUnit::byMagnitude:
            break;
    }
    return value < kPowersOfTen[11] ? 9 : value < kPowersOfTen[14] ? 6 : value < kPowersOfTen[17] ? 3 : 0;
}

inline const char* readTime(const char* p, TickPlan::Step step, TickRow& row) {
    std::uint64_t whole = 0;
    p = readWhole(p, p, whole, row);
    if (p == nullptr) [[unlikely]] {
        if (row.fault == TickFault::wholeTooLarge) {
            row.fault = TickFault::timeTooLarge;
        }
        return nullptr;
    }
    const unsigned finer = digitsToNanoseconds(step.unit, whole);
    std::uint64_t nanoseconds = 0;
    bool over = __builtin_mul_overflow(whole, kPowersOfTen[finer], &nanoseconds);
    if (*p == '.') {
        ++p;
        std::uint64_t fraction = 0;
        const unsigned digits = readDigits(p, fraction);
        if (digits == 0) [[unlikely]] {
            row.fault = faultAt(p, TickFault::notANumber);
            return nullptr;
        }
        if (digits > finer) [[unlikely]] {
            row.fault = TickFault::timeTooFine;
            return nullptr;
        }
        over |= __builtin_add_overflow(nanoseconds, fraction * kPowersOfTen[finer - digits], &nanoseconds);
        p += digits;
    }
    if (over || nanoseconds > INT64_MAX) [[unlikely]] {
        row.fault = TickFault::timeTooLarge;
        return nullptr;
    }
    if (step.clock) {
        row.clock = static_cast<std::int64_t>(nanoseconds);
    }
    return p;
}

/// The next `count` bytes as a word of lower-case letters; no byte but A…Z and a…z becomes a letter by it.
inline std::uint64_t lowerWord(const char* p, unsigned count) {
    const std::uint64_t mask = count == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * count)) - 1;
    return (loadWord(p) | 0x2020202020202020U) & mask;
}

constexpr std::uint64_t wordOf(const char* text) {
    std::uint64_t word = 0;
    for (unsigned i = 0; text[i] != '\0'; ++i) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    }
    return word;
}

inline const char* unreadable(const char* begin, TickFault fault, TickRow& row) {
    const char* p = begin;
    while (classOf(*p) == ByteClass::plain) {
        ++p;
    }
    row.fault = missingDigits(begin, p, fault);
    return nullptr;
}

inline const char* readFlag(const char* p, std::int64_t* value, TickRow& row) {
    const std::uint64_t word = lowerWord(p, 5);
    const bool isTrue = (word & 0xFFFFFFFFU) == wordOf("true");
    const bool isFalse = word == wordOf("false");
    if (!(isTrue || isFalse)) [[unlikely]] {
        return unreadable(p, TickFault::notAFlag, row);
    }
    *value = isTrue ? 1 : 0;
    return p + (isTrue ? 4 : 5);
}

inline const char* readSide(const char* p, std::int64_t* value, TickRow& row) {
    const char* end = p + 1;
    const std::uint64_t letter = lowerWord(p, 1);
    if ((letter == 'b' || letter == 's') && endsField(end)) [[likely]] {
        *value = letter == 'b' ? 1 : 0;
        return end;
    }
    const bool buy = lowerWord(p, 3) == wordOf("buy");
    if (buy || lowerWord(p, 4) == wordOf("sell")) {
        *value = buy ? 1 : 0;
        return p + (buy ? 3 : 4);
    }
    if (lowerWord(p, 7) == wordOf("unknown")) {
        *value = 0;
        return p + 7;
    }
    return unreadable(p, TickFault::notASide, row);
}

inline const char* readText(const char* p, TickRow& row) {
    while (classOf(*p) == ByteClass::plain) {
        ++p;
    }
    if (classOf(*p) == ByteClass::control) [[unlikely]] {
        row.fault = TickFault::controlCharacter;
        return nullptr;
    }
    return p;
}

inline const char* skipField(const char* p) {
    while (classOf(*p) != ByteClass::delimiter) {
        ++p;
    }
    return p;
}

inline const char* readField(const char* p, TickPlan::Step step, TickRow& row) {
    switch (step.kind) {
        case TickKind::integer:
            return readInteger(p, &row.values[step.slot], row);
        case TickKind::decimal:
            return readDecimal(p, &row.values[step.slot], row);
        case TickKind::time:
            return readTime(p, step, row);
        case TickKind::flag:
            return readFlag(p, &row.values[step.slot], row);
        case TickKind::side:
            return readSide(p, &row.values[step.slot], row);
        case TickKind::text:
            return readText(p, row);
        case TickKind::skip:
            return skipField(p);
    }
    return nullptr;
}

/// What a field of this kind is when something else than its end follows it.
inline TickFault strayByte(TickKind kind, const char* p) {
    switch (kind) {
        case TickKind::flag:
            return faultAt(p, TickFault::notAFlag);
        case TickKind::side:
            return faultAt(p, TickFault::notASide);
        default:
            return faultAt(p, TickFault::notANumber);
    }
}

/// A row that turned out to be right.
inline void count(const TickPlan& plan, const TickRow& row, TickTotals& totals) {
    if (totals.emptyLines != 0) [[unlikely]] {
        totals.settleEmptyLines();
    }
    ++totals.rows;
    for (std::size_t i = 0; i < plan.sumCount; ++i) {
        totals.sums[i] += row.values[i];
    }
    if (plan.hasClock) {
        totals.firstTime = row.clock < totals.firstTime ? row.clock : totals.firstTime;
        totals.lastTime = row.clock > totals.lastTime ? row.clock : totals.lastTime;
    }
}

}  // namespace mmapscope::tickfields
