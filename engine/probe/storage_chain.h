// The whole way from a mounted filesystem down to the disks.
#pragma once

#include <string>
#include <vector>

#include "probe/mount_info.h"
#include "probe/storage_layers.h"

namespace mmapscope {

/// Depth first: the block devices as storageLayers() gives them; under a loop device what its file lies on;
/// of an overlay the filesystems its branches lie on; of FUSE and network filesystems their source, and a
/// block device where there is one (fuseblk). Empty for filesystems in memory and where nothing is seen.
[[nodiscard]] std::vector<StorageLayer> storageChain(const MountEntry& mount,
                                                     const std::vector<MountEntry>& mounts,
                                                     const std::string& sysRoot);

}  // namespace mmapscope
