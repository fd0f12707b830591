// Watches, in an inspection run, what of the file is in the page cache.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "probe/file_facts.h"
#include "run/run_record.h"

namespace mmapscope {

/// Looks once before the clock starts and once after it stopped, and in between from a thread of its own, no
/// more often than every 20 ms and never for more than a fiftieth of the time: mincore(2) takes up to 37 ms
/// for 2 GiB.
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
    void look();

    FileFacts file_;
    ResidencyHistory history_;
    std::vector<std::chrono::steady_clock::time_point> times_;
    std::chrono::nanoseconds cost_{0};  ///< of the last look
    std::jthread thread_;
};

}  // namespace mmapscope
