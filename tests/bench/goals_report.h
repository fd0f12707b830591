// The table of what was reached, on the screen and as Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/goals.h"
#include "bench/goals_measure.h"

namespace mmapscope::bench {

/// A measured ratio of throughputs: the median, and what lies around it.
struct Ratio {
    double median = 1, low = 1, high = 1;
    bool interval = true;  ///< low and high bound a 95 % interval of the median; else least and most
};

struct GoalResult {
    const Goal* goal = nullptr;
    std::optional<Ratio> ratio;
    std::optional<double> ceiling;
    double rate = 0;          ///< of the numerator, bytes a second
    std::string unavailable;  ///< why there is no ratio

    [[nodiscard]] bool met() const { return ratio && ratio->median >= goal->least; }
    /// "yes", "no", and how sure that is; "not available here: …".
    [[nodiscard]] std::string text() const;
};

/// In the order of the group's goals.
[[nodiscard]] std::vector<GoalResult> judge(const Group& group, const GroupTimes& times, std::uint64_t seed);

[[nodiscard]] std::string tableOf(const std::string& title, const std::vector<GoalResult>& results);
/// With the columns of the README.
[[nodiscard]] std::string markdownOf(const std::vector<Group>& groups,
                                     const std::vector<std::vector<GoalResult>>& results,
                                     const std::string& conditions);

}  // namespace mmapscope::bench
