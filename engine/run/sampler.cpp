#include "run/sampler.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>

#include "run/sampler_probes.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, which the futex waits on too

/// Waits until `word` is no longer `value`, is woken, or `until` has come. A condition variable would need a
/// lock.
void waitWhile(std::atomic<std::uint32_t>& word, std::uint32_t value,
               const Clock::time_point* until) noexcept {
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    timespec deadline{};
    if (until != nullptr) {
        const auto ns = std::chrono::duration_cast<Nanoseconds>(until->time_since_epoch());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ns);
        deadline.tv_sec = seconds.count();
        deadline.tv_nsec = (ns - seconds).count();
    }
    ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
              until != nullptr ? &deadline : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, nullptr, nullptr, 0);
}

Nanoseconds threadCpu() noexcept {
    timespec cpu{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return std::chrono::seconds(cpu.tv_sec) + Nanoseconds(cpu.tv_nsec);
}

/// Facts of the whole machine change slowly and cost more than the arm's own.
constexpr Nanoseconds kMachinePeriod = std::chrono::milliseconds(100);

/// How far apart looks of that cost must be to take no more than `share` of the time.
Nanoseconds over(Nanoseconds cost, double share) noexcept {
    return Nanoseconds(static_cast<Nanoseconds::rep>(static_cast<double>(cost.count()) / share));
}

/// What the next look into smaps will cost: at first by its worst known rate, then by what it took last.
class DearCost {
  public:
    [[nodiscard]] Nanoseconds expected(std::uint64_t mapped) const noexcept {
        constexpr double kBase = 200e3;                    // ns
        constexpr double kPerByte = 24e6 / (1ULL << 31U);  // 24 ms for 2 GiB of small pages
        const auto worst = static_cast<Nanoseconds::rep>(kBase + kPerByte * static_cast<double>(mapped));
        return Nanoseconds(known_ && mapped <= mapped_ ? last_ : worst);
    }
    void took(Nanoseconds cost, std::uint64_t mapped) noexcept {
        last_ = cost.count();
        mapped_ = mapped;
        known_ = true;
    }

  private:
    bool known_ = false;
    Nanoseconds::rep last_ = 0;
    std::uint64_t mapped_ = 0;
};

}  // namespace

/// A bounded record of a run of any length: when it is full every second sample goes, and from then on only
/// every second one comes in.
class Sampler::Kept {
  public:
    explicit Kept(std::size_t capacity) : samples_(std::max<std::size_t>(capacity, 4)) {}

    void add(const Sample& sample) noexcept {
        if (seen_++ % every_ != 0) {
            return;
        }
        if (size_ == samples_.size()) {
            size_ = (size_ + 1) / 2;
            for (std::size_t i = 0; i < size_; ++i) {
                samples_[i] = samples_[i * 2];
            }
            every_ *= 2;
            if ((seen_ - 1) % every_ != 0) {
                return;
            }
        }
        samples_[size_++] = sample;
    }
    /// The final sample is kept whatever its turn.
    [[nodiscard]] std::vector<Sample> finish(const Sample& last) {
        samples_.resize(size_);
        while (samples_.size() > 1 && samples_.back().tNs >= last.tNs) {
            samples_.pop_back();
        }
        samples_.push_back(last);
        samples_.shrink_to_fit();
        return std::move(samples_);
    }
    [[nodiscard]] std::uint64_t every() const noexcept { return every_; }

  private:
    std::vector<Sample> samples_;
    std::size_t size_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t every_ = 1;
};

Sampler::Sampler(const Accounts& accounts, SampleRing* live, const SamplerOptions& options)
    : options_(options),
      live_(live),
      probes_(std::make_unique<Probes>(accounts)),
      kept_(std::make_unique<Kept>(options.capacity)) {
    options_.period = std::max<Nanoseconds>(options_.period, std::chrono::milliseconds(1));
    options_.budget = std::clamp(options_.budget, 1e-4, 1.0);
    period_ = options_.period;
    // Signals are for the threads that expect them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this] { body(); });
    } catch (const std::system_error&) {
        // No thread to be had: the samples are then those of the start and the end.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    probes_->readCheap(latest_);
    probes_->readMachine(latest_);
    // What threads did while they prepared is not the run's: they count anew once its clock starts.
    latest_.bytesIn = latest_.bytesOut = latest_.minorFaults = latest_.majorFaults = 0;
}

