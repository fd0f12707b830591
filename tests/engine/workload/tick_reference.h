// The slow, plain reading of tick CSV the scanners are held against: split into lines, split into fields,
// look at one character after the other, add in one wide integer. It shares no code with them but the
// schema's description.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/wide.h"
#include "workload/tick_lines.h"
#include "workload/tick_scanner.h"
#include "workload/tick_schema.h"

namespace mmapscope::test {

/// Wider than any sum: what is over in units of 10^-18 goes to the whole part at every addition.
struct Sum {
    Int128 whole = 0;
    Int128 rest = 0;
    void add(Int128 value) {
        constexpr Int128 one = 1'000'000'000'000'000'000;
        whole += value / one;
        rest += value % one;
        whole += rest / one;
        rest %= one;
    }
};

struct Reading {
    std::uint64_t rows = 0;
    std::uint64_t rejected = 0;
    std::uint64_t firstReject = UINT64_MAX;
    std::map<std::string, Sum> sums;
    Int128 firstTime = INT64_MAX;
    Int128 lastTime = INT64_MIN;
};

inline bool allDigits(std::string_view text, std::size_t most) {
    return !text.empty() && text.size() <= most &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

inline Int128 numberOf(std::string_view digits) {
    Int128 value = 0;
    for (const char c : digits) {
        value = value * 10 + (c - '0');
    }
    return value;
}

/// The number in units of 10^-scale, when it is one with at most `decimals` fractional digits.
inline bool readNumber(std::string_view text, std::size_t decimals, std::size_t scale, bool sign,
                       Int128& value) {
    bool negative = false;
    if (sign && !text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    if (!allDigits(whole, 19) || numberOf(whole) > INT64_MAX) {
        return false;
    }
    std::string fraction;
    if (point != std::string_view::npos) {
        fraction = text.substr(point + 1);
        if (!allDigits(fraction, decimals)) {
            return false;
        }
    }
    fraction.resize(scale, '0');
    value = numberOf(std::string(whole) + fraction) * (negative ? -1 : 1);
    return true;
}

inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

inline std::size_t timeDecimals(const TickColumn& column, std::string_view text) {
    switch (column.unit) {
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
    std::string_view whole = text.substr(0, text.find('.'));
    while (whole.size() > 1 && whole[0] == '0') {
        whole.remove_prefix(1);
    }
    return whole.size() <= 11 ? 9 : whole.size() <= 14 ? 6 : whole.size() <= 17 ? 3 : 0;
}

inline bool readField(const TickColumn& column, std::string_view text, Int128& value) {
    constexpr Int128 one = 1'000'000'000'000'000'000;
    const std::string word = lower(text);
    switch (column.kind) {
        case TickKind::integer:
            return text.find('.') == std::string_view::npos && readNumber(text, 0, 18, true, value);
        case TickKind::decimal:
            return readNumber(text, 18, 18, true, value);
        case TickKind::time: {
            const std::size_t decimals = timeDecimals(column, text);
            return readNumber(text, decimals, decimals, false, value) && value <= INT64_MAX;
        }
        case TickKind::flag:
            value = word == "true" ? one : 0;
            return word == "true" || word == "false";
        case TickKind::side:
            value = word == "b" || word == "buy" ? one : 0;
            return word == "b" || word == "s" || word == "buy" || word == "sell" || word == "unknown";
        case TickKind::text:
            return std::all_of(text.begin(), text.end(),
                               [](unsigned char c) { return c >= 0x20 && c != 0x7F && c != '"'; });
        case TickKind::skip:
            return text.find_first_of("\"\r") == std::string_view::npos;
    }
    return false;
}

inline bool readRow(const TickSchema& schema, std::string_view line, Reading& reading) {
    std::map<std::string, Int128> values;
    Int128 clock = -1;
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        const std::size_t comma = line.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == schema.columns.size())) {
            return false;
        }
        Int128 value = 0;
        if (!readField(schema.columns[i], line.substr(0, comma), value)) {
            return false;
        }
        if (schema.columns[i].kind == TickKind::time) {
            clock = clock < 0 ? value : clock;
        } else {
            values[schema.columns[i].name] = value;
        }
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
    ++reading.rows;
    for (const auto& [name, value] : values) {
        reading.sums[name].add(value);
    }
    if (clock >= 0) {
        reading.firstTime = std::min(reading.firstTime, clock);
        reading.lastTime = std::max(reading.lastTime, clock);
    }
    return true;
}

inline Reading readPlainly(const TickSchema& schema, std::string_view text, bool header) {
    Reading reading;
    struct Line {
        std::size_t offset;
        std::string_view text;
    };
    std::vector<Line> lines;
    std::size_t offset = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    while (offset < text.size()) {
        const std::size_t feed = std::min(text.find('\n', offset), text.size());
        lines.push_back({offset, text.substr(offset, feed - offset)});
        offset = feed + 1;
    }
    if (header && !lines.empty()) {
        lines.erase(lines.begin());
    }
    const auto content = [](std::string_view line) {
        return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
    };
    while (!lines.empty() && content(lines.back().text).empty()) {
        lines.pop_back();
    }
    for (const Line& line : lines) {
        const bool fits = line.text.size() <= kMaxTickRow;
        if (!fits || content(line.text).empty() || !readRow(schema, content(line.text), reading)) {
            reading.firstReject = reading.rejected++ == 0 ? line.offset : reading.firstReject;
        }
    }
    return reading;
}

/// What the scanners say when the text comes in spans of `span` bytes.
inline TickTotals scanInSpans(const TickSchema& schema, std::string_view text, bool header, std::size_t span,
                              const TickScanner& scanner) {
    TickLines lines(makeTickPlan(schema), header, Bytes(0), scanner);
    for (std::size_t at = 0; at < text.size(); at += span) {
        (void)lines.consume(text.substr(at, span));
    }
    lines.finish();
    return lines.totals();
}

/// Empty when both agree, else what differs.
inline std::string difference(const TickSchema& schema, const Reading& expected, const TickTotals& got) {
    const auto number = [](Int128 v) { return decimalText(v, 0); };
    const auto differs = [&](std::string_view what, Int128 a, Int128 b) {
        return a == b ? std::string()
                      : std::string(what) + ": expected " + number(a) + ", got " + number(b) + "; ";
    };
    std::string text = differs("rows", expected.rows, got.rows) +
                       differs("rejected", expected.rejected, got.rejected) +
                       differs("first reject", expected.firstReject, got.firstReject.offset) +
                       differs("first time", expected.firstTime, got.firstTime) +
                       differs("last time", expected.lastTime, got.lastTime);
    const TickPlan plan = makeTickPlan(schema);
    for (std::size_t i = 0; i < plan.columns; ++i) {
        const TickKind kind = plan.steps[i].kind;
        if (kind == TickKind::time || kind == TickKind::text || kind == TickKind::skip) {
            continue;
        }
        const std::size_t slot = plan.steps[i].slot;
        const auto it = expected.sums.find(schema.columns[i].name);
        const Sum sum = it == expected.sums.end() ? Sum{} : it->second;
        const std::string want = decimalText(sum.whole, sum.rest);
        const std::string have =
            decimalText(got.sums[slot], kind == TickKind::decimal ? got.sums[slot + 1] : 0);
        text += want == have ? "" : schema.columns[i].name + ": expected " + want + ", got " + have + "; ";
    }
    return text;
}

/// Random values of every shape a column may hold, short and long, mostly ordinary.
class RowMaker {
  public:
    explicit RowMaker(unsigned seed) : random_(seed) {}

    std::string row(const TickSchema& schema) {
        std::string text = field(schema.columns.front());
        for (std::size_t i = 1; i < schema.columns.size(); ++i) {
            text += ',' + field(schema.columns[i]);
        }
        // A row of one empty text would be an empty line.
        return text.empty() ? "x" : text;
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  private:
    std::string digits(std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            text += static_cast<char>('0' + below(10));
        }
        return text;
    }
    /// 1 to 8 digits most of the time; 19 only where they fit 63 bits.
    std::string whole() {
        const std::size_t count = 1 + below(below(8) == 0 ? 19 : 8);
        return count == 19 ? "8" + digits(18) : digits(count);
    }
    std::string sign() { return below(16) == 0 ? "-" : ""; }
    std::string pick(const std::vector<std::string>& words) { return words[below(words.size())]; }
    std::string time(const TickColumn& column) {
        const std::vector<std::string> heads{"17356896", "17356895", "15146100"};
        switch (column.unit == TimeUnit::byMagnitude ? static_cast<TimeUnit>(1 + below(4)) : column.unit) {
            case TimeUnit::seconds:
                return pick(heads) + digits(2) + (below(2) == 0 ? "" : "." + digits(1 + below(9)));
            case TimeUnit::milliseconds:
                return pick(heads) + digits(5) + (below(8) != 0 ? "" : "." + digits(1 + below(6)));
            case TimeUnit::microseconds:
                return pick(heads) + digits(8);
            default:
                return pick(heads) + digits(11);
        }
    }
    std::string field(const TickColumn& column) {
        switch (column.kind) {
            case TickKind::integer:
                return sign() + whole();
            case TickKind::decimal:
                return sign() + whole() +
                       (below(8) == 0 ? "" : "." + digits(1 + below(below(8) == 0 ? 18 : 8)));
            case TickKind::time:
                return time(column);
            case TickKind::flag:
                return pick({"True", "False", "true", "false"});
            case TickKind::side:
                return pick({"B", "S", "B", "S", "buy", "sell", "unknown"});
            case TickKind::text:
            case TickKind::skip:
                return pick({"kraken", "BTC-PERPETUAL", "", "a", "7d9f2c1e-5b7a-4a51-9c33-0d1f6f7e8a90",
                             "\xC3\xA9t\xC3\xA9"});
        }
        return {};
    }

    std::mt19937_64 random_;
};

inline std::string headerOf(const TickSchema& schema) {
    std::string text;
    for (const TickColumn& column : schema.columns) {
        text += (text.empty() ? "" : ",") + column.name;
    }
    return text;
}

}  // namespace mmapscope::test
