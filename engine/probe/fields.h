// Walking the kernel's text files without allocating: lines, blank-separated fields, numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units.h"

namespace mmapscope {

/// The lines of a text; the last one counts without its newline too.
class Lines {
  public:
    explicit Lines(std::string_view text) noexcept : rest_(text) {}
    [[nodiscard]] std::optional<std::string_view> next() noexcept {
        if (rest_.empty()) {
            return std::nullopt;
        }
        const std::size_t end = rest_.find('\n');
        const std::string_view line = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        return line;
    }

  private:
    std::string_view rest_;
};

/// The blank-separated fields of one line.
class Fields {
  public:
    explicit Fields(std::string_view line) noexcept : rest_(line) {}
    /// Empty at the end.
    [[nodiscard]] std::string_view next() noexcept {
        const std::size_t start = rest_.find_first_not_of(" \t");
        rest_ = start == std::string_view::npos ? std::string_view() : rest_.substr(start);
        return take();
    }
    /// For fields set apart by exactly one space, any of which may be empty.
    [[nodiscard]] std::string_view nextOrEmpty() noexcept {
        if (!rest_.empty()) {
            rest_.remove_prefix(1);
        }
        return take();
    }
    /// What follows, without its leading blanks.
    [[nodiscard]] std::string_view rest() const noexcept {
        const std::size_t start = rest_.find_first_not_of(" \t");
        return start == std::string_view::npos ? std::string_view() : rest_.substr(start);
    }

  private:
    std::string_view take() noexcept {
        const std::size_t end = rest_.find_first_of(" \t");
        const std::string_view field = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end);
        return field;
    }
    std::string_view rest_;
};

/// The whole text as a number, else nullopt (also when it doesn't fit).
[[nodiscard]] inline std::optional<std::uint64_t> parseUnsigned(std::string_view text,
                                                                int base = 10) noexcept {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc() || stop != end || text.empty()) {
        return std::nullopt;
    }
    return value;
}

/// Without blanks and newlines at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t start = text.find_first_not_of(" \t\n");
    if (start == std::string_view::npos) {
        return {};
    }
    return text.substr(start, text.find_last_not_of(" \t\n") - start + 1);
}

/// "   1672 kB" → bytes, as /proc writes sizes; nullopt for anything else.
[[nodiscard]] inline std::optional<Bytes> parseKib(std::string_view text) noexcept {
    Fields fields(trimmed(text));
    const auto value = parseUnsigned(fields.next());
    if (!value || fields.next() != "kB" || *value > (UINT64_MAX >> 10U)) {
        return std::nullopt;
    }
    return Bytes(*value << 10U);
}

}  // namespace mmapscope
