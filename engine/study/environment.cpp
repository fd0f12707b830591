#include "study/environment.h"

#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>

#include "probe/cgroup.h"
#include "probe/cpu.h"
#include "probe/fields.h"
#include "probe/huge_pages.h"
#include "probe/meminfo.h"
#include "probe/mount_info.h"
#include "probe/perf_events.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

std::optional<std::string> wordOf(const std::string& path) {
    const auto text = readKernelText(path);
    if (!text || trimmed(*text).empty()) {
        return std::nullopt;
    }
    return std::string(trimmed(*text));
}

/// "model name" on x86, "Model" or "cpu" elsewhere (proc_cpuinfo(5)); the architecture where none is told.
std::string cpuName(const utsname& system) {
    if (const auto text = readKernelText("/proc/cpuinfo")) {
        for (const std::string_view key : {"model name", "Model", "cpu"}) {
            Lines lines(*text);
            while (const auto line = lines.next()) {
                const std::size_t colon = line->find(':');
                if (colon != std::string_view::npos && trimmed(line->substr(0, colon)) == key &&
                    !trimmed(line->substr(colon + 1)).empty()) {
                    return std::string(trimmed(line->substr(colon + 1)));
                }
            }
        }
    }
    return system.machine;
}

std::optional<int> cgroupVersion() {
    const auto mounts = readKernelText("/proc/self/mountinfo");
    const auto groups = readKernelText("/proc/self/cgroup");
    if (!mounts || !groups) {
        return std::nullopt;
    }
    const auto group = findMemoryGroup(parseMountInfo(*mounts), *groups);
    return group ? std::optional(group->version) : std::nullopt;
}

std::optional<int> swappiness() {
    const auto text = wordOf("/proc/sys/vm/swappiness");
    const auto value = text ? parseUnsigned(*text) : std::nullopt;
    return value && *value <= 200 ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<HugePagePool> hugePages() {
    const auto pool = poolOf(kHugePage);
    if (!pool) {
        return std::nullopt;
    }
    return HugePagePool{pool->size, pool->total, pool->free, pool->reserved, pool->surplus};
}

/// perf events, without their prefix: page_faults, dtlb_load_misses …
std::map<std::string, bool> counters() {
    constexpr std::string_view kPrefix = "perf_";
    std::map<std::string, bool> found;
    for (const PerfEvent& event : perfEvents()) {
        found[std::string(event.id.substr(kPrefix.size()))] = lookAtPerfEvent(event).available;
    }
    return found;
}

}  // namespace

Environment readEnvironment(const FileFacts& file) {
    utsname system{};
    uname(&system);
    Environment e;
    e.toolVersion = MMAPSCOPE_VERSION;
    e.kernel = system.release;
    e.cpu = cpuName(system);
    e.cores = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    if (const auto meminfo = readMeminfo()) {
        e.memory = meminfo->total;
    }
    e.page = pageSize();
    e.thp = readThpSettings();
    e.hugePages = hugePages();
    e.filesystem = file.filesystem;
    e.device = file.device;
    e.mountOptions = file.mountOptions;
    e.storage = file.storage;
    e.governor = wordOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    e.swappiness = swappiness();
    e.mglru = wordOf("/sys/kernel/mm/lru_gen/enabled");
    e.cgroupVersion = cgroupVersion();
    e.readAhead = file.readAhead;
    e.libzstd = ZSTD_versionString();
    e.openssl = OpenSSL_version(OPENSSL_VERSION_STRING);
    e.virtualMachine = hypervisorName();
    e.counters = counters();
    return e;
}

}  // namespace mmapscope
