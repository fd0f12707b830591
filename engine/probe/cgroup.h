// The control groups this process is in (cgroups(7)): where its memory controller is, and which limits hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
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

struct Limit {
    Bytes bytes;
    std::string setBy;  ///< where it is written: a file, and the key in it
};
/// The smallest limit on the groups from this process's own up to the mounts' roots, in every hierarchy with
/// `controller`. `file1` and `file2` name the limit's file in version 1 and 2. nullopt when there is none.
[[nodiscard]] std::optional<Limit> smallestGroupLimit(std::string_view controller, const std::string& file1,
                                                      const std::string& file2);

/// Pages of files that this process's memory group read again after it had evicted them, since the group was
/// made: workingset_refault_file of its memory.stat. nullopt: no group, or a kernel that doesn't tell.
[[nodiscard]] std::optional<std::uint64_t> ownGroupRefaults();

/// Whether the blank-separated words of `list` ("cpu io memory") hold `word`.
[[nodiscard]] bool holdsWord(std::string_view list, std::string_view word) noexcept;

}  // namespace mmapscope
