// What fault traces showed, in lines of text.
#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// For every traced arm a line of what its faults look like, one of its commonest strides, one of what the
/// tracing cost. Empty when nothing was traced.
[[nodiscard]] std::vector<std::string> faultLines(const Study& study);

/// The same, one string an arm.
[[nodiscard]] std::vector<std::string> faultSentences(const Study& study);

}  // namespace mmapscope
