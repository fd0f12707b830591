#include "probe/storage.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/text.h"
#include "probe/fields.h"
#include "probe/mount_source.h"
#include "probe/storage_chain.h"
#include "probe/sys_device.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kHypervisorDisks{"QEMU", "VMware", "Msft",
                                                           "VBOX", "Google", "Virtual"};
constexpr int kDeepest = 8;  ///< levels of loop, mapper and RAID that are followed

struct Kind {
    StorageClass storage = StorageClass::unknown;
    std::string reason;
};

/// Of an NVMe namespace; several controllers' one (native multipath) hangs on their subsystem, which holds
/// them.
std::string transportOf(const fs::path& holder) {
    std::string transport = sysAttribute(holder / "transport");
    std::error_code error;
    for (fs::directory_iterator it(holder, error), end; transport.empty() && !error && it != end;
         it.increment(error)) {
        if (it->path().filename().string().starts_with("nvme")) {
            transport = sysAttribute(it->path() / "transport");
        }
    }
    return transport;
}

class Resolver {
  public:
    Resolver(const std::vector<MountEntry>& mounts, const std::string& sysRoot)
        : mounts_(mounts), sys_(sysRoot) {}

    [[nodiscard]] Kind mount(const MountEntry& entry, int depth) const;
    [[nodiscard]] std::optional<Bytes> readAhead(const MountEntry& entry) const;

  private:
    [[nodiscard]] Kind block(const fs::path& directory, int depth) const;
    [[nodiscard]] Kind members(const fs::path& directory, const std::vector<fs::path>& below,
                               int depth) const;
    [[nodiscard]] Kind overlay(const MountEntry& entry, int depth) const;
    [[nodiscard]] Kind disk(const fs::path& directory) const;
    [[nodiscard]] std::optional<Bytes> kibFile(const std::string& path) const {
        const auto text = readKernelText(path);
        const auto value = text ? parseUnsigned(trimmed(*text)) : std::nullopt;
        return value ? std::optional(Bytes(*value << 10U)) : std::nullopt;
    }

    const std::vector<MountEntry>& mounts_;
    const std::string& sys_;
};

Kind Resolver::mount(const MountEntry& entry, int depth) const {
    const std::string& type = entry.filesystem;
    switch (kindOfMount(type)) {
        case MountKind::fuse:
            return {StorageClass::fuse, fmt::format("filesystem type {}", type)};
        case MountKind::network:
            return {StorageClass::network, fmt::format("filesystem type {}", type)};
        case MountKind::memory:
            return {StorageClass::memory, fmt::format("filesystem type {}", type)};
        case MountKind::overlay:
            return overlay(entry, depth);
        case MountKind::block:
            break;
    }
    const auto device = blockDeviceOf(entry);
    if (!device) {
        return {StorageClass::unknown, fmt::format("{} on \"{}\" names no block device seen from here", type,
                                                   printable(entry.source))};
    }
    const fs::path directory = blockDirectory(*device, sys_);
    if (directory.empty()) {
        return {StorageClass::unknown, fmt::format("block device {}:{} is not under {}/dev/block",
                                                   major(*device), minor(*device), sys_)};
    }
    return block(directory, depth);
}

Kind Resolver::overlay(const MountEntry& entry, int depth) const {
    // Layers on one and the same filesystem tell the storage; a container usually can't see them at all.
    const MountEntry* below = nullptr;
    for (const OverlayBranch& branch : overlayBranches(entry, mounts_)) {
        if (branch.mount == nullptr || (below != nullptr && below->id != branch.mount->id)) {
            below = nullptr;
            break;
        }
        below = branch.mount;
    }
    if (below == nullptr || depth >= kDeepest) {
        return {StorageClass::unknown, "overlay filesystem whose layers can't be told from here"};
    }
    Kind kind = mount(*below, depth + 1);
    kind.reason = fmt::format("overlay over {}: {}", below->filesystem, kind.reason);
    return kind;
}

Kind Resolver::block(const fs::path& directory, int depth) const {
    const fs::path top = wholeDisk(directory);
    const std::string label = top.filename().string();
    if (depth >= kDeepest) {
        return {StorageClass::unknown, fmt::format("{} lies more than {} devices deep", label, kDeepest)};
    }
    std::error_code error;
    std::vector<fs::path> below;
    for (const auto& slave : fs::directory_iterator(top / "slaves", error)) {
        below.push_back(fs::canonical(slave.path(), error));
    }
    if (!below.empty()) {
        return members(top, below, depth);
    }
    if (fs::exists(top / "loop" / "backing_file", error)) {
        const std::string file = sysAttribute(top / "loop" / "backing_file");
        const MountEntry* mount = findMount(mounts_, std::nullopt, std::nullopt, file);
        if (mount == nullptr) {
            return {StorageClass::unknown,
                    fmt::format("{} is a loop device over {}, which is not seen from here", label,
                                printable(file))};
        }
        Kind kind = this->mount(*mount, depth + 1);
        kind.reason = fmt::format("{} is a loop device over {}; {}", label, printable(file), kind.reason);
        return kind;
    }
    return disk(top);
}

