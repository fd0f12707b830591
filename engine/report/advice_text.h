// Advice in words, for the terminal and the window.
#pragma once

#include <string>

#include "study/advisor.h"

namespace mmapscope {

/// Which arm, why, what would change it, what is left out, and all that was looked at. The first line is the
/// advice.
[[nodiscard]] std::string adviceText(const AdviceFacts& facts, const Advice& advice);
/// "read-thread, read, mmap-sequential"
[[nodiscard]] std::string armsInWords(const Advice& advice);

}  // namespace mmapscope
