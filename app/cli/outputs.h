// The files a command is asked to write.
#pragma once

#include <memory>

#include "app/cli/cli.h"
#include "app/cli/run_options.h"
#include "study/study.h"

namespace mmapscope::cli {

/// Each output can be written, is not a file that is read, and no two are one. Error: usage.
[[nodiscard]] Status checkOutputs(const RunOptions& options, const StudyRequest& request);

/// One of the files asked for; "-" is standard output.
[[nodiscard]] Exit writeTo(const std::string& path, const std::string& content);

/// All of them, and the table on standard output where nothing else goes there; `note` then stands below it.
[[nodiscard]] Exit writeAll(const RunOptions& options, const std::shared_ptr<const Study>& study,
                            const std::string& note);

/// The study's exit status; one line on standard error says why it isn't `done`, with the reason unless it
/// stands under the table just above.
[[nodiscard]] Exit reportOutcome(const Study& study, bool tableIsAbove);

}  // namespace mmapscope::cli
