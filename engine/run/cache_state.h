// Puts a file's page cache into a named state and verifies it.
#pragma once

#include <stop_token>

#include "run/run_record.h"

namespace mmapscope {

/// Prepares `state` for `range` of the file and says what was reached. `force`: evict and fill again although
/// residency is as wanted (a study's start, or after an arm that may have changed the folios). Dirty pages
/// are fsynced before eviction; long calls are cut into pieces of 64 MiB or less so that `stop` is honoured.
/// `progress` (0 to 1) may be nullptr. Error: cancelled; failed when the file can't be read; changed when
/// it ends early. A state that can't be
/// reached is not an error: reached is false and reason says why.
[[nodiscard]] Result<CacheFacts> prepareCache(const FileFacts& file, Range range, CacheState state,
                                              bool force, std::stop_token stop,
                                              void (*progress)(double, void*) = nullptr,
                                              void* context = nullptr);

}  // namespace mmapscope
