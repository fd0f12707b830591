// Lists of CPUs as people write them.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"

namespace mmapscope {

/// "0,2-3" → 0, 2, 3; empty text is an empty list. Error: usage, for what isn't a list or names a CPU this
/// process may not use (sched_getaffinity(2)).
[[nodiscard]] Result<std::vector<unsigned>> parseCpuList(std::string_view text);

}  // namespace mmapscope
