#include "source/memory_limits.h"

#include <string_view>
#include <vector>

#include "probe/fields.h"
#include "probe/meminfo.h"
#include "probe/mount_info.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

// "…,memory,…" as /proc/self/cgroup and mount options list controllers.
bool lists(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (list.substr(0, comma) == word) {
            return true;
        }
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return false;
}

struct Hierarchy {
    bool version2 = false;
    std::string root;   // the part of the hierarchy that is mounted
    std::string point;  // where
};

// proc_pid_mountinfo(5): ID parent device root point options … - type source superOptions
std::vector<Hierarchy> hierarchies(std::string_view controller) {
    std::vector<Hierarchy> found;
    const auto text = readKernelText("/proc/self/mountinfo");
    Lines lines(text ? std::string_view(*text) : std::string_view());
    while (const auto line = lines.next()) {
        Fields fields(*line);
        for (int skipped = 0; skipped < 3; ++skipped) {
            (void)fields.next();
        }
        const std::string_view root = fields.next();
        const std::string_view point = fields.next();
        std::string_view word = fields.next();
        while (!word.empty() && word != "-") {
            word = fields.next();
        }
        const std::string_view type = fields.next();
        (void)fields.next();
        if (type == "cgroup2" || (type == "cgroup" && lists(fields.next(), controller))) {
            found.push_back({type == "cgroup2", undoOctalEscapes(root), undoOctalEscapes(point)});
        }
    }
    return found;
}

// Where this process is in it: "hierarchy:controllers:path" (cgroups(7)); version 2 names no controllers.
std::optional<std::string> groupPath(const Hierarchy& hierarchy, std::string_view controller) {
    const auto text = readKernelText("/proc/self/cgroup");
    Lines lines(text ? std::string_view(*text) : std::string_view());
    while (const auto line = lines.next()) {
        const std::size_t first = line->find(':');
        const std::size_t second = first == std::string_view::npos ? first : line->find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line->substr(first + 1, second - first - 1);
        if (hierarchy.version2 ? controllers.empty() : lists(controllers, controller)) {
            return std::string(line->substr(second + 1));
        }
    }
    return std::nullopt;
}

void keepSmaller(std::optional<Limit>& smallest, const std::string& file) {
    const auto text = readKernelText(file);
    const auto value = text ? parseUnsigned(trimmed(*text)) : std::nullopt;
    // No limit is "max" in version 2 and close to 2^63 in version 1.
    if (value && *value < (std::uint64_t{1} << 62U) && (!smallest || Bytes(*value) < smallest->bytes)) {
        smallest = Limit{Bytes(*value), file};
    }
}

// Every group from this process's own up to the mount's root can hold the limit that bites.
std::optional<Limit> smallestLimit(std::string_view controller, const char* file1, const char* file2) {
    std::optional<Limit> smallest;
    for (const Hierarchy& hierarchy : hierarchies(controller)) {
        auto path = groupPath(hierarchy, controller);
        if (!path) {
            continue;
        }
        if (hierarchy.root != "/" && path->starts_with(hierarchy.root)) {
            path->erase(0, hierarchy.root.size());
        }
        const char* const file = hierarchy.version2 ? file2 : file1;
        while (!path->empty() && *path != "/") {
            keepSmaller(smallest, hierarchy.point + *path + "/" + file);
            const std::size_t slash = path->rfind('/');
            path->erase(slash == std::string::npos ? 0 : slash);
        }
        keepSmaller(smallest, hierarchy.point + "/" + file);
    }
    return smallest;
}

}  // namespace

std::optional<Limit> availableMemory() {
    const auto meminfo = readMeminfo();
    if (!meminfo || !meminfo->available) {
        return std::nullopt;
    }
    return Limit{*meminfo->available, "MemAvailable of /proc/meminfo"};
}

std::optional<Limit> cgroupMemoryLimit() {
    return smallestLimit("memory", "memory.limit_in_bytes", "memory.max");
}

std::optional<Limit> cgroupHugePageLimit() {
    return smallestLimit("hugetlb", "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max");
}

}  // namespace mmapscope
