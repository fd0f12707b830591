// What a filesystem lies on, device by device, down to the disks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace mmapscope {

/// One block device. What /sys doesn't tell is absent or empty.
struct StorageLayer {
    unsigned depth = 0;  ///< below the filesystem; the layers under one follow it
    std::string name;    ///< "dm-0"
    std::string kind;    ///< "LVM vg-root", "LUKS root_crypt", "RAID raid1", "loop over /a", "disk Fast Disk"
    std::optional<bool> rotational;  ///< queue/rotational: what the device claims
    std::string scheduler;           ///< the one in use, queue/scheduler; "none" is a scheduler too
    std::string writeCache;          ///< "write back" or "write through"
    std::optional<Bytes> logicalBlock, physicalBlock;
    std::optional<Bytes> largestRequest;  ///< queue/max_sectors_kb
};

/// The device whose directory under /sys is `device` and all below it, depth first; at most 64 layers, 8
/// deep. A loop device's own file is named but not followed.
[[nodiscard]] std::vector<StorageLayer> storageLayers(const std::string& device);

/// "dm-0 (LVM vg-root) → md0 (RAID raid1) → sda, sdb"; empty without layers.
[[nodiscard]] std::string layersText(const std::vector<StorageLayer>& layers);

/// One layer with all that is known of it: "sda: disk Slow Disk, rotates, scheduler mq-deadline, 512 B blocks
/// (4 KiB physical), write back".
[[nodiscard]] std::string describe(const StorageLayer& layer);

}  // namespace mmapscope
