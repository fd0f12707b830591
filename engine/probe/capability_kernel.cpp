#include <fmt/format.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/unique_fd.h"
#include "probe/capability_checks.h"
#include "probe/fields.h"
#include "probe/perf_events.h"

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

void addCounter(std::vector<Capability>& found, std::string_view id, std::string_view title,
                std::string_view event) {
    const PerfFinding look = lookAtPerfEvent(*findPerfEvent(event));
    if (!look.available) {
        found.push_back(no(id, title, look.reason, look.unlock));
        return;
    }
    Capability there = yes(id, title, look.userOnly ? look.reason : "user and kernel mode");
    there.unlock = look.unlock;
    found.push_back(std::move(there));
}

}  // namespace

void addKernelInterfaceCapabilities(std::vector<Capability>& found) {
    addIoUring(found);
    addCounter(found, "perf-page-faults", "Page-fault events by perf", "perf_page_faults");
    addCounter(found, "perf-cycles", "Cycle counters by perf", "perf_cycles");
    addCounter(found, "perf-dtlb", "TLB-miss counters by perf", "perf_dtlb_load_misses");
}

}  // namespace mmapscope
