// "Did you mean …": the known word closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mmapscope {

/// By edit distance; the first of equals. Empty when none is so close that it may have been meant: within 2
/// edits, or a third of the word's length.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

/// "; did you mean \"read\"?", or nothing.
[[nodiscard]] std::string didYouMean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace mmapscope
