#include "core/text.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/wide.h"

namespace mmapscope {
namespace {

struct Unit {
    std::string_view name;
    unsigned shift;
};
constexpr std::array<Unit, 5> kUnits{{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}};

bool equalIgnoringCase(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

tl::unexpected<Error> badSize(std::string_view text) {
    return fail(
        ErrorKind::usage,
        fmt::format("\"{}\" is not a size: write bytes or KiB, MiB, GiB, TiB, such as 65536, 64KiB or 1.5GiB",
                    printable(text)));
}

struct Character {
    std::size_t length;  ///< bytes
    bool shown;
};

/// What a terminal would obey instead of showing: C0 and C1 controls (U+009B alone begins an escape
/// sequence), separators of lines, and what turns the direction of text around.
bool isObeyed(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/// A byte that isn't part of well-formed UTF-8 stands alone and isn't shown. `text` isn't empty.
Character firstCharacter(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || length > text.size()) {
        return {1, false};
    }
    std::uint32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) != 0x80) {
            return {1, false};
        }
        code = (code << 6U) | (byte & 0x3fU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
        return {1, false};
    }
    return {length, !isObeyed(code)};
}

}  // namespace

Result<Bytes> parseBytes(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::uint64_t whole = 0;
    auto [rest, error] = std::from_chars(text.data(), end, whole);
    if (error != std::errc()) {
        return badSize(text);
    }
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
    if (rest != end && *rest == '.') {
        const char* const digits = ++rest;
        while (rest != end && std::isdigit(static_cast<unsigned char>(*rest)) != 0) {
            if (rest - digits == 6) {
                return badSize(text);
            }
            numerator = numerator * 10 + static_cast<std::uint64_t>(*rest - '0');
            denominator *= 10;
            ++rest;
        }
        if (rest == digits) {
            return badSize(text);
        }
    }
    while (rest != end && *rest == ' ') {
        ++rest;
    }
    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    unsigned shift = 0;
    if (!suffix.empty()) {
        const auto* unit = std::find_if(kUnits.begin(), kUnits.end(),
                                        [&](const Unit& u) { return equalIgnoringCase(u.name, suffix); });
        if (unit == kUnits.end()) {
            return badSize(text);
        }
        shift = unit->shift;
    }
    const auto scaled = static_cast<Uint128>(whole) << shift;
    const auto part = (static_cast<Uint128>(numerator) << shift) / denominator;
    if (shift == 0 && numerator != 0) {
        return badSize(text);
    }
    if (scaled + part > UINT64_MAX) {
        return fail(ErrorKind::usage,
                    fmt::format("\"{}\" is too large: at most 16777215 TiB fit", printable(text)));
    }
    return Bytes(static_cast<std::uint64_t>(scaled + part));
}

std::string formatBytes(Bytes bytes) {
    for (const Unit& unit : kUnits) {
        if (unit.shift == 0) {
            break;
        }
        const double value = std::ldexp(static_cast<double>(bytes.count()), -static_cast<int>(unit.shift));
        if (value >= 1.0) {
            std::string number = fmt::format("{:.1f}", value);
            if (number.ends_with(".0")) {
                number.resize(number.size() - 2);
            }
            return fmt::format("{} {}", number, unit.name);
        }
    }
    return fmt::format("{} B", bytes.count());
}

std::pair<std::string, std::string> formatBytesApart(Bytes a, Bytes b) {
    auto texts = std::pair(formatBytes(a), formatBytes(b));
    if (a != b && texts.first == texts.second) {
        texts = {fmt::format("{} bytes", a.count()), fmt::format("{} bytes", b.count())};
    }
    return texts;
}

std::string formatBytesExact(Bytes bytes) {
    for (const Unit& unit : kUnits) {
        const std::uint64_t size = std::uint64_t{1} << unit.shift;
        if (unit.shift != 0 && bytes.count() >= size && bytes.count() % size == 0) {
            return fmt::format("{}{}", bytes.count() / size, unit.name);
        }
    }
    return fmt::format("{}", bytes.count());
}

std::string formatRate(double bytesPerSecond) {
    const double mibs = bytesPerSecond / (1U << 20U);
    const bool large = mibs >= 1024.0;
    const double value = large ? mibs / 1024.0 : mibs;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, large ? "GiB/s" : "MiB/s");
}

std::string formatDuration(std::chrono::nanoseconds duration) {
    const auto ns = static_cast<double>(duration.count());
    const auto three = [](double value, std::string_view unit) {
        const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
        return fmt::format("{:.{}f} {}", value, decimals, unit);
    };
    if (ns < 0) {
        return "-" + formatDuration(-duration);
    }
    if (ns < 999.5) {
        return fmt::format("{} ns", duration.count());
    }
    if (ns < 999.5e3) {
        return three(ns / 1e3, "µs");
    }
    if (ns < 999.5e6) {
        return three(ns / 1e6, "ms");
    }
    if (ns < 99.5e9) {
        return three(ns / 1e9, "s");
    }
    const auto seconds = static_cast<std::uint64_t>(std::llround(ns / 1e9));
    if (seconds < 3600) {
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

namespace {

/// Longer ones (a path through a thousand folders) hide what a message says of them.
constexpr std::size_t kLongestWord = 400;
constexpr std::size_t kShownOfIt = 160;  ///< at either end

bool beginsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
}

std::string shortened(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t blank = std::min(text.find_first_of(" ,;", at), text.size());
        if (blank - at > kLongestWord) {
            std::size_t first = at + kShownOfIt;
            std::size_t last = blank - kShownOfIt;
            while (!beginsCharacter(text[first])) {
                --first;
            }
            while (!beginsCharacter(text[last])) {
                ++last;
            }
            out.append(text, at, first - at).append("…").append(text, last, blank - last);
        } else {
            out.append(text, at, blank - at);
        }
        if (blank < text.size()) {
            out += text[blank];
        }
        at = blank + 1;
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character next = firstCharacter(text);
        for (const char c : text.substr(0, next.length)) {
            if (next.shown) {
                out += c;
            } else {
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
            }
        }
        text.remove_prefix(next.length);
    }
    return out.size() > kLongestWord ? shortened(out) : out;
}

}  // namespace mmapscope
