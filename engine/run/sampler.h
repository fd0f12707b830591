// Watches one run: running totals of the arm's threads and cheap kernel facts, 100 times a second, and dear
// facts as often as a budget allows. After start() it allocates nothing, opens nothing and takes no lock.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/accounting.h"
#include "run/run_record.h"
#include "run/sample.h"

namespace mmapscope {

struct SamplerOptions {
    Nanoseconds period = std::chrono::milliseconds(10);
    double budget = 0.01;    ///< most CPU time of the sampler's thread, over elapsed time
    bool dearProbes = true;  ///< smaps of the arm's mappings
    std::size_t capacity =
        4096;  ///< samples kept, at least 4; a longer run keeps every second, fourth … of them
    /// The run's zero, steady_clock ticks, 0 until the clock runs; outlives the sampler. nullptr: start() is
    /// zero.
    const std::atomic<std::chrono::steady_clock::rep>* clockStart = nullptr;
};

class Sampler {
  public:
    /// Opens, allocates and touches everything, makes the thread and takes the look that start() will stamp
    /// 0: so this is to happen before the run's clock starts. `live` may be nullptr; both outlive the
    /// sampler.
    Sampler(const Accounts& accounts, SampleRing* live, const SamplerOptions& options);
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Costs the caller one wake-up. The first sample (time 0) is there when it returns.
    void start() noexcept;

    /// Ends within about 2 ms. The last sample holds the final totals and is stamped `wall`, the run's own
    /// figure (absent: now); samples that fell after it are left out. Period: the one really kept between
    /// samples, longer than asked for when a look costs more than the budget or the run was long. Call once,
    /// after start().
    [[nodiscard]] Sampling stop(std::optional<Nanoseconds> wall = std::nullopt);

  private:
    class Probes;
    class Kept;
    enum State : std::uint32_t { waiting, running, stopping };

    void body() noexcept;
    void watch() noexcept;
    /// nullopt while the run's clock hasn't started.
    [[nodiscard]] std::optional<Nanoseconds> sinceStart() const noexcept;
    void keep(const Sample& sample) noexcept;
    void end() noexcept;

    SamplerOptions options_;
    SampleRing* live_;
    std::unique_ptr<Probes> probes_;
    std::unique_ptr<Kept> kept_;
    Sample latest_;  ///< the thread's between start() and its end
    std::atomic<std::uint32_t> state_{waiting};
    std::atomic<std::chrono::steady_clock::rep> ownStart_{0};
    Nanoseconds period_{0};  ///< the sampler's thread's, until it ended
    Nanoseconds spent_{0};
    std::thread thread_;
};

}  // namespace mmapscope
