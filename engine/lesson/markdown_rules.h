// What Qt's Markdown (6.4, GitHub's dialect with raw HTML off) shows as something else than was meant.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lesson/lesson_check.h"

namespace mmapscope {

/// `firstLine`: the number of lines.front() in the file.
void checkMarkdown(std::span<const std::string> lines, std::size_t firstLine,
                   std::vector<LessonRemark>& remarks);

/// The line with what stands in `code` made blank, so that what is quoted isn't taken for meant.
[[nodiscard]] std::string withoutCode(const std::string& line);

}  // namespace mmapscope
