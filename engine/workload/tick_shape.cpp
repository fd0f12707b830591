#include "workload/tick_shape.h"

#include <algorithm>

#include "workload/tick_fields.h"

namespace mmapscope {
namespace {

constexpr std::uint8_t kWhole = 0xFF;
constexpr std::uint8_t kAnyCase = 0xDF;
constexpr unsigned kSlots = TickLayout::kSlots;
constexpr unsigned kLane = kSlots / 2;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isPlain(char c) {
    return static_cast<std::uint8_t>(c - '0') <= kMostPlain;
}

/// Digits [begin, point) and behind the point [point + 1, end); without one point is end.
struct Digits {
    const char* begin;
    const char* point;
    const char* end;

    [[nodiscard]] unsigned whole() const { return static_cast<unsigned>(point - begin); }
    [[nodiscard]] unsigned fraction() const {
        return point == end ? 0 : static_cast<unsigned>(end - point) - 1;
    }
};

class Picture {
  public:
    Picture(const TickPlan& plan, const char* row, std::size_t length, unsigned exponent,
            TickRowPicture& picture)
        : plan_(plan), row_(row), end_(row + length - 1), exponent_(exponent), out_(picture) {
        if (end_ > row_ && end_[-1] == '\r') {
            --end_;
        }
        for (auto& cell : out_.from) {
            cell.fill(TickRowPicture::kNothing);
        }
        out_.shape.letter = static_cast<std::uint8_t>(length - 1);
        out_.shape.length = static_cast<std::uint8_t>(length);
        for (const char* p = end_; p < row + length; ++p) {
            mustBe(p, kWhole);
        }
        out_.shape.keys = keysOf(plan.layout.hasText, row, length);
    }

    bool take() {
        const char* p = row_;
        for (std::size_t i = 0;; ++i) {
            const char* const end = std::find(p, end_, ',');
            if (!takeField(static_cast<std::uint8_t>(i), p, end)) {
                return false;
            }
            if (i + 1 == plan_.columns) {
                return end == end_;
            }
            if (end == end_) {
                return false;
            }
            mustBe(end, kWhole);
            p = end + 1;
        }
    }

  private:
    [[nodiscard]] std::size_t at(const char* p) const { return static_cast<std::size_t>(p - row_); }
    void mustBe(const char* p, std::uint8_t care) {
        out_.shape.literal[at(p)] = static_cast<std::uint8_t>(*p);
        out_.shape.care[at(p)] = care;
    }
    void pick(std::uint8_t cell, unsigned slot, const char* p) {
        out_.from[cell][slot] = static_cast<std::uint8_t>(at(p));
    }

    bool takeField(std::uint8_t column, const char* begin, const char* end) {
        switch (plan_.steps[column].kind) {
            case TickKind::integer:
                return takeInteger(begin, end);
            case TickKind::decimal:
                return takeDecimal(begin, end);
            case TickKind::time:
                return takeTime(plan_.steps[column], begin, end);
            case TickKind::flag:
                return takeFlag(begin, end);
            case TickKind::side:
                return takeSide(begin, end);
            case TickKind::text:
            case TickKind::skip:
                return takeText(begin, end);
        }
        return false;
    }

    bool takeText(const char* begin, const char* end) {
        for (const char* p = begin; p < end; ++p) {
            if (tickfields::classOf(*p) != tickfields::ByteClass::plain) {
                return false;
            }
            if (!isPlain(*p)) {
                mustBe(p, kWhole);  // for the key a comma might be in its place
            }
        }
        return true;
    }

    /// The field as digits and at most one point with digits on both sides.
    bool split(const char* begin, const char* end, Digits& digits) {
        digits = {begin, std::find_if_not(begin, end, isDigit), end};
        if (digits.point != end) {
            if (*digits.point != '.') {
                return false;
            }
            mustBe(digits.point, kWhole);
        }
        return digits.point != begin && (digits.point == end || digits.fraction() > 0) &&
               (digits.point == end || std::all_of(digits.point + 1, end, isDigit));
    }

    bool takeInteger(const char* begin, const char* end) {
        Digits digits{};
        if (!split(begin, end, digits) || digits.point != end || digits.whole() > kSlots) {
            return false;
        }
        for (unsigned i = 0; i < digits.whole(); ++i) {
            pick(cell_, i, end - 1 - i);
        }
        ++cell_;
        return true;
    }

    bool takeDecimal(const char* begin, const char* end) {
        Digits digits{};
        if (!split(begin, end, digits) || digits.whole() > kLane || digits.fraction() > kLane) {
            return false;
        }
        for (unsigned i = 0; i < digits.whole(); ++i) {
            pick(cell_, kLane + i, digits.point - 1 - i);
        }
        for (unsigned i = 0; i < digits.fraction(); ++i) {
            pick(cell_, kLane - 1 - i, digits.point + 1 + i);
        }
        ++cell_;
        return true;
    }

