#include "probe/storage_chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/mount_source.h"

namespace mmapscope {
namespace {

constexpr unsigned kDeepest = 8;
constexpr std::size_t kMost = 64;
constexpr std::string_view kLoop = "loop over ";

/// "FUSE mergerfs" of fuse.mergerfs.
std::string fuseKind(std::string_view filesystem) {
    const std::size_t dot = filesystem.find('.');
    return dot == std::string_view::npos ? std::string("FUSE")
                                         : fmt::format("FUSE {}", filesystem.substr(dot + 1));
}

class Chain {
  public:
    Chain(const std::vector<MountEntry>& mounts, const std::string& sysRoot)
        : mounts_(mounts), sysRoot_(sysRoot) {}

    void follow(const MountEntry& mount, unsigned depth) {
        if (depth >= kDeepest || layers.size() >= kMost) {
            return;
        }
        switch (kindOfMount(mount.filesystem)) {
            case MountKind::memory:
                return;
            case MountKind::network:
                add(depth, mount.source, fmt::format("network filesystem {}", mount.filesystem));
                return;
            case MountKind::fuse:
                add(depth, mount.source, fuseKind(mount.filesystem));
                return block(mount, depth + 1);
            case MountKind::overlay:
                return overlay(mount, depth);
            case MountKind::block:
                return block(mount, depth);
        }
    }

    std::vector<StorageLayer> layers;

  private:
    void add(unsigned depth, std::string name, std::string kind) {
        if (layers.size() < kMost) {
            StorageLayer& layer = layers.emplace_back();
            layer.depth = depth;
            layer.name = std::move(name);
            layer.kind = std::move(kind);
        }
    }

    void overlay(const MountEntry& mount, unsigned depth) {
        std::string paths;
        std::size_t lower = 0;
        std::vector<const MountEntry*> below;
        bool hidden = false;
        for (const OverlayBranch& branch : overlayBranches(mount, mounts_)) {
            if (branch.upper) {
                paths += fmt::format("upper {}", branch.path);
            } else if (lower++ == 0) {
                paths += fmt::format("{}lower {}", paths.empty() ? "" : ", ", branch.path);
            }
            hidden = hidden || branch.mount == nullptr;
            if (branch.mount != nullptr &&
                std::find(below.begin(), below.end(), branch.mount) == below.end()) {
                below.push_back(branch.mount);
            }
        }
        if (lower > 1) {
            paths += fmt::format(" and {} more", lower - 1);
        }
        add(depth, "overlay",
            fmt::format("{}{}", paths.empty() ? "branches" : paths,
                        hidden || paths.empty() ? ", not seen from here" : ""));
        for (const MountEntry* one : below) {
            follow(*one, depth + 1);
        }
    }

    void block(const MountEntry& mount, unsigned depth) {
        const auto device = blockDeviceOf(mount);
        if (!device) {
            return;
        }
        for (StorageLayer& layer : storageLayers(blockDirectory(*device, sysRoot_).string())) {
            if (layers.size() >= kMost) {
                return;
            }
            layer.depth += depth;
            const unsigned at = layer.depth;
            const std::string kind = layer.kind;
            layers.push_back(std::move(layer));
            if (kind.starts_with(kLoop)) {
                const MountEntry* under =
                    findMount(mounts_, std::nullopt, std::nullopt, kind.substr(kLoop.size()));
                if (under != nullptr && under->id != mount.id) {
                    follow(*under, at + 1);
                }
            }
        }
    }

    const std::vector<MountEntry>& mounts_;
    const std::string& sysRoot_;
};

}  // namespace

std::vector<StorageLayer> storageChain(const MountEntry& mount, const std::vector<MountEntry>& mounts,
                                       const std::string& sysRoot) {
    Chain chain(mounts, sysRoot);
    chain.follow(mount, 0);
    return std::move(chain.layers);
}

}  // namespace mmapscope
