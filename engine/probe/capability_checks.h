// The findings of capabilities(), by subject. Each looks and changes nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/system_facts.h"

namespace mmapscope {

[[nodiscard]] Capability yes(std::string_view id, std::string_view title, std::string detail);
[[nodiscard]] Capability no(std::string_view id, std::string_view title, std::string reason,
                            std::string unlock = {});

/// Pools, transparent huge pages, advice, residency, pagemap, background reclaim.
void addMemoryCapabilities(std::vector<Capability>& found);
/// io_uring and performance counters: what a sysctl, seccomp or a hypervisor may withhold.
void addKernelInterfaceCapabilities(std::vector<Capability>& found);
/// Memory cgroup, hypervisor, vector units, TLBs.
void addMachineCapabilities(std::vector<Capability>& found);

}  // namespace mmapscope
