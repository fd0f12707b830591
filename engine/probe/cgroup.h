// Where this process's memory controller is (cgroups(7)).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/mount_info.h"

namespace mmapscope {

struct MemoryGroup {
    int version = 2;
    std::string directory;  ///< the group this process is in, under the controller's mount
};

/// From mountinfo and /proc/self/cgroup. Version 1 where the memory controller is mounted on its own, else
/// the unified hierarchy; nullopt when neither is mounted.
[[nodiscard]] std::optional<MemoryGroup> findMemoryGroup(const std::vector<MountEntry>& mounts,
                                                         std::string_view cgroupText);

/// Whether the blank-separated words of `list` ("cpu io memory") hold `word`.
[[nodiscard]] bool holdsWord(std::string_view list, std::string_view word) noexcept;

}  // namespace mmapscope
