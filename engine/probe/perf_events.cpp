#include "probe/perf_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "probe/cpu.h"
#include "probe/fields.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

constexpr std::uint64_t cacheEvent(std::uint64_t cache, std::uint64_t operation, std::uint64_t result) {
    return cache | operation << 8U | result << 16U;
}
constexpr std::uint64_t kDtlbLoads =
    cacheEvent(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS);
constexpr std::uint64_t kDtlbLoadMisses =
    cacheEvent(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS);
constexpr std::uint64_t kLlcLoadMisses =
    cacheEvent(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS);

// No generic event counts the cycles of page walks, and what each CPU's own is called the kernel doesn't say.
constexpr PerfEvent kEvents[] = {
    {"perf_page_faults", "Page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"perf_minor_faults", "Minor faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"perf_major_faults", "Major faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"perf_context_switches", "Context switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf_cpu_migrations", "CPU migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"perf_cycles", "Cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
    {"perf_instructions", "Instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
    {"perf_dtlb_loads", "dTLB loads", PERF_TYPE_HW_CACHE, kDtlbLoads, true},
    {"perf_dtlb_load_misses", "dTLB load misses", PERF_TYPE_HW_CACHE, kDtlbLoadMisses, true},
    {"perf_llc_load_misses", "Last-level cache load misses", PERF_TYPE_HW_CACHE, kLlcLoadMisses, true},
};

std::string paranoidLevel() {
    const auto text = readKernelText("/proc/sys/kernel/perf_event_paranoid");
    return text ? std::string(trimmed(*text)) : std::string("hidden");
}

constexpr std::string_view kAllowKernel = "sudo sysctl kernel.perf_event_paranoid=1";

PerfFinding explain(const PerfEvent& event, int error) {
    PerfFinding no;
    if (event.hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)) {
        if (const auto hypervisor = hypervisorName()) {
            no.reason = fmt::format(
                "this virtual machine ({}) has no performance-monitoring unit, or none "
                "with this event",
                *hypervisor);
            no.unlock = "the host has to give the guest a virtual PMU";
        } else {
            no.reason = "this CPU or kernel offers no such counter";
        }
    } else if (error == EACCES || error == EPERM) {
        no.reason =
            fmt::format("forbidden: kernel.perf_event_paranoid is {}, or a seccomp filter", paranoidLevel());
        no.unlock = kAllowKernel;
    } else if (error == ENOSYS) {
        no.reason = "this kernel has no perf events, or a seccomp filter hides them";
    } else if (error == EMFILE) {
        no.reason = "no descriptor is left for it: too many open files";
        no.unlock = "ulimit -n 4096";
    } else {
        no.reason = std::strerror(error);
    }
    return no;
}

}  // namespace

std::span<const PerfEvent> perfEvents() {
    return kEvents;
}

const PerfEvent* findPerfEvent(std::string_view id) {
    const auto it =
        std::find_if(std::begin(kEvents), std::end(kEvents), [&](const PerfEvent& e) { return e.id == id; });
    return it == std::end(kEvents) ? nullptr : &*it;
}

UniqueFd openPerfEvent(const PerfEvent& event, bool userOnly, bool inherit) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.disabled = 1;
    attributes.inherit = inherit ? 1 : 0;
    attributes.exclude_kernel = userOnly ? 1 : 0;
    attributes.exclude_hv = 1;
    // With more events than the CPU has counters each gets a part of the time; how much tells whether a
    // number is the whole of it.
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return UniqueFd(
        static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

PerfFinding lookAtPerfEvent(const PerfEvent& event) {
    PerfFinding found;
    if (openPerfEvent(event, false, false)) {
        found.available = true;
        return found;
    }
    const int error = errno;
    if ((error == EACCES || error == EPERM) && openPerfEvent(event, true, false)) {
        found.available = true;
        found.userOnly = true;
        found.reason = fmt::format(
            "user mode only (kernel.perf_event_paranoid is {}): what happens inside "
            "system calls is not shown",
            paranoidLevel());
        found.unlock = kAllowKernel;
        return found;
    }
    return explain(event, error);
}

}  // namespace mmapscope
