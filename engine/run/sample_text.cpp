#include "run/sample_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "core/text.h"
#include "run/record_json.h"

namespace mmapscope {
namespace {

constexpr std::uint64_t kMaxValue = std::numeric_limits<std::int64_t>::max();
/// Deeper text is refused when it is parsed; here it is only kept from growing a stack.
constexpr std::size_t kDeepest = 64;

bool isSpace(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// A place in text that may end anywhere.
class Cursor {
  public:
    explicit Cursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : text_[at_]; }
    void step() { ++at_; }
    void moveTo(std::size_t at) { at_ = at; }
    void skipSpace() {
        while (!atEnd() && isSpace(text_[at_])) {
            ++at_;
        }
    }
    bool take(char c) {
        skipSpace();
        if (peek() != c) {
            return false;
        }
        ++at_;
        return true;
    }
    /// The string that begins here, raw and without its quotes. nullopt: it doesn't end.
    std::optional<std::string_view> string() {
        const std::size_t from = ++at_;
        while (at_ < text_.size()) {
            const void* quote = std::memchr(text_.data() + at_, '"', text_.size() - at_);
            if (quote == nullptr) {
                break;
            }
            at_ = static_cast<std::size_t>(static_cast<const char*>(quote) - text_.data());
            std::size_t slashes = 0;
            while (at_ > from + slashes && text_[at_ - slashes - 1] == '\\') {
                ++slashes;
            }
            ++at_;
            if (slashes % 2 == 0) {
                return text_.substr(from, at_ - 1 - from);
            }
        }
        at_ = text_.size();
        return std::nullopt;
    }
    /// Past a value of any kind, as far as brackets and strings tell.
    void skipValue() {
        std::size_t depth = 0;
        do {
            skipSpace();
            const char c = peek();
            if (c == '"') {
                (void)string();
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) {
                    return;
                }
                --depth;
                ++at_;
            } else if ((c == ',' || c == ':') && depth == 0) {
                return;
            } else if (!atEnd()) {
                ++at_;
            }
        } while (!atEnd() && (depth > 0 || (peek() != ',' && peek() != '}' && peek() != ']')));
    }
    [[nodiscard]] std::string_view token() const {
        std::size_t end = at_;
        while (end < text_.size() && text_[end] != ',' && text_[end] != ']' && text_[end] != '}' &&
               !isSpace(text_[end])) {
            ++end;
        }
        return text_.substr(at_, end - at_);
    }

  private:
    std::string_view text_;
    std::size_t at_;
};

/// Whole numbers, also written as 1e9 where that is exact.
std::optional<std::int64_t> wholeNumber(std::string_view token) {
    std::int64_t value = 0;
    const char* const end = token.data() + token.size();
    const auto [rest, error] = std::from_chars(token.data(), end, value);
    if (error == std::errc() && rest == end) {
        return value;
    }
    double number = 0;
    const auto parsed = std::from_chars(token.data(), end, number);
    constexpr double kExact = 9007199254740992.0;  // 2⁵³
    if (parsed.ec != std::errc() || parsed.ptr != end || !(number >= -kExact && number <= kExact) ||
        number != static_cast<double>(static_cast<std::int64_t>(number)) ||
        token.find_first_not_of("+-.0123456789eE") != std::string_view::npos) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
}

class SamplesReader {
  public:
    SamplesReader(Cursor& cursor, std::string place, const std::function<void(std::size_t)>& consumed)
        : cursor_(cursor), place_(std::move(place)), consumed_(consumed) {}

    /// nullopt: what is there is no JSON, whoever parses it will say where.
    Result<std::optional<SampleSeries>> read() {
        cursor_.step();  // {
        bool first = true;
        while (!cursor_.take('}')) {
            if (!(first || cursor_.take(','))) {
                return std::nullopt;
            }
            first = false;
            cursor_.skipSpace();
            const auto key = cursor_.peek() == '"' ? cursor_.string() : std::nullopt;
            if (!key || !cursor_.take(':')) {
                return std::nullopt;
            }
            cursor_.skipSpace();
            if (const Result<bool> whole = member(*key); !whole || !*whole) {
                return whole.map([](bool) { return std::optional<SampleSeries>(); });
            }
        }
        return together();
    }

