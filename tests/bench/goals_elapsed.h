// How long something took: by the clock on the wall, and in CPU time.
#pragma once

#include <chrono>
#include <ctime>

namespace mmapscope::bench {

struct Elapsed {
    std::chrono::nanoseconds wall{0};
    std::chrono::nanoseconds cpu{0};  ///< of everything that took part
};

/// Measures what the calling thread does.
class Stopwatch {
  public:
    [[nodiscard]] Elapsed elapsed() const {
        return {std::chrono::steady_clock::now() - wall_, cpuNow() - cpu_};
    }

  private:
    [[nodiscard]] static std::chrono::nanoseconds cpuNow() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    }
    std::chrono::nanoseconds cpu_ = cpuNow();
    std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

}  // namespace mmapscope::bench
