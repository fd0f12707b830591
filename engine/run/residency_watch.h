// Watches, in an inspection run, what of the file is in the page cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "probe/file_facts.h"
#include "run/run_record.h"

namespace mmapscope {

inline constexpr std::chrono::milliseconds kResidencyPeriod{50};

/// Looks once before the clock starts and once after it stopped, and in between from a thread of its own, no
/// more often than every 50 ms and never for more than a fiftieth of the time. mincore(2) takes up to 37 ms
/// for 2 GiB: of a file for which that is too much to look several times, the looks in between are sampled.
class ResidencyWatch {
  public:
    /// The look before. Only for single files: a folder's would map one after the other.
    explicit ResidencyWatch(const RunRequest& request);
    ~ResidencyWatch();
    ResidencyWatch(const ResidencyWatch&) = delete;
    ResidencyWatch& operator=(const ResidencyWatch&) = delete;

    void start();
    /// `clockStart`: steady_clock ticks of the run's zero.
    [[nodiscard]] ResidencyHistory stop(std::chrono::steady_clock::rep clockStart);

  private:
    [[nodiscard]] Status look(std::uint64_t mostPages);
    /// Pages that a look during the run may cost, by what the last look did.
    [[nodiscard]] std::uint64_t affordablePages() const;
    /// Every other look goes, and from here on they are half as many: a run's length has no bound.
    void thinOut();

    FileFacts file_;
    ResidencyHistory history_;
    std::vector<std::chrono::steady_clock::time_point> times_;
    std::chrono::nanoseconds cost_{0};  ///< of the last look
    std::uint64_t looked_ = 0;          ///< pages, in the last look
    std::chrono::nanoseconds period_ = kResidencyPeriod;
    std::jthread thread_;
};

}  // namespace mmapscope
