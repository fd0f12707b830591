// What the rest of the machine did while a run worked. Kept in the run's counters, so that a study read back
// from its file gives the same warnings.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mmapscope {

/// Names in RunRecord::counters. Missing: not told here.
namespace machine_counter {
inline constexpr const char* kSpan = "machine_span_ns";  ///< wall time between the two looks
inline constexpr const char* kBusy = "machine_busy_ns";  ///< all CPUs, /proc/stat without idle, iowait, steal
inline constexpr const char* kOwn =
    "machine_own_cpu_ns";  ///< this process and its reaped children, getrusage(2)
inline constexpr const char* kStolen = "machine_stolen_ns";        ///< all CPUs, /proc/stat steal
inline constexpr const char* kSwapIn = "machine_swap_in_pages";    ///< /proc/vmstat pswpin
inline constexpr const char* kSwapOut = "machine_swap_out_pages";  ///< /proc/vmstat pswpout
inline constexpr const char* kThrottled =
    "machine_throttle_events";  ///< sum of cpu*/thermal_throttle/core_throttle_count
inline constexpr const char* kClock =
    "machine_cpu_khz";  ///< fastest CPU after the run, cpufreq scaling_cur_freq
}  // namespace machine_counter

/// One look, outside any run's clock (about 0.1 ms).
class MachineState {
  public:
    [[nodiscard]] static MachineState now();
    /// Adds what happened since `before` to a run's counters. Counters that went backwards are left out.
    void addTo(std::map<std::string, std::uint64_t>& counters, const MachineState& before) const;

  private:
    std::chrono::steady_clock::time_point time_;
    std::chrono::nanoseconds own_{0};
    std::optional<std::uint64_t> busyNs_, stolenNs_, swapIn_, swapOut_, throttled_, clockKhz_;
};

}  // namespace mmapscope
