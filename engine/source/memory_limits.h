// How much memory this process may still have, and who says so.
#pragma once

#include <optional>

#include "probe/cgroup.h"

namespace mmapscope {

/// MemAvailable of /proc/meminfo; nullopt when the kernel doesn't tell.
[[nodiscard]] std::optional<Limit> availableMemory();

/// The smallest memory limit on the cgroups this process is in, version 1 or 2; nullopt when there is none.
[[nodiscard]] std::optional<Limit> cgroupMemoryLimit();

/// The smallest limit on 2 MiB huge pages, alike.
[[nodiscard]] std::optional<Limit> cgroupHugePageLimit();

}  // namespace mmapscope
