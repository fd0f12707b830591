// Executes one run in this process.
#pragma once

#include <stop_token>

#include "run/run_record.h"
#include "run/sample.h"

namespace mmapscope {

/// Makes the arm's threads, starts the clock, opens the source, consumes, closes, stops the clock. Blocks the
/// caller, whose thread is not one of the arm's. Everything about cache state is the caller's business.
/// Never throws; whatever goes wrong is in the record's status and error. After it returns nothing is left:
/// no mapping, thread, descriptor, huge page. `live` may be nullptr.
[[nodiscard]] RunRecord executeRun(const RunRequest& request, SampleRing* live, std::stop_token stop);

}  // namespace mmapscope
