// What stands beside a study's tables, in lines of text.
#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// The outcome check, arms without a rank, warnings, and notes on the figures; each one line.
[[nodiscard]] std::vector<std::string> remarks(const Study& study);

/// What a study found: the baseline, which arm is fastest as far as the intervals tell, and what is said of
/// each of the others. Of a study without figures: that there are none, and why.
[[nodiscard]] std::vector<std::string> findingsInWords(const Study& study);

/// How the figures came about: cache state, rounds, order, statistic.
[[nodiscard]] std::vector<std::string> methodInWords(const Study& study);

struct NamedFact {
    std::string name;
    std::string value;  ///< "not available here" where this system didn't tell
};
/// The environment, fact by fact.
[[nodiscard]] std::vector<NamedFact> environmentFacts(const Study& study);

}  // namespace mmapscope