  private:
    /// false: no JSON.
    Result<bool> member(std::string_view key) {
        const std::size_t column = indexOf(key);
        if (column == SampleSeries::kColumns || cursor_.token() == "null") {
            cursor_.skipValue();
            return !cursor_.atEnd();
        }
        if (cursor_.peek() != '[') {
            return wrong(key, "is not an array");
        }
        columns_[column] = {};
        return values(key, columns_[column], column > 0);
    }

    Result<bool> values(std::string_view key, SampleValues& out, bool nullable) {
        cursor_.step();  // [
        if (cursor_.take(']')) {
            return true;
        }
        std::int64_t sum = 0;
        do {
            cursor_.skipSpace();
            const std::string_view token = cursor_.token();
            if (token == "null" && nullable) {
                out.append(kNotAvailable);
            } else {
                const auto number = wholeNumber(token);
                const bool digits = token.find_first_not_of("-0123456789") == std::string_view::npos;
                if (!number && !(digits && token.size() > 18)) {
                    return wrong(key, fmt::format("[{}] is not a whole number", out.size()));
                }
                if (!number || __builtin_add_overflow(sum, *number, &sum) || sum < 0) {
                    return wrong(key, fmt::format("[{}] adds up out of range", out.size()));
                }
                out.append(static_cast<std::uint64_t>(sum));
            }
            if (out.size() >= std::numeric_limits<std::uint32_t>::max()) {
                return wrong(key, "is too long");
            }
            cursor_.moveTo(cursor_.at() + token.size());
        } while (cursor_.take(','));
        if (consumed_) {
            consumed_(cursor_.at());
        }
        return cursor_.take(']');
    }

    Result<std::optional<SampleSeries>> together() {
        const std::size_t rows = columns_[0].size();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (c > 0 && columns_[c].size() != rows && columns_[c].size() > 0) {
                return tl::unexpected(
                    wrong(sampleColumns()[c - 1].name, "differs in length from t_ns").error());
            }
            while (columns_[c].size() < rows) {
                columns_[c].append(kNotAvailable);
            }
            columns_[c].shrink();
        }
        return std::optional<SampleSeries>(std::in_place, std::move(columns_));
    }

    [[nodiscard]] static std::size_t indexOf(std::string_view key) {
        if (key == "t_ns") {
            return 0;
        }
        const auto columns = sampleColumns();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].name == key) {
                return c + 1;
            }
        }
        return SampleSeries::kColumns;
    }

    Result<bool> wrong(std::string_view key, const std::string& what) const {
        return fail(ErrorKind::input,
                    fmt::format("{}.{}{}{}", place_, printable(key), what.starts_with('[') ? "" : " ", what));
    }

    Cursor& cursor_;
    std::string place_;
    const std::function<void(std::size_t)>& consumed_;
    SampleSeries::Columns columns_;
};

/// Walks over JSON text and stops at each `sampling.samples`.
class Walker {
  public:
    explicit Walker(std::string_view text) : cursor_(text) {}

    [[nodiscard]] Cursor& cursor() { return cursor_; }
    /// nullopt: of a record that is in no array.
    [[nodiscard]] std::optional<std::size_t> run() const { return run_; }
    [[nodiscard]] std::string place() const {
        std::string place;
        for (const Level& level : levels_) {
            place += level.object ? fmt::format("{}{}", place.empty() ? "" : ".", printable(level.key))
                                  : fmt::format("[{}]", level.index);
        }
        return place;
    }

    /// Whether the cursor stands before the value of one now; false: the text is at its end.
    bool next() {
        while (!cursor_.atEnd()) {
            cursor_.skipSpace();
            switch (cursor_.peek()) {
                case '"':
                    if (const auto text = cursor_.string(); text && isKey()) {
                        levels_.back().key = *text;
                        levels_.back().isRuns = *text == "runs";
                    }
                    break;
                case ':':
                    cursor_.step();
                    cursor_.skipSpace();
                    if (isSamples()) {
                        return true;
                    }
                    valueBegan();
                    break;
                case '{':
                case '[':
                    if (levels_.size() >= kDeepest) {
                        cursor_.moveTo(static_cast<std::size_t>(-1));
                        return false;
                    }
                    levels_.push_back({cursor_.peek() == '{', true, {}, 0});
                    cursor_.step();
                    break;
                case '}':
                case ']':
                    if (!levels_.empty()) {
                        levels_.pop_back();
                    }
                    cursor_.step();
                    break;
                case ',':
                    if (!levels_.empty()) {
                        levels_.back().expectsKey = true;
                        ++levels_.back().index;
                    }
                    cursor_.step();
                    break;
                default:
                    if (!cursor_.atEnd()) {
                        cursor_.step();
                    }
            }
        }
        return false;
    }

