#include "bench/goals_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/statistics.h"

namespace mmapscope::bench {
namespace {

std::optional<Ratio> ratioOf(const Times& numerator, const Times& denominator, std::uint64_t seed) {
    const std::size_t pairs = std::min(numerator.seconds.size(), denominator.seconds.size());
    if (pairs == 0) {
        return std::nullopt;
    }
    if (const auto paired =
            pairedRatio({denominator.seconds.data(), pairs}, {numerator.seconds.data(), pairs}, seed)) {
        return Ratio{paired->ratio, paired->low, paired->high, true};
    }
    std::vector<double> all;
    for (std::size_t i = 0; i < pairs; ++i) {
        all.push_back(denominator.seconds[i] / numerator.seconds[i]);
    }
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    return Ratio{median(all), *least, *most, false};
}

std::string figure(double ratio) {
    return fmt::format("{:.{}f}", ratio, ratio < 0.995 && ratio > 0.98 ? 3 : 2);
}

std::string range(const Ratio& ratio) {
    return fmt::format("{} [{}–{}]", figure(ratio.median), figure(ratio.low), figure(ratio.high));
}

/// Columns of characters, not of bytes.
std::size_t charactersOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, charactersOf(text)), ' ');
}

std::string ceilingText(const GoalResult& result) {
    return result.ceiling ? figure(*result.ceiling) : "–";
}

}  // namespace

std::string GoalResult::text() const {
    if (!ratio) {
        return "not available here: " + unavailable;
    }
    const bool sure = met() ? ratio->low >= goal->least : ratio->high < goal->least;
    return fmt::format("{}{}", met() ? "met" : "missed", sure ? "" : " (within the noise)");
}

std::vector<GoalResult> judge(const Group& group, const GroupTimes& times, std::uint64_t seed) {
    std::vector<GoalResult> results;
    for (const Goal& goal : group.goals) {
        const Times& numerator = times.of.at(goal.numerator.label());
        const Times& denominator = times.of.at(goal.denominator.label());
        GoalResult result;
        result.goal = &goal;
        result.ratio = ratioOf(numerator, denominator, seed);
        if (!result.ratio) {
            result.unavailable =
                numerator.unavailable.empty() ? denominator.unavailable : numerator.unavailable;
        } else {
            result.rate = times.bytes / median(numerator.seconds);
        }
        if (goal.ceiling) {
            if (const auto ceiling = ratioOf(times.of.at(goal.ceiling->label()), denominator, seed)) {
                result.ceiling = ceiling->median;
            }
        } else if (goal.denominator.source == "memory" || goal.denominator.kind == Contestant::Kind::bare) {
            result.ceiling = 1;
        }
        results.push_back(std::move(result));
    }
    return results;
}

std::string tableOf(const std::string& title, const std::vector<GoalResult>& results) {
    std::size_t left = 0;
    std::size_t right = 0;
    for (const GoalResult& result : results) {
        left = std::max(left, charactersOf(result.goal->numerator.label()));
        right = std::max(right, charactersOf(result.goal->denominator.label()));
    }
    std::string table = fmt::format("\n{}\n", title);
    for (const GoalResult& result : results) {
        table += fmt::format("  {} / {}  ", padded(result.goal->numerator.label(), left),
                             padded(result.goal->denominator.label(), right));
        table +=
            result.ratio
                ? fmt::format("{} goal {} ceiling {} {}  {:.2f} GB/s\n", padded(range(*result.ratio), 19),
                              padded(figure(result.goal->least), 5), padded(ceilingText(result), 5),
                              padded(result.text(), 24), result.rate / 1e9)
                : result.text() + "\n";
    }
    return table;
}

std::string markdownOf(const std::vector<Group>& groups, const std::vector<std::vector<GoalResult>>& results,
                       const std::string& conditions) {
    std::string table = conditions +
                        "\n\n| work | measured [95 % interval] | goal | ceiling | against | met |\n"
                        "| --- | --- | --- | --- | --- | --- |\n";
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const GoalResult& result : results[i]) {
            const std::string measured = result.ratio ? range(*result.ratio) : "–";
            table += fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n", groups[i].title,
                                 result.goal->numerator.label(), measured, figure(result.goal->least),
                                 ceilingText(result), result.goal->denominator.label(), result.text());
        }
    }
    return table;
}

}  // namespace mmapscope::bench
