#include <fmt/format.h>
#include <unistd.h>

#include "probe/capability_checks.h"
#include "probe/cgroup.h"
#include "probe/cpu.h"
#include "probe/cpu_tlb.h"

namespace mmapscope {
namespace {

void addMemoryCap(std::vector<Capability>& found) {
    constexpr std::string_view kId = "memory-cap";
    constexpr std::string_view kTitle = "Memory cap by cgroup";
    const auto mounts = readKernelText("/proc/self/mountinfo");
    const auto groups = readKernelText("/proc/self/cgroup");
    const auto group = mounts && groups ? findMemoryGroup(parseMountInfo(*mounts), *groups) : std::nullopt;
    if (!group) {
        found.push_back(no(kId, kTitle, "no cgroup memory controller is mounted"));
        return;
    }
    const std::string& directory = group->directory;
    if (::access(directory.c_str(), W_OK) != 0) {
        found.push_back(
            no(kId, kTitle,
               fmt::format("cgroup version {}: {} is not ours to divide", group->version, directory),
               "run as root, or under: systemd-run --user --scope -p Delegate=yes …"));
        return;
    }
    if (group->version == 2) {
        const auto controllers = readKernelText(directory + "/cgroup.controllers");
        if (!controllers || !holdsWord(*controllers, "memory")) {
            found.push_back(
                no(kId, kTitle,
                   fmt::format("cgroup version 2: the memory controller is not given to {}", directory),
                   "run as root, or under: systemd-run --user --scope -p Delegate=yes …"));
            return;
        }
    }
    found.push_back(yes(
        kId, kTitle, fmt::format("cgroup version {}, groups can be made in {}", group->version, directory)));
}

void addTlb(std::vector<Capability>& found) {
    constexpr std::string_view kId = "tlb";
    constexpr std::string_view kTitle = "TLB geometry";
    const TlbGeometry tlb = tlbGeometry();
    if (!tlb.told()) {
        found.push_back(no(kId, kTitle, tlb.reason));
        return;
    }
    std::string list;
    for (const TlbArray& array : tlb.arrays) {
        list += (list.empty() ? "" : "; ") + describe(array);
    }
    found.push_back(
        yes(kId, kTitle,
            fmt::format("what {} says: {}{}{}{}", tlb.source, list, tlb.reason.empty() ? "" : " (",
                        tlb.reason, tlb.reason.empty() ? "" : ")")));
}

}  // namespace

void addMachineCapabilities(std::vector<Capability>& found) {
    addMemoryCap(found);
    if (const auto hypervisor = hypervisorName()) {
        found.push_back(
            no("bare-metal", "Bare metal",
               fmt::format("a virtual machine ({}): the host's own cache and page sizes can't be seen "
                           "from here, so \"cold\" is cold as far as the guest can see",
                           *hypervisor)));
    } else {
        found.push_back(yes("bare-metal", "Bare metal", "no hypervisor announces itself"));
    }
    const std::string units = vectorUnits();
    if (units.empty()) {
        found.push_back(no("simd", "Vector units", "this architecture's are not known here"));
    } else {
        found.push_back(yes("simd", "Vector units", units));
    }
    addTlb(found);
}

}  // namespace mmapscope