    void valueBegan() {
        if (!levels_.empty()) {
            levels_.back().expectsKey = false;
        }
    }

  private:
    struct Level {
        bool object;
        bool expectsKey;
        std::string_view key;
        std::size_t index;
        bool isRuns = false;  ///< the key's text may be given back before its value ends
    };

    [[nodiscard]] bool isKey() const {
        return !levels_.empty() && levels_.back().object && levels_.back().expectsKey;
    }

    bool isSamples() {
        const std::size_t depth = levels_.size();
        // A record by itself, or one in the `runs` of a study. Elsewhere the same names may mean anything.
        const bool alone = depth == 2;
        const bool inStudy = depth == 4 && levels_[0].object && levels_[0].isRuns && !levels_[1].object;
        if (!(alone || inStudy) || cursor_.peek() != '{' || !isKeyOf(depth - 1, "samples") ||
            !isKeyOf(depth - 2, "sampling") || !levels_.back().expectsKey) {
            return false;
        }
        run_ = inStudy ? std::optional(levels_[1].index) : std::nullopt;
        return true;
    }

    [[nodiscard]] bool isKeyOf(std::size_t level, std::string_view key) const {
        return levels_[level].object && levels_[level].key == key;
    }

    Cursor cursor_;
    std::vector<Level> levels_;
    std::optional<std::size_t> run_;
};

void appendColumn(std::string& out, const SampleValues& values, bool nullable) {
    std::uint32_t hint = 0;
    bool known = !nullable;
    for (std::size_t row = 0; row < values.size() && !known; ++row) {
        known = values.at(row, hint) <= kMaxValue;
    }
    if (!known && values.size() > 0) {
        out += "null";
        return;
    }
    out += '[';
    hint = 0;
    std::int64_t last = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
        out += row == 0 ? "" : ",";
        const std::uint64_t value = values.at(row, hint);
        if (value > kMaxValue) {  // kNotAvailable; nothing real is larger than 63 bits
            out += "null";
        } else {
            char digits[24];
            const auto end =
                std::to_chars(std::begin(digits), std::end(digits), static_cast<std::int64_t>(value) - last);
            out.append(digits, end.ptr);
            last = static_cast<std::int64_t>(value);
        }
    }
    out += ']';
}

}  // namespace

Result<CutText> cutSamples(std::string_view text, const std::function<void(std::size_t)>& consumed) {
    CutText cut;
    Walker walker(text);
    std::size_t copied = 0;
    while (walker.next()) {
        Cursor& cursor = walker.cursor();
        cut.rest.append(text.substr(copied, cursor.at() - copied));
        copied = cursor.at();
        auto samples = SamplesReader(cursor, walker.place(), consumed).read();
        if (!samples) {
            return tl::unexpected(samples.error());
        }
        if (!*samples) {
            break;  // the rest is left as it is
        }
        cut.rest += "null";
        copied = cursor.at();
        cut.found.push_back({walker.run(), std::move(**samples)});
        walker.valueBegan();
    }
    cut.rest.append(text.substr(copied));
    return cut;
}

std::string putSamples(std::string_view rest, std::span<const SampleSeries* const> series) {
    std::string out;
    Walker walker(rest);
    std::size_t copied = 0;
    for (const SampleSeries* const one : series) {
        if (!walker.next()) {
            break;
        }
        out.append(rest.substr(copied, walker.cursor().at() - copied));
        walker.cursor().skipValue();
        walker.valueBegan();
        copied = walker.cursor().at();
        out += "{\"t_ns\":";
        appendColumn(out, one->columns()[0], false);
        const auto columns = sampleColumns();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            fmt::format_to(std::back_inserter(out), ",\"{}\":", columns[c].name);
            appendColumn(out, one->columns()[c + 1], true);
        }
        out += '}';
    }
    out.append(rest.substr(copied));
    return out;
}

}  // namespace mmapscope
