// Counts perf events on one thread and on those it starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/unique_fd.h"
#include "probe/perf_events.h"

namespace mmapscope {

/// The events this process may count, looked for once.
struct CountableEvent {
    const PerfEvent* event = nullptr;
    bool userOnly = false;
    /// Key of its count: the event's id, with "_user" where kernel mode isn't permitted.
    [[nodiscard]] std::string key() const;
};
[[nodiscard]] const std::vector<CountableEvent>& countableEvents();

struct PerfCount {
    std::uint64_t value = 0;  ///< extrapolated where the CPU's counters had to be shared
    double measured = 1;      ///< share of the time it really counted, 0 to 1
};

class PerfCounters {
  public:
    /// Opens the events on the calling thread; one that can't be had is left out. Not counting yet.
    PerfCounters();

    /// Counts from 0 from here. Two system calls an event.
    void start() noexcept;
    /// Stops, and adds what was counted to `total`, by key. Threads it started have to be gone, to be counted
    /// whole.
    void addTo(std::map<std::string, PerfCount>& total) const;

  private:
    struct Open {
        CountableEvent what;
        UniqueFd fd;
    };
    std::vector<Open> open_;
};

}  // namespace mmapscope