    /// Digits above the cell, and if need be the next one, are part of the shape; with those given all
    /// numbers of the shape must be times of one unit.
    bool takeTime(const TickPlan::Step& step, const char* begin, const char* end) {
        Digits digits{};
        if (!split(begin, end, digits) || digits.whole() > kMostDigits) {
            return false;
        }
        std::uint64_t value = 0;
        for (const char* p = begin; p < digits.point; ++p) {
            value = value * 10 + static_cast<std::uint64_t>(*p - '0');
        }
        const unsigned unit = tickfields::digitsToNanoseconds(step.unit, value);
        if (digits.fraction() > unit) {
            return false;
        }
        const unsigned lowest = unit - digits.fraction();  // weight of the last digit
        if (lowest < exponent_) {
            out_.finer = true;
            return false;
        }
        const unsigned inCell = kSlots + exponent_ - unit;  // whole digits, from the right
        const unsigned above = digits.whole() > inCell ? digits.whole() - inCell : 0;
        unsigned fixed = above;
        if (!allTimes(step.unit, unit, value, digits.whole() - fixed)) {
            fixed = above + 1;
            if (fixed > digits.whole() || !allTimes(step.unit, unit, value, digits.whole() - fixed)) {
                return false;
            }
        }
        for (unsigned i = 0; i < fixed; ++i) {
            mustBe(begin + i, kWhole);
        }
        const std::uint64_t prefix = above == 0 ? 0 : value / kPowersOfTen[inCell];
        if (step.clock) {
            out_.prefix = prefix;
        }
        if (!step.clock && !plan_.layout.hasText) {
            return true;
        }
        unsigned weight = lowest - exponent_;
        for (const char* p = end - 1; p >= begin; --p) {
            if (p == digits.point) {
                continue;
            }
            if (weight < kSlots) {
                pick(cell_, weight, p);
            }
            ++weight;
        }
        ++cell_;
        return true;
    }

    /// Whether whatever the last `free` digits of the whole part are, and those behind the point, it is a
    /// time of that unit.
    static bool allTimes(TimeUnit unit, unsigned toNanoseconds, std::uint64_t value, unsigned free) {
        if (free >= kPowersOfTen.size() - 1) {
            return false;
        }
        const std::uint64_t least = value - value % kPowersOfTen[free];
        const std::uint64_t most = least + (kPowersOfTen[free] - 1);
        const Uint128 end = (static_cast<Uint128>(most) + 1) * kPowersOfTen[toNanoseconds];
        return tickfields::digitsToNanoseconds(unit, least) == toNanoseconds &&
               tickfields::digitsToNanoseconds(unit, most) == toNanoseconds && end <= INT64_MAX;
    }

    bool takeFlag(const char* begin, const char* end) {
        const bool yes = isWord(begin, end, "true");
        return (yes || isWord(begin, end, "false")) && takeWord(begin, end, yes);
    }

    bool takeSide(const char* begin, const char* end) {
        if (isWord(begin, end, "b") || isWord(begin, end, "s")) {
            out_.shape.letter = static_cast<std::uint8_t>(at(begin));
            ++word_;
            return true;
        }
        const bool buy = isWord(begin, end, "buy");
        return (buy || isWord(begin, end, "sell") || isWord(begin, end, "unknown")) &&
               takeWord(begin, end, buy);
    }

    static bool isWord(const char* begin, const char* end, std::string_view lower) {
        return std::equal(begin, end, lower.begin(), lower.end(),
                          [](char c, char l) { return (c | 0x20) == l; });
    }

    bool takeWord(const char* begin, const char* end, bool counts) {
        for (const char* p = begin; p < end; ++p) {
            mustBe(p, kAnyCase);
        }
        out_.shape.words |= std::uint64_t{counts ? 1U : 0U} << (8 * word_++);
        return true;
    }

    const TickPlan& plan_;
    const char* row_;
    const char* end_;  ///< of the row without its line end
    unsigned exponent_;
    TickRowPicture& out_;
    std::uint8_t cell_ = 0;
    std::size_t word_ = 0;
};

}  // namespace

bool TickShape::fits(const char* row) const noexcept {
    for (std::size_t i = 0; i < length; ++i) {
        if (((static_cast<std::uint8_t>(row[i]) ^ literal[i]) & care[i]) != 0) {
            return false;
        }
    }
    return true;
}

std::array<std::uint64_t, 2> keysOf(bool hasText, const char* row, std::size_t length) noexcept {
    std::array<std::uint64_t, 2> keys{};
    for (std::size_t i = 0; i < length; ++i) {
        const bool key = hasText ? !isPlain(row[i]) : !isDigit(row[i]);
        keys[i / TickShape::kBlock] |= std::uint64_t{key ? 1U : 0U} << (i % TickShape::kBlock);
    }
    return keys;
}

bool pictureRow(const TickPlan& plan, const char* row, std::size_t length, unsigned exponent,
                TickRowPicture& picture) {
    picture = {};
    return length >= 2 && length <= TickShape::kMostRow &&
           Picture(plan, row, length, exponent, picture).take();
}

}  // namespace mmapscope
