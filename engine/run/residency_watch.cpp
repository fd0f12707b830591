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
constexpr std::size_t kMostLooks = 64;
constexpr int kShare = 50;  ///< a look is followed by a pause this many times as long
/// Before and after the run, where a look delays but disturbs nothing.
constexpr std::uint64_t kMostPages = std::uint64_t{1} << 20U;
/// Least pages a cell in a look during the run: a single call of mincore(2).
constexpr std::uint64_t kLeastPages = 16 * kCells;

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
    // Whether the kernel tells at all; how much is there is the looks' work.
    if (const auto told = residencyOf(file_, {Bytes(0), std::min(file_.bytes, pageSize())}); !told) {
        history_.reason = told.error().message;
        return;
    }
    history_.fileBytes = file_.bytes;
    if (const Status looked = look(kMostPages); !looked) {
        history_.reason = looked.error().message;
    }
}

ResidencyWatch::~ResidencyWatch() = default;

std::uint64_t ResidencyWatch::affordablePages() const {
    const auto allowed = std::chrono::nanoseconds(kResidencyPeriod) / kShare;
    const double part = double(allowed.count()) / double(std::max<std::int64_t>(cost_.count(), 1));
    return std::clamp(static_cast<std::uint64_t>(double(looked_) * part), kLeastPages, kMostPages);
}

Status ResidencyWatch::look(std::uint64_t mostPages) {
    const auto before = Clock::now();
    const auto picture = residencyPicture(file_, kCells, mostPages);
    const auto after = Clock::now();
    cost_ = after - before;
    looked_ = std::min(mostPages, roundUp(file_.bytes, pageSize()) / pageSize());
    if (!picture) {
        return tl::unexpected(picture.error());
    }
    ResidencyHistory::Look one;
    one.sampled = picture->sampled;
    one.cells.reserve(picture->shares.size());
    for (const float share : picture->shares) {
        one.cells.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0F, 1.0F) * 255)));
    }
    times_.push_back(before + (after - before) / 2);
    history_.looks.push_back(std::move(one));
    return {};
}

void ResidencyWatch::thinOut() {
    for (std::size_t i = 1; 2 * i < history_.looks.size(); ++i) {
        history_.looks[i] = std::move(history_.looks[2 * i]);
        times_[i] = times_[2 * i];
    }
    const std::size_t left = (history_.looks.size() + 1) / 2;
    history_.looks.resize(left);
    times_.resize(left);
    period_ *= 2;
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
            std::chrono::nanoseconds spent{0};  // the look before the run was none of its time
            while (true) {
                const auto pause = std::max<std::chrono::nanoseconds>(period_, spent * kShare);
                if (wake.wait_for(lock, stop, pause, [] { return false; }); stop.stop_requested()) {
                    return;
                }
                if (!look(affordablePages())) {
                    return;  // gone or replaced: the look after the run says why
                }
                spent = cost_;
                if (history_.looks.size() >= kMostLooks) {
                    thinOut();
                }
            }
        });
    } catch (const std::system_error&) {
        // Without a thread there are the looks before and after.
    }
}

ResidencyHistory ResidencyWatch::stop(Clock::rep clockStart) {
    thread_ = {};
    if (history_.reason.empty()) {
        if (const Status looked = look(kMostPages); !looked) {
            history_.looks.clear();
            history_.reason = looked.error().message;
        }
        const Clock::time_point zero{Clock::duration(clockStart)};
        for (std::size_t i = 0; i < history_.looks.size(); ++i) {
            history_.looks[i].tNs = std::chrono::nanoseconds(times_[i] - zero).count();
        }
    }
    return std::move(history_);
}

}  // namespace mmapscope
