// What kind of storage lies under a filesystem, concluded from facts under /sys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "probe/file_facts.h"
#include "probe/mount_info.h"

namespace mmapscope {

struct StorageFacts {
    StorageClass storage = StorageClass::unknown;
    std::string reason;  ///< the fact it was concluded from, or why nothing can be
    std::optional<Bytes> readAhead;
    std::vector<StorageLayer> layers;  ///< see FileFacts::layers
};

/// By filesystem type, else down from the block device through loop, device mapper and RAID to the disks.
/// Disks of different kinds under one device are `unknown`, and the reason names them. `sysRoot` is /sys.
[[nodiscard]] StorageFacts storageOf(const MountEntry& mount, const std::vector<MountEntry>& mounts,
                                     const std::string& sysRoot = "/sys");

}  // namespace mmapscope
