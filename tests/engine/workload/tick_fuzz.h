// What the fuzzing of the tick scanners is made of.
#pragma once

#include <functional>

#include "engine/workload/tick_reference.h"

namespace mmapscope::test {

inline const std::string_view kMeaningful("0159,.\n\r\"-+eETtBs \0\x80\xFF\xEF\t\x7F/:", 26);

/// Empty when both say the same.
inline std::string differences(const TickTotals& want, const TickTotals& got) {
    std::string text;
    const auto compare = [&](const char* what, Int128 a, Int128 b) {
        if (a != b) {
            text += std::string(what) + " " + decimalText(a, 0) + ", not " + decimalText(b, 0) + "; ";
        }
    };
    compare("rows", want.rows, got.rows);
    compare("rejected", want.rejected, got.rejected);
    compare("first reject", want.firstReject.offset, got.firstReject.offset);
    compare("fault", static_cast<int>(want.firstReject.fault), static_cast<int>(got.firstReject.fault));
    compare("column", want.firstReject.column, got.firstReject.column);
    compare("first time", want.firstTime, got.firstTime);
    compare("last time", want.lastTime, got.lastTime);
    compare("empty lines", want.emptyLines, got.emptyLines);
    for (std::size_t i = 0; i < want.sums.size(); ++i) {
        compare(("sum " + std::to_string(i)).c_str(), want.sums[i], got.sums[i]);
    }
    return text;
}

/// A text in spans whose lengths come from `span`.
inline TickTotals scanBy(const TickPlan& plan, const TickScanner& scanner, std::string_view text,
                         const std::function<std::size_t()>& span, bool header = false) {
    TickLines lines(plan, header, Bytes(0), scanner);
    while (!text.empty()) {
        const std::size_t length = std::min(text.size(), std::max<std::size_t>(1, span()));
        (void)lines.consume(text.substr(0, length));
        text.remove_prefix(length);
    }
    lines.finish();
    return lines.totals();
}

/// Rows of few shapes, as a file has them: templates whose digits change.
class RecurringRows {
  public:
    RecurringRows(const TickSchema& schema, unsigned seed, std::size_t templates = 6)
        : schema_(schema), maker_(seed), random_(seed) {
        for (std::size_t i = 0; i < templates; ++i) {
            templates_.push_back(maker_.row(schema));
        }
    }

    std::string next() {
        std::string row = templates_[below(templates_.size())];
        const bool letters = std::any_of(
            schema_.columns.begin(), schema_.columns.end(),
            [](const TickColumn& c) { return c.kind == TickKind::text || c.kind == TickKind::skip; });
        std::size_t run = 0;
        for (char& c : row) {
            const bool digit = c >= '0' && c <= '9';
            run = digit ? run + 1 : 0;
            // The first digits of a long number are those of a date.
            if (digit && run > 5 && !letters) {
                c = static_cast<char>('0' + below(10));
            } else if (digit && run > 5) {
                c = static_cast<char>('0' + (static_cast<std::size_t>(c - '0') + below(3)) % 10);
            }
        }
        return row;
    }
    std::string text(std::size_t bytes, const std::string& feed = "\n") {
        std::string all;
        while (all.size() < bytes) {
            all += next() + feed;
        }
        return all;
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  private:
    TickSchema schema_;
    RowMaker maker_;
    std::mt19937_64 random_;
    std::vector<std::string> templates_;
};

}  // namespace mmapscope::test
