// The results of claims for people and for other programs.
#pragma once

#include <string>

#include "claims/claims_runner.h"

namespace mmapscope {

/// "1.15", "64 KiB", "11.0 GB/s": a figure as it is published or measured.
[[nodiscard]] std::string figureText(Figure figure, double value);
/// What was published of it: "0.95", "at most 10".
[[nodiscard]] std::string publishedText(const FindingSpec& spec);
/// "0.98 (0.96 to 1.00)"; for a level the median and range.
[[nodiscard]] std::string hereText(const Finding& finding);
/// "agrees, and its size too"; "not testable here: why".
[[nodiscard]] std::string verdictText(const Finding& finding);

[[nodiscard]] std::string claimsToText(const ClaimsReport& report);
/// A report to post: environment, rule, table, a paragraph a claim.
[[nodiscard]] std::string claimsToMarkdown(const ClaimsReport& report);
/// RFC 4180, a header, one row per finding (a claim without any has one row).
[[nodiscard]] std::string claimsToCsv(const ClaimsReport& report);
[[nodiscard]] std::string claimsToJson(const ClaimsReport& report);

}  // namespace mmapscope
