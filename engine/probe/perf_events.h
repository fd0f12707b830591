// Kernel and hardware events through perf_event_open(2), and why one isn't there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/unique_fd.h"

namespace mmapscope {

/// Key in a run's counters, words for people, and what perf_event_open(2) is asked for.
struct PerfEvent {
    std::string_view id;
    std::string_view title;
    std::uint32_t type = 0;
    std::uint64_t config = 0;
    bool hardware = false;  ///< needs a performance-monitoring unit
};

/// Those of the kernel first, then the CPU's.
[[nodiscard]] std::span<const PerfEvent> perfEvents();
/// nullptr when there is none of that id.
[[nodiscard]] const PerfEvent* findPerfEvent(std::string_view id);

struct PerfFinding {
    bool available = false;
    bool userOnly = false;  ///< kernel mode is not permitted: what happens inside system calls isn't counted
    std::string reason;     ///< why not, or why user mode only
    std::string unlock;
};
/// Opens it on the calling thread and closes it again.
[[nodiscard]] PerfFinding lookAtPerfEvent(const PerfEvent& event);

/// Disabled, on the calling thread; `inherit`: and on threads it will start. errno says why there is none.
[[nodiscard]] UniqueFd openPerfEvent(const PerfEvent& event, bool userOnly, bool inherit);

}  // namespace mmapscope
