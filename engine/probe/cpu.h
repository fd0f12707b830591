// What the processor says of itself, as far as a hypervisor lets it.
#pragma once

#include <optional>
#include <string>

namespace mmapscope {

/// Name of the hypervisor under this kernel ("KVM", "VMware" …, or its own signature), by CPUID on x86 and by
/// /sys/hypervisor and the device tree elsewhere; nullopt on bare metal or where nothing tells.
[[nodiscard]] std::optional<std::string> hypervisorName();

/// "SSE2, SSSE3, AVX2, AVX-512F, SHA": vector and hash instructions both the CPU and the kernel offer; empty
/// on an architecture this doesn't know.
[[nodiscard]] std::string vectorUnits();

}  // namespace mmapscope
