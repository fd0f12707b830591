// How far the kernel reads ahead on the device under a file.
#pragma once

#include <string>

#include "core/units.h"

namespace mmapscope {

/// The kernel's own default (VM_READAHEAD_PAGES), for filesystems that name none.
inline constexpr Bytes kDefaultReadAhead = kib(128);

/// read_ahead_kb of the device, in whole pages; the default where it is absent or 0.
[[nodiscard]] Bytes readAheadOf(const std::string& path);

}  // namespace mmapscope
