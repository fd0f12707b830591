#include "app/gui/arm_presets.h"

#include <unistd.h>

#include <algorithm>

namespace mmapscope {
namespace {

enum class Place { local, remote, any };

struct Preset {
    std::string_view workload;  ///< empty: every other
    Place place;
    std::vector<ArmChoice> arms;
};

/// The first row that fits counts. A mapping on FUSE or a network filesystem pays a round trip a fault, so
/// there the windowed and prefetching designs are what is worth comparing.
const std::vector<Preset>& presets() {
    static const std::vector<Preset> table = {
        {"pieces", Place::remote, {{"read"}, {"pread"}, {"mmap-window"}}},
        {"pieces", Place::local, {{"read"}, {"pread"}, {"mmap"}, {"mmap-window"}}},
        {"zstd", Place::remote, {{"read"}, {"pread"}, {"mmap"}}},
        {"zstd", Place::local, {{"read"}, {"mmap"}, {"mmap-populate"}, {"hugetlb-memfd"}}},
        {"ticks", Place::local, {{"read"}, {"mmap"}, {"mmap-sequential"}, {"mmap-populate"}}},
        {"", Place::remote, {{"read"}, {"pread"}, {"mmap"}}},
        {"", Place::any, {{"read"}, {"pread"}, {"mmap"}, {"mmap-populate"}}},
    };
    return table;
}

bool isRemote(StorageClass storage) {
    return storage == StorageClass::fuse || storage == StorageClass::network;
}

bool keepsWhole(std::string_view id) {
    const SourceType* type = findSource(id);
    return id == "mmap-populate" || (type != nullptr && (type->traits.holdsWhole || type->traits.ceiling));
}

}  // namespace

std::vector<ArmChoice> presetArms(std::string_view workload, StorageClass storage, Bytes fileBytes,
                                  Bytes memory) {
    const Place place = isRemote(storage) ? Place::remote : Place::local;
    const auto fits = [&](const Preset& preset) {
        return (preset.workload.empty() || preset.workload == workload) &&
               (preset.place == Place::any || preset.place == place);
    };
    const auto found = std::find_if(presets().begin(), presets().end(), fits);
    std::vector<ArmChoice> arms = found == presets().end() ? std::vector<ArmChoice>{} : found->arms;
    if (fileBytes > memory / 2) {
        std::erase_if(arms, [](const ArmChoice& arm) { return keepsWhole(arm.source); });
    }
    return arms;
}

Bytes physicalMemory() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? pageSize() * static_cast<std::uint64_t>(pages) : Bytes(0);
}

}  // namespace mmapscope