Sampler::~Sampler() {
    end();
}

void Sampler::start() noexcept {
    keep(latest_);
    ownStart_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    state_.store(running, std::memory_order_release);
    wake(state_);
}

std::optional<Nanoseconds> Sampler::sinceStart() const noexcept {
    const auto& start = options_.clockStart != nullptr ? *options_.clockStart : ownStart_;
    const Clock::rep ticks = start.load(std::memory_order_acquire);
    if (ticks == 0) {
        return std::nullopt;
    }
    return Clock::now().time_since_epoch() - Clock::duration(ticks);
}

void Sampler::keep(const Sample& sample) noexcept {
    kept_->add(sample);
    if (live_ != nullptr) {
        live_->push(sample);
    }
}

void Sampler::body() noexcept {
    while (state_.load(std::memory_order_acquire) == waiting) {
        waitWhile(state_, waiting, nullptr);
    }
    const Nanoseconds before = threadCpu();
    watch();
    spent_ = threadCpu() - before;
}

void Sampler::watch() noexcept {
    Sample& sample = latest_;
    DearCost dear;
    const Nanoseconds base = threadCpu();
    const Clock::time_point begun = Clock::now();
    Nanoseconds look{0};  // what a cheap look costs with its wake-up, smoothed
    Nanoseconds cpu = base;
    Clock::time_point next = begun + period_;
    Nanoseconds machineEvery = kMachinePeriod;
    Clock::time_point machineDue = begun + machineEvery;
    while (state_.load(std::memory_order_acquire) == running) {
        waitWhile(state_, running, &next);
        if (state_.load(std::memory_order_acquire) != running) {
            return;
        }
        const Clock::time_point now = Clock::now();
        if (now < next) {
            continue;  // woken early
        }
        probes_->readCheap(sample);
        const auto time = sinceStart();
        if (time) {
            sample.tNs = time->count();
            keep(sample);
        }
        const Nanoseconds cost = threadCpu() - cpu;
        cpu += cost;
        look = look.count() == 0 ? cost : (look * 7 + cost) / 8;
        if (now >= machineDue) {
            // After the sample, for the next one, as below; as often as a quarter of the budget allows.
            probes_->readMachine(sample);
            const Nanoseconds took = threadCpu() - cpu;
            cpu += took;
            machineEvery = std::max(kMachinePeriod, over(took, options_.budget / 4));
            machineDue = now + machineEvery;
        }
        if (options_.dearProbes && time) {
            // Read after the sample, for the next one: it must not delay the totals past their time stamp.
            const std::uint64_t mapped = probes_->findMappings();
            const auto allowed = Nanoseconds(
                static_cast<Nanoseconds::rep>(options_.budget * static_cast<double>((now - begun).count())));
            if (mapped != 0 && cpu - base + dear.expected(mapped) <= allowed) {
                probes_->readDear(sample);
                const Nanoseconds after = threadCpu();
                dear.took(after - cpu, mapped);
                cpu = after;
            }
        }
        period_ = std::max(options_.period, over(look, options_.budget));
        next += period_;
        next = std::max(next, Clock::now());  // after a stall: no burst of samples to catch up
    }
}

void Sampler::end() noexcept {
    state_.store(stopping, std::memory_order_release);
    wake(state_);
    if (thread_.joinable()) {
        thread_.join();
    }
}

Sampling Sampler::stop(std::optional<Nanoseconds> wall) {
    end();
    const auto elapsed = sinceStart();
    const Nanoseconds length = wall.value_or(elapsed.value_or(Nanoseconds(0)));
    Sample last = latest_;  // for its dear facts: the arm's mappings are gone by now
    probes_->readCheap(last);
    probes_->readMachine(last);
    last.tNs = length.count();
    if (live_ != nullptr) {
        live_->push(last);
    }
    Sampling sampling;
    sampling.period = period_ * static_cast<Nanoseconds::rep>(kept_->every());
    sampling.costFraction =
        length.count() > 0 ? static_cast<double>(spent_.count()) / static_cast<double>(length.count()) : 0.0;
    sampling.samples = kept_->finish(last);
    return sampling;
}

}  // namespace mmapscope
