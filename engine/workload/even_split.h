// Cutting a range into equal parts for workloads that can start at any multiple of a unit.
#pragma once

#include <vector>

#include "core/units.h"

namespace mmapscope {

/// [0, limit) in `threads` touching ranges whose borders are multiples of `unit` (the last end is `limit`);
/// they differ by about one unit, and some are empty when there are fewer units than threads. Precondition:
/// threads and unit are not 0.
[[nodiscard]] std::vector<Range> splitEvenly(Bytes limit, unsigned threads, Bytes unit);

}  // namespace mmapscope
