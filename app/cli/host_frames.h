// What goes between `mmapscope-cli --host HOST` and `mmapscope-cli serve` on HOST, over ssh: the frames of
// run/frames.h behind one line that tells them from what a shell prints before.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/run_options.h"
#include "core/result.h"
#include "study/study_runner.h"

namespace mmapscope::cli {

/// serve writes it first, on a line of its own.
inline constexpr std::string_view kServeMark = "mmapscope serves frames\n";

/// The options of `run` that HOST decides by; what is written stays here.
[[nodiscard]] std::string optionsToJson(const RunOptions& options);
[[nodiscard]] Result<RunOptions> optionsFromJson(std::string_view text);

[[nodiscard]] std::string progressToJson(const Progress& progress);
[[nodiscard]] Result<Progress> progressFromJson(std::string_view text);

/// A study without its runs, and what was chosen.
[[nodiscard]] std::string plannedToJson(const Study& study, const Chosen& chosen);
struct PlannedThere {
    Study study;
    Chosen chosen;
};
[[nodiscard]] Result<PlannedThere> plannedFromJson(std::string_view text);

[[nodiscard]] std::string errorToJson(const Error& error);
[[nodiscard]] Error errorFromJson(std::string_view text);

}  // namespace mmapscope::cli
