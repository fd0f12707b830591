// "Did you mean …": the known word closest to a mistyped one.
#pragma once

#include <string_view>
#include <vector>

namespace mmapscope {

/// By edit distance; the first of equals. Empty when `known` is empty.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace mmapscope
