#include "probe/storage_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "probe/fields.h"
#include "probe/sys_device.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kDeepest = 8;
constexpr std::size_t kMost = 64;

std::string modelOf(const fs::path& device) {
    const std::string vendor = sysAttribute(device / "device" / "vendor");
    const std::string model = sysAttribute(device / "device" / "model");
    // virtio disks give a PCI vendor number for a maker.
    return vendor.empty() || vendor.starts_with("0x") ? model : fmt::format("{} {}", vendor, model);
}

/// What the device mapper was asked for, from its uuid's prefix (dmsetup(8), lvm(8), cryptsetup(8)).
std::string mapperKind(const fs::path& device) {
    const std::string name = sysAttribute(device / "dm" / "name");
    const std::string uuid = sysAttribute(device / "dm" / "uuid");
    const std::string_view what = uuid.starts_with("LVM-")     ? "LVM"
                                  : uuid.starts_with("CRYPT-") ? "LUKS"
                                  : uuid.starts_with("mpath-") ? "multipath"
                                                               : "device mapper";
    return name.empty() ? std::string(what) : fmt::format("{} {}", what, name);
}

std::string kindOf(const fs::path& device) {
    std::error_code error;
    if (fs::exists(device / "dm", error)) {
        return mapperKind(device);
    }
    if (const std::string level = sysAttribute(device / "md" / "level"); !level.empty()) {
        return "RAID " + level;
    }
    if (const std::string file = sysAttribute(device / "loop" / "backing_file"); !file.empty()) {
        return "loop over " + file;
    }
    // Its members have such a folder too.
    if (device.filename().string().starts_with("bcache")) {
        return "bcache";
    }
    const std::string model = modelOf(device);
    return model.empty() ? std::string("disk") : "disk " + model;
}

/// "none [mq-deadline] kyber" → "mq-deadline"; a lone "none" is written without brackets.
std::string schedulerOf(const fs::path& device) {
    const std::string text = sysAttribute(device / "queue" / "scheduler");
    return bracketedChoice(text).value_or(text.find(' ') == std::string::npos ? text : std::string());
}

std::optional<Bytes> bytesOf(const fs::path& file, unsigned shift) {
    const auto value = parseUnsigned(sysAttribute(file));
    return value && *value != 0 ? std::optional(Bytes(*value << shift)) : std::nullopt;
}

StorageLayer layerOf(const fs::path& device, unsigned depth) {
    StorageLayer layer;
    layer.depth = depth;
    layer.name = device.filename().string();
    layer.kind = kindOf(device);
    const std::string rotational = sysAttribute(device / "queue" / "rotational");
    if (rotational == "0" || rotational == "1") {
        layer.rotational = rotational == "1";
    }
    layer.scheduler = schedulerOf(device);
    layer.writeCache = sysAttribute(device / "queue" / "write_cache");
    layer.logicalBlock = bytesOf(device / "queue" / "logical_block_size", 0);
    layer.physicalBlock = bytesOf(device / "queue" / "physical_block_size", 0);
    layer.largestRequest = bytesOf(device / "queue" / "max_sectors_kb", 10);
    return layer;
}

std::vector<fs::path> linksIn(const fs::path& folder, std::string_view beginning) {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;
        const bool link = it->is_symlink(gone) && it->path().filename().string().starts_with(beginning);
        if (const fs::path real = link ? fs::canonical(it->path(), gone) : fs::path();
            !gone && !real.empty()) {
            found.push_back(real);
        }
    }
    return found;
}

void collect(const fs::path& device, unsigned depth, std::vector<StorageLayer>& layers) {
    if (depth >= kDeepest || layers.size() >= kMost) {
        return;
    }
    const fs::path whole = wholeDisk(device);
    layers.push_back(layerOf(whole, depth));
    std::vector<fs::path> below = linksIn(whole / "slaves", "");
    if (whole.filename().string().starts_with("bcache")) {
        // The disk it speeds up is a slave; its caches hang on the set (Documentation/admin-guide/bcache).
        for (const fs::path& cache : linksIn(whole / "bcache" / "cache", "cache")) {
            below.push_back(cache.parent_path());
        }
    }
    std::sort(below.begin(), below.end());
    for (const fs::path& one : below) {
        collect(one, depth + 1, layers);
    }
}

}  // namespace

std::string sysAttribute(const fs::path& path) {
    const auto text = readKernelText(path.string());
    return text ? std::string(trimmed(*text)) : std::string();
}

fs::path wholeDisk(const fs::path& device) {
    std::error_code error;
    return fs::exists(device / "partition", error) ? device.parent_path() : device;
}

std::vector<StorageLayer> storageLayers(const std::string& device) {
    std::vector<StorageLayer> layers;
    if (!device.empty()) {
        collect(device, 0, layers);
    }
    return layers;
}

std::string layersText(const std::vector<StorageLayer>& layers) {
    std::vector<std::vector<std::string>> levels;
    for (const StorageLayer& layer : layers) {
        if (layer.depth >= levels.size()) {
            levels.resize(layer.depth + 1);
        }
        const bool disk = layer.kind.starts_with("disk");
        std::string text = disk ? layer.name : fmt::format("{} ({})", layer.name, layer.kind);
        // Two partitions of one disk are one disk.
        auto& level = levels[layer.depth];
        if (std::find(level.begin(), level.end(), text) == level.end()) {
            level.push_back(std::move(text));
        }
    }
    std::vector<std::string> texts;
    for (const auto& level : levels) {
        texts.push_back(fmt::format("{}", fmt::join(level, ", ")));
    }
    return printable(fmt::format("{}", fmt::join(texts, " → ")));
}

std::string describe(const StorageLayer& layer) {
    std::string text = fmt::format("{}: {}", layer.name, layer.kind);
    if (layer.rotational) {
        text += *layer.rotational ? ", says it rotates" : ", says it doesn't rotate";
    }
    if (!layer.scheduler.empty()) {
        text += fmt::format(", scheduler {}", layer.scheduler);
    }
    if (layer.logicalBlock) {
        text += fmt::format(", blocks of {}", formatBytes(*layer.logicalBlock));
        if (layer.physicalBlock && *layer.physicalBlock != *layer.logicalBlock) {
            text += fmt::format(" ({} physical)", formatBytes(*layer.physicalBlock));
        }
    }
    if (layer.largestRequest) {
        text += fmt::format(", requests up to {}", formatBytes(*layer.largestRequest));
    }
    if (!layer.writeCache.empty()) {
        text += fmt::format(", cache {}", layer.writeCache);
    }
    return printable(text);
}

}  // namespace mmapscope
