// What a mount stands on: a block device, other files, a program, or another machine.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/mount_info.h"

namespace mmapscope {

enum class MountKind { block, fuse, network, memory, overlay };
/// By the filesystem's type; `block` is all that isn't known as something else.
[[nodiscard]] MountKind kindOfMount(std::string_view filesystem);

/// The device a filesystem was mounted from. btrfs, zfs and bcachefs give their superblocks a number of their
/// own: then by the mount's source.
[[nodiscard]] std::optional<dev_t> blockDeviceOf(const MountEntry& mount);

/// The directory of a block device under /sys; empty when it isn't there.
[[nodiscard]] std::filesystem::path blockDirectory(dev_t device, const std::string& sysRoot);

struct OverlayBranch {
    bool upper = false;  ///< where writes go; else a lower one
    std::string path;
    const MountEntry* mount = nullptr;  ///< it lies on; nullptr: not seen from here
};
/// The directories an overlay was mounted over, uppermost first, from its options (upperdir=, lowerdir=a:b,
/// lowerdir+=). In a container they are paths of the host: `mount` tells whether they are seen.
[[nodiscard]] std::vector<OverlayBranch> overlayBranches(const MountEntry& overlay,
                                                         const std::vector<MountEntry>& mounts);

}  // namespace mmapscope
