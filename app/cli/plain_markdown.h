// Markdown as a person reads it on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace mmapscope::cli {

/// Paragraphs of 90 columns without the marks of emphasis and code, tables with their columns in line.
/// Nothing is taken away from blocks of code.
[[nodiscard]] std::string plainMarkdown(std::string_view markdown);

}  // namespace mmapscope::cli