Kind Resolver::members(const fs::path& directory, const std::vector<fs::path>& below, int depth) const {
    const std::string label = directory.filename().string();
    Kind all;
    std::string listed;
    bool mixed = false;
    for (const fs::path& member : below) {
        const Kind kind = block(member, depth + 1);
        listed += fmt::format("{}{} {}", listed.empty() ? "" : ", ", member.filename().string(),
                              name(kind.storage));
        mixed = mixed || (&member != &below.front() && kind.storage != all.storage);
        all = kind;
    }
    if (mixed) {
        return {StorageClass::unknown,
                fmt::format("{} lies on different kinds of storage: {}", label, listed)};
    }
    all.reason = below.size() == 1 ? fmt::format("{} lies on {}", label, all.reason)
                                   : fmt::format("{} lies on {} devices ({})", label, below.size(), listed);
    return all;
}

Kind Resolver::disk(const fs::path& directory) const {
    const std::string label = directory.filename().string();
    const std::string model = std::string(trimmed(sysAttribute(directory / "device" / "vendor") + " " +
                                                  sysAttribute(directory / "device" / "model")));
    // virtio disks give a PCI vendor number for a maker, which says nothing to a person.
    const std::string named =
        model.empty() || model.starts_with("0x") ? label : fmt::format("{} ({})", label, printable(model));
    if (label.starts_with("nvme")) {
        const std::string transport = transportOf(directory / "device");
        if (transport == "tcp" || transport == "rdma" || transport == "fc") {
            return {StorageClass::network, fmt::format("{} is NVMe over {}", named, transport)};
        }
        return {StorageClass::nvme, fmt::format("{} is an NVMe device", named)};
    }
    if (label.starts_with("zram") || label.starts_with("ram") || label.starts_with("pmem")) {
        return {StorageClass::memory, fmt::format("{} is a disk in memory", label)};
    }
    if (label.starts_with("nbd") || label.starts_with("rbd") || label.starts_with("drbd") ||
        directory.string().find("/session") != std::string::npos) {
        return {StorageClass::network, fmt::format("{} is a disk over the network", named)};
    }
    const bool paravirtual = label.starts_with("vd") || label.starts_with("xvd");
    if (paravirtual ||
        std::any_of(kHypervisorDisks.begin(), kHypervisorDisks.end(),
                    [&](std::string_view maker) { return model.find(maker) != std::string::npos; })) {
        return {StorageClass::virtualDisk,
                fmt::format("{} is a virtual machine's disk; what is under it can't be seen from the guest",
                            named)};
    }
    const std::string rotational = sysAttribute(directory / "queue" / "rotational");
    if (rotational == "1" || rotational == "0") {
        return {rotational == "1" ? StorageClass::rotational : StorageClass::ssd,
                fmt::format("{}: queue/rotational is {}", named, rotational)};
    }
    return {StorageClass::unknown, fmt::format("{} doesn't say whether it rotates", named)};
}

std::optional<Bytes> Resolver::readAhead(const MountEntry& entry) const {
    const auto named = [this](const std::string& bdi) {
        return kibFile(fmt::format("{}/class/bdi/{}/read_ahead_kb", sys_, bdi));
    };
    const std::string own = fmt::format("{}:{}", major(entry.device), minor(entry.device));
    if (auto value = named(own)) {
        return value;
    }
    if (auto value = named(own + "-fuseblk")) {
        return value;
    }
    const auto device = blockDeviceOf(entry);
    const fs::path directory = device ? blockDirectory(*device, sys_) : fs::path();
    if (directory.empty()) {
        return std::nullopt;
    }
    const fs::path top = wholeDisk(directory);
    if (entry.filesystem == "btrfs") {
        // Its superblock has a backing device of its own, found by a member's name.
        std::error_code error;
        for (const auto& uuid : fs::directory_iterator(sys_ + "/fs/btrfs", error)) {
            if (fs::exists(uuid.path() / "devices" / directory.filename(), error)) {
                return kibFile((uuid.path() / "bdi" / "read_ahead_kb").string());
            }
        }
        return std::nullopt;
    }
    // A partition's readahead is its whole disk's.
    return named(sysAttribute(top / "dev"));
}

}  // namespace

StorageFacts storageOf(const MountEntry& mount, const std::vector<MountEntry>& mounts,
                       const std::string& sysRoot) {
    const Resolver resolver(mounts, sysRoot);
    Kind kind = resolver.mount(mount, 0);
    return {kind.storage, std::move(kind.reason), resolver.readAhead(mount),
            storageChain(mount, mounts, sysRoot)};
}

}  // namespace mmapscope
