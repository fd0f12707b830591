#include <fmt/format.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/unique_fd.h"
#include "probe/capability_checks.h"
#include "probe/cpu.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

/// The text of a sysctl file without its newline; empty when it isn't there.
std::string setting(const std::string& path) {
    const auto text = readKernelText(path);
    return text ? std::string(trimmed(*text)) : std::string();
}

void addIoUring(std::vector<Capability>& found) {
    constexpr std::string_view kId = "io-uring";
    constexpr std::string_view kTitle = "io_uring";
    io_uring_params parameters{};
    const UniqueFd ring(static_cast<int>(::syscall(SYS_io_uring_setup, 4U, &parameters)));
    const int error = errno;
    if (ring) {
        found.push_back(yes(kId, kTitle, "a ring can be set up"));
        return;
    }
    const std::string disabled = setting("/proc/sys/kernel/io_uring_disabled");
    if (error == ENOSYS) {
        found.push_back(no(kId, kTitle, "this kernel has none, or a seccomp filter hides it"));
    } else if (error == EPERM && !disabled.empty() && disabled != "0") {
        found.push_back(no(kId, kTitle, fmt::format("forbidden: kernel.io_uring_disabled is {}", disabled),
                           "sudo sysctl kernel.io_uring_disabled=0"));
    } else if (error == EPERM || error == EACCES) {
        found.push_back(
            no(kId, kTitle, "forbidden by a seccomp filter or security module (a container's usual rule)",
               "run outside the container, or with a seccomp profile that allows io_uring_setup"));
    } else if (error == ENOMEM) {
        found.push_back(
            no(kId, kTitle, "the locked-memory limit is too small for a ring", "ulimit -l unlimited"));
    } else {
        found.push_back(no(kId, kTitle, std::strerror(error)));
    }
}

/// A counter of this thread; errno says why there is none.
UniqueFd openCounter(std::uint32_t type, std::uint64_t config, bool excludeKernel) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = config;
    attributes.disabled = 1;
    attributes.exclude_kernel = excludeKernel ? 1 : 0;
    attributes.exclude_hv = 1;
    return UniqueFd(
        static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

void addCounter(std::vector<Capability>& found, std::string_view id, std::string_view title,
                std::uint32_t type, std::uint64_t config) {
    const std::string paranoid = setting("/proc/sys/kernel/perf_event_paranoid");
    if (openCounter(type, config, false)) {
        found.push_back(yes(id, title, "user and kernel mode"));
        return;
    }
    if (openCounter(type, config, true)) {
        Capability part =
            yes(id, title,
                fmt::format("user mode only (kernel.perf_event_paranoid is {}): what happens inside "
                            "system calls is not shown",
                            paranoid));
        part.unlock = "sudo sysctl kernel.perf_event_paranoid=1";
        found.push_back(std::move(part));
        return;
    }
    const int error = errno;
    const bool hardware = type != PERF_TYPE_SOFTWARE;
    if (hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)) {
        const auto hypervisor = hypervisorName();
        found.push_back(
            no(id, title,
               hypervisor
                   ? fmt::format("this virtual machine ({}) has no performance-monitoring unit", *hypervisor)
                   : "this CPU or kernel offers no such counter",
               hypervisor ? "the host has to give the guest a virtual PMU" : ""));
    } else if (error == EACCES || error == EPERM) {
        found.push_back(no(id, title,
                           fmt::format("forbidden: kernel.perf_event_paranoid is {}, or a seccomp filter",
                                       paranoid.empty() ? "hidden" : paranoid),
                           "sudo sysctl kernel.perf_event_paranoid=1"));
    } else if (error == ENOSYS) {
        found.push_back(no(id, title, "this kernel has no perf events, or a seccomp filter hides them"));
    } else {
        found.push_back(no(id, title, std::strerror(error)));
    }
}

}  // namespace

void addKernelInterfaceCapabilities(std::vector<Capability>& found) {
    addIoUring(found);
    addCounter(found, "perf-page-faults", "Page-fault events by perf", PERF_TYPE_SOFTWARE,
               PERF_COUNT_SW_PAGE_FAULTS);
    constexpr std::uint64_t kTlbLoadMisses = PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8U) |
                                             (PERF_COUNT_HW_CACHE_RESULT_MISS << 16U);
    addCounter(found, "perf-dtlb", "TLB-miss counters by perf", PERF_TYPE_HW_CACHE, kTlbLoadMisses);
}

}  // namespace mmapscope
