#include "probe/cgroup.h"

#include "probe/fields.h"
#include "probe/machine_counters.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

/// Whether a comma-separated list ("rw,cpu,memory") holds `word`.
bool hasOption(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (list.substr(0, comma) == word) {
            return true;
        }
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return false;
}

/// The path of "4:memory:/path" or, for an empty controller, "0::/path".
std::optional<std::string_view> pathIn(std::string_view cgroupText, std::string_view controller) {
    Lines lines(cgroupText);
    while (const auto line = lines.next()) {
        const std::size_t first = line->find(':');
        const std::size_t second = first == std::string_view::npos ? first : line->find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line->substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : hasOption(controllers, controller)) {
            return line->substr(second + 1);
        }
    }
    return std::nullopt;
}

std::string join(const std::string& mountPoint, std::string_view path) {
    return path == "/" ? mountPoint : mountPoint + std::string(path);
}

void keepSmaller(std::optional<Limit>& smallest, const std::string& file) {
    const auto text = readKernelText(file);
    const auto value = text ? parseUnsigned(trimmed(*text)) : std::nullopt;
    // No limit is "max" in version 2 and close to 2^63 in version 1.
    if (value && *value < (std::uint64_t{1} << 62U) && (!smallest || Bytes(*value) < smallest->bytes)) {
        smallest = Limit{Bytes(*value), file};
    }
}

}  // namespace

std::optional<MemoryGroup> findMemoryGroup(const std::vector<MountEntry>& mounts,
                                           std::string_view cgroupText) {
    for (const MountEntry& mount : mounts) {
        if (mount.filesystem == "cgroup" && hasOption(mount.superOptions, "memory")) {
            if (const auto path = pathIn(cgroupText, "memory")) {
                return MemoryGroup{1, join(mount.mountPoint, *path)};
            }
        }
    }
    for (const MountEntry& mount : mounts) {
        if (mount.filesystem == "cgroup2") {
            if (const auto path = pathIn(cgroupText, "")) {
                return MemoryGroup{2, join(mount.mountPoint, *path)};
            }
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> ownGroupRefaults() {
    const auto mounts = readKernelText("/proc/self/mountinfo");
    const auto groups = readKernelText("/proc/self/cgroup");
    const auto own = mounts && groups ? findMemoryGroup(parseMountInfo(*mounts), *groups) : std::nullopt;
    if (!own) {
        return std::nullopt;
    }
    const auto text = readKernelText(own->directory + "/memory.stat");
    return text ? parseRefaults(*text) : std::nullopt;
}

std::optional<Limit> smallestGroupLimit(std::string_view controller, const std::string& file1,
                                        const std::string& file2) {
    std::optional<Limit> smallest;
    const auto mounts = readKernelText("/proc/self/mountinfo");
    const auto groups = readKernelText("/proc/self/cgroup");
    if (!mounts || !groups) {
        return std::nullopt;
    }
    for (const MountEntry& mount : parseMountInfo(*mounts)) {
        const bool version2 = mount.filesystem == "cgroup2";
        if (!version2 && (mount.filesystem != "cgroup" || !hasOption(mount.superOptions, controller))) {
            continue;
        }
        auto path = pathIn(*groups, version2 ? std::string_view() : controller);
        if (!path) {
            continue;
        }
        if (mount.root != "/" && path->starts_with(mount.root)) {
            path->remove_prefix(mount.root.size());
        }
        // Every group from this process's own up to the mount's root can hold the limit that bites.
        const std::string& file = version2 ? file2 : file1;
        while (!path->empty() && *path != "/") {
            keepSmaller(smallest, mount.mountPoint + std::string(*path) + "/" + file);
            const std::size_t slash = path->rfind('/');
            *path = path->substr(0, slash == std::string_view::npos ? 0 : slash);
        }
        keepSmaller(smallest, mount.mountPoint + "/" + file);
    }
    return smallest;
}

bool holdsWord(std::string_view list, std::string_view word) noexcept {
    Fields fields(trimmed(list));
    for (std::string_view field = fields.next(); !field.empty(); field = fields.next()) {
        if (field == word) {
            return true;
        }
    }
    return false;
}

}  // namespace mmapscope
