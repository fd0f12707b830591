#include "probe/mount_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 14> kNetwork{"nfs",  "nfs4",   "cifs",     "smb3", "smbfs",
                                                    "ceph", "9p",     "virtiofs", "afs",  "lustre",
                                                    "gpfs", "beegfs", "orangefs", "coda"};
constexpr std::array<std::string_view, 5> kMemory{"tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "rootfs"};

bool among(const auto& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Pieces between `separator`s, but not at those a backslash stands before, as overlayfs escapes its paths.
std::vector<std::string> splitEscaped(std::string_view text, char separator, bool undo) {
    std::vector<std::string> pieces(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            if (!undo) {
                pieces.back() += text[i];
            }
            pieces.back() += text[++i];
        } else if (text[i] == separator) {
            pieces.emplace_back();
        } else {
            pieces.back() += text[i];
        }
    }
    std::erase(pieces, std::string());
    return pieces;
}

}  // namespace

MountKind kindOfMount(std::string_view type) {
    if (type == "fuse" || type == "fuseblk" || type.starts_with("fuse.")) {
        return MountKind::fuse;
    }
    return among(kNetwork, type)  ? MountKind::network
           : among(kMemory, type) ? MountKind::memory
           : type == "overlay"    ? MountKind::overlay
                                  : MountKind::block;
}

std::optional<dev_t> blockDeviceOf(const MountEntry& mount) {
    if (major(mount.device) != 0) {
        return mount.device;
    }
    struct stat st {};
    if (mount.source.starts_with('/') && ::stat(mount.source.c_str(), &st) == 0 && S_ISBLK(st.st_mode)) {
        return st.st_rdev;
    }
    return std::nullopt;
}

fs::path blockDirectory(dev_t device, const std::string& sysRoot) {
    std::error_code error;
    const fs::path found =
        fs::canonical(fmt::format("{}/dev/block/{}:{}", sysRoot, major(device), minor(device)), error);
    return error ? fs::path() : found;
}

std::vector<OverlayBranch> overlayBranches(const MountEntry& overlay, const std::vector<MountEntry>& mounts) {
    std::vector<OverlayBranch> branches;
    const auto add = [&](bool upper, const std::string& path) {
        std::error_code error;
        const MountEntry* mount =
            fs::exists(path, error) ? findMount(mounts, std::nullopt, std::nullopt, path) : nullptr;
        // A path that is only found inside the overlay itself isn't the one it was mounted over.
        branches.push_back({upper, path, mount != nullptr && mount->id == overlay.id ? nullptr : mount});
    };
    for (const std::string& option : splitEscaped(overlay.superOptions, ',', false)) {
        const std::string value = option.substr(option.find('=') + 1);
        if (option.starts_with("upperdir=")) {
            for (const std::string& path : splitEscaped(value, '\0', true)) {
                add(true, path);
            }
        } else if (option.starts_with("lowerdir=") || option.starts_with("lowerdir+=")) {
            for (const std::string& path : splitEscaped(value, ':', true)) {
                add(false, path);
            }
        }
    }
    std::stable_partition(branches.begin(), branches.end(), [](const auto& one) { return one.upper; });
    return branches;
}

}  // namespace mmapscope
