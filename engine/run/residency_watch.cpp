#include "run/residency_watch.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <system_error>

#include "probe/residency.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCells = 256;
constexpr std::size_t kMostLooks = 200;
constexpr auto kPeriod = std::chrono::milliseconds(20);
constexpr int kShare = 50;

}  // namespace

ResidencyWatch::ResidencyWatch(const RunRequest& request) {
    if (!request.members.empty()) {
        history_.reason = "not available here: a folder";
        return;
    }
    auto facts = inspectFile(request.path);
    if (!facts) {
        history_.reason = facts.error().message;
        return;
    }
    file_ = std::move(*facts);
    if (const auto told = residencyOf(file_, {Bytes(0), file_.bytes}); !told) {
        history_.reason = told.error().message;
        return;
    }
    look();
}

ResidencyWatch::~ResidencyWatch() = default;

void ResidencyWatch::look() {
    const auto before = Clock::now();
    const auto map = residencyMap(file_, kCells);
    const auto after = Clock::now();
    cost_ = after - before;
    if (!map) {
        return;  // what was seen until now stands
    }
    ResidencyHistory::Look one;
    one.cells.reserve(map->size());
    for (const float share : *map) {
        one.cells.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0F, 1.0F) * 255)));
    }
    times_.push_back(before + (after - before) / 2);
    history_.looks.push_back(std::move(one));
}

void ResidencyWatch::start() {
    if (!history_.reason.empty()) {
        return;
    }
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any wake;
            std::unique_lock lock(mutex);
            while (history_.looks.size() < kMostLooks) {
                const auto pause = std::max<std::chrono::nanoseconds>(kPeriod, cost_ * kShare);
                if (wake.wait_for(lock, stop, pause, [] { return false; }); stop.stop_requested()) {
                    return;
                }
                look();
            }
        });
    } catch (const std::system_error&) {
        // Without a thread there are the looks before and after.
    }
}

ResidencyHistory ResidencyWatch::stop(Clock::rep clockStart) {
    thread_ = {};
    if (history_.reason.empty()) {
        look();
        const Clock::time_point zero{Clock::duration(clockStart)};
        for (std::size_t i = 0; i < history_.looks.size(); ++i) {
            history_.looks[i].tNs = std::chrono::nanoseconds(times_[i] - zero).count();
        }
    }
    return std::move(history_);
}

}  // namespace mmapscope
