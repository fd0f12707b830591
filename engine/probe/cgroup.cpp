#include "probe/cgroup.h"

#include "probe/fields.h"

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
