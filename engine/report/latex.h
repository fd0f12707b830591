// A study's tables for a LaTeX document.
#pragma once

#include <string>
#include <string_view>

#include "study/study.h"

namespace mmapscope {

struct SummaryTable;

/// Tables with the rules of the booktabs package; their head says how to use them. Only characters that
/// pdfTeX, XeTeX and LuaTeX set with their default fonts.
[[nodiscard]] std::string studyToLatex(const Study& study);

/// Outside text in LaTeX, taken literally: TeX's own characters escaped, ligatures (--, ?`) kept apart,
/// signs the default fonts lack by name or as [U+2603]. Control characters and bytes that are no UTF-8 are
/// shown as \xNN.
[[nodiscard]] std::string latexText(std::string_view text);

}  // namespace mmapscope
