#include "lesson/condition.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "core/text.h"
#include "lesson/lesson_figures.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

using Sign = LessonComparison::Sign;

std::optional<double> numberIn(std::string_view text) {
    const std::string whole(trimmed(text));
    if (whole.empty() || whole.find_first_not_of("0123456789.") != std::string::npos) {
        return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(whole.c_str(), &end);
    return *end == '\0' && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Result<LessonTerm> termOf(std::string_view text, const std::vector<LessonRun>& runs) {
    text = trimmed(text);
    LessonTerm term;
    if (const auto number = numberIn(text)) {
        term.factor = *number;
        return term;
    }
    if (const std::size_t times = text.find(" * "); times != std::string_view::npos) {
        const auto factor = numberIn(text.substr(0, times));
        if (!factor) {
            return fail(ErrorKind::usage,
                        fmt::format("\"{}\": a number stands before the *, such as 2 * study.pages",
                                    printable(text)));
        }
        term.factor = *factor;
        text = trimmed(text.substr(times + 3));
    }
    if (auto known = checkFigure(runs, text, true); !known) {
        return tl::unexpected(known.error());
    }
    term.figure = text;
    return term;
}

struct SignWord {
    std::string_view text;
    Sign sign;
};
constexpr std::array<SignWord, 4> kSigns{
    {{" <= ", Sign::atMost}, {" >= ", Sign::atLeast}, {" < ", Sign::less}, {" > ", Sign::more}}};

Result<LessonComparison> comparisonOf(std::string_view text, const std::vector<LessonRun>& runs) {
    for (const SignWord& word : kSigns) {
        const std::size_t at = text.find(word.text);
        if (at == std::string_view::npos) {
            continue;
        }
        auto left = termOf(text.substr(0, at), runs);
        auto right = termOf(text.substr(at + word.text.size()), runs);
        if (!left || !right) {
            return tl::unexpected(left ? right.error() : left.error());
        }
        return LessonComparison{std::move(*left), std::move(*right), word.sign};
    }
    return fail(ErrorKind::usage,
                fmt::format("\"{}\" compares nothing; write <, <=, > or >= with a blank on both "
                            "sides, such as arm.mmap.ratio > 1.05",
                            printable(text)));
}

bool compare(double left, Sign sign, double right) {
    switch (sign) {
        case Sign::less:
            return left < right;
        case Sign::atMost:
            return left <= right;
        case Sign::more:
            return left > right;
        case Sign::atLeast:
            break;
    }
    return left >= right;
}

}  // namespace

Result<LessonCondition> parseCondition(std::string_view text, const std::vector<LessonRun>& runs) {
    LessonCondition condition;
    text = trimmed(text);
    if (text == "otherwise") {
        return condition;
    }
    while (true) {
        constexpr std::string_view kAnd = " and ";
        const std::size_t end = std::min(text.find(kAnd), text.size());
        auto comparison = comparisonOf(text.substr(0, end), runs);
        if (!comparison) {
            return tl::unexpected(comparison.error());
        }
        condition.push_back(std::move(*comparison));
        if (end == text.size()) {
            return condition;
        }
        text.remove_prefix(end + kAnd.size());
    }
}

Holds holds(const LessonCondition& condition, const LessonResults& results) {
    for (const LessonComparison& comparison : condition) {
        double sides[2];
        const LessonTerm* const terms[2] = {&comparison.left, &comparison.right};
        for (int i = 0; i < 2; ++i) {
            sides[i] = terms[i]->factor;
            if (!terms[i]->figure.empty()) {
                const LessonFigure figure = figureOf(results, terms[i]->figure);
                if (!figure.number) {
                    return {std::nullopt, figure.reason};
                }
                sides[i] *= *figure.number;
            }
        }
        if (!compare(sides[0], comparison.sign, sides[1])) {
            return {false, {}};
        }
    }
    return {true, {}};
}

}  // namespace mmapscope
