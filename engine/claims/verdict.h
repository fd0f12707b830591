// Whether what was measured here agrees with what was published, by one rule.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims/claim.h"
#include "study/statistics.h"
#include "study/study.h"

namespace mmapscope {

enum class ClaimVerdict { agrees, disagrees, notTestable };
[[nodiscard]] std::string_view name(ClaimVerdict verdict);

struct Finding {
    FindingSpec spec;
    ClaimVerdict verdict = ClaimVerdict::notTestable;
    std::string reason = {};  ///< of notTestable
    std::optional<RatioInterval> here = {};
    std::optional<bool> sizeAgrees = {};  ///< of ratios
};

struct ClaimResult {
    const Claim* claim = nullptr;
    ClaimVerdict verdict = ClaimVerdict::notTestable;
    std::string reason = {};  ///< of notTestable
    std::vector<Finding> findings = {};
};

/// A study of claims, or why there is none.
struct ClaimStudy {
    std::optional<Study> study;
    std::string reason;
};
using ClaimStudies = std::map<std::string, ClaimStudy, std::less<>>;

/// The rule in words, for every report.
[[nodiscard]] std::string_view verdictRule();

/// A ratio's interval against the published ratio.
[[nodiscard]] Finding judgeRatio(const FindingSpec& spec, const RatioInterval& here);
/// A figure of one arm, with the least and the most that was seen.
[[nodiscard]] Finding judgeLevel(const FindingSpec& spec, const RatioInterval& here);

/// Computes the finding's figure from the study and judges it.
[[nodiscard]] Finding findingOf(const FindingSpec& spec, const ClaimStudies& studies);
[[nodiscard]] ClaimResult judge(const Claim& claim, const ClaimStudies& studies);

}  // namespace mmapscope
