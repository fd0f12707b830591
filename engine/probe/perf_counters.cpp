#include "probe/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace mmapscope {

std::string CountableEvent::key() const {
    return std::string(event->id) + (userOnly ? "_user" : "");
}

const std::vector<CountableEvent>& countableEvents() {
    static const std::vector<CountableEvent> found = [] {
        std::vector<CountableEvent> list;
        for (const PerfEvent& event : perfEvents()) {
            if (const PerfFinding look = lookAtPerfEvent(event); look.available) {
                list.push_back({&event, look.userOnly});
            }
        }
        return list;
    }();
    return found;
}

PerfCounters::PerfCounters() {
    for (const CountableEvent& what : countableEvents()) {
        if (UniqueFd fd = openPerfEvent(*what.event, what.userOnly, true)) {
            open_.push_back({what, std::move(fd)});
        }
    }
}

void PerfCounters::start() noexcept {
    for (const Open& one : open_) {
        ::ioctl(one.fd.get(), PERF_EVENT_IOC_RESET, 0);
        ::ioctl(one.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
    }
}

void PerfCounters::addTo(std::map<std::string, PerfCount>& total) const {
    // First all of them stop: what reading costs belongs to none.
    for (const Open& one : open_) {
        ::ioctl(one.fd.get(), PERF_EVENT_IOC_DISABLE, 0);
    }
    for (const Open& one : open_) {
        struct {
            std::uint64_t value, enabled, running;
        } read{};
        if (::read(one.fd.get(), &read, sizeof read) != static_cast<ssize_t>(sizeof read)) {
            continue;
        }
        if (read.enabled > 0 && read.running == 0) {
            continue;  // it never got one of the CPU's counters: not known, not 0
        }
        const double share =
            read.enabled == 0 ? 1.0 : static_cast<double>(read.running) / static_cast<double>(read.enabled);
        PerfCount& sum = total[one.what.key()];
        sum.value +=
            share < 1.0 ? static_cast<std::uint64_t>(static_cast<double>(read.value) / share) : read.value;
        sum.measured = std::min(sum.measured, share);
    }
}

}  // namespace mmapscope
