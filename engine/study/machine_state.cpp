#include "study/machine_state.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "probe/fields.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

/// The number after "key " at a line's start.
std::optional<std::uint64_t> lineValue(std::string_view text, std::string_view key) {
    Lines lines(text);
    while (const auto line = lines.next()) {
        Fields fields(*line);
        if (fields.next() == key) {
            return parseUnsigned(fields.next());
        }
    }
    return std::nullopt;
}

/// proc(5), /proc/stat "cpu": user nice system idle iowait irq softirq steal …; guest time is part of user.
struct CpuTicks {
    std::uint64_t busy = 0, stolen = 0;
};
std::optional<CpuTicks> cpuTicks(std::string_view stat) {
    Fields fields(stat.substr(0, stat.find('\n')));
    if (fields.next() != "cpu") {
        return std::nullopt;
    }
    std::array<std::uint64_t, 8> ticks{};
    for (auto& tick : ticks) {
        const auto value = parseUnsigned(fields.next());
        if (!value) {
            return std::nullopt;
        }
        tick = *value;
    }
    return CpuTicks{ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[7]};
}

std::chrono::nanoseconds cpuOf(int who) {
    rusage usage{};
    getrusage(who, &usage);
    const auto ns = [](const timeval& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

/// Folds one small number over the CPUs that have the file; nullopt when none has.
template <class Fold>
std::optional<std::uint64_t> overCpus(const char* file, Fold fold) {
    std::optional<std::uint64_t> result;
    static const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (long cpu = 0; cpu < cpus; ++cpu) {
        const auto text = readKernelText(fmt::format("/sys/devices/system/cpu/cpu{}/{}", cpu, file));
        if (!text && cpu == 0) {
            return std::nullopt;  // as good as always: all have it or none
        }
        if (const auto value = text ? parseUnsigned(trimmed(*text)) : std::nullopt) {
            result = result ? fold(*result, *value) : *value;
        }
    }
    return result;
}

}  // namespace

MachineState MachineState::now() {
    MachineState state;
    state.time_ = std::chrono::steady_clock::now();
    state.own_ = cpuOf(RUSAGE_SELF) + cpuOf(RUSAGE_CHILDREN);
    static const auto nsPerTick = 1'000'000'000ULL / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    if (const auto text = readKernelText("/proc/stat")) {
        if (const auto ticks = cpuTicks(*text)) {
            state.busyNs_ = ticks->busy * nsPerTick;
            state.stolenNs_ = ticks->stolen * nsPerTick;
        }
    }
    if (const auto text = readKernelText("/proc/vmstat")) {
        state.swapIn_ = lineValue(*text, "pswpin");
        state.swapOut_ = lineValue(*text, "pswpout");
    }
    state.throttled_ = overCpus("thermal_throttle/core_throttle_count",
                                [](std::uint64_t a, std::uint64_t b) { return a + b; });
    state.clockKhz_ =
        overCpus("cpufreq/scaling_cur_freq", [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return state;
}

void MachineState::addTo(std::map<std::string, std::uint64_t>& counters, const MachineState& before) const {
    const auto add = [&](const char* key, const std::optional<std::uint64_t>& was,
                         const std::optional<std::uint64_t>& is) {
        if (was && is && *is >= *was) {
            counters[key] = *is - *was;
        }
    };
    const auto span = std::chrono::nanoseconds(time_ - before.time_);
    counters[machine_counter::kSpan] = static_cast<std::uint64_t>(span.count());
    if (own_ >= before.own_) {
        counters[machine_counter::kOwn] = static_cast<std::uint64_t>((own_ - before.own_).count());
    }
    add(machine_counter::kBusy, before.busyNs_, busyNs_);
    add(machine_counter::kStolen, before.stolenNs_, stolenNs_);
    add(machine_counter::kSwapIn, before.swapIn_, swapIn_);
    add(machine_counter::kSwapOut, before.swapOut_, swapOut_);
    add(machine_counter::kThrottled, before.throttled_, throttled_);
    if (clockKhz_) {
        counters[machine_counter::kClock] = *clockKhz_;
    }
}

}  // namespace mmapscope
