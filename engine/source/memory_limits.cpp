#include "source/memory_limits.h"

#include "probe/meminfo.h"

namespace mmapscope {

std::optional<Limit> availableMemory() {
    const auto meminfo = readMeminfo();
    if (!meminfo || !meminfo->available) {
        return std::nullopt;
    }
    return Limit{*meminfo->available, "MemAvailable of /proc/meminfo"};
}

std::optional<Limit> cgroupMemoryLimit() {
    return smallestGroupLimit("memory", "memory.limit_in_bytes", "memory.max");
}

std::optional<Limit> cgroupHugePageLimit() {
    return smallestGroupLimit("hugetlb", "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max");
}

}  // namespace mmapscope
