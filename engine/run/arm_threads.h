// The threads of one run, from before its clock starts until the source is closed.
#pragma once

#include <atomic>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "probe/fault_trace.h"
#include "probe/perf_counters.h"
#include "run/consumer.h"

namespace mmapscope {

/// Thread i makes its workload and its account, thread 0 also prepares the source; all that is off the clock.
/// Then they wait for begin(). Thread 0 starts the clock, opens, and closes after the last thread is done.
class ArmThreads {
  public:
    ArmThreads(const RunRequest& request, const SourceType& source, const WorkloadType& workload,
               Accounts& accounts, RunErrors& errors, FaultTracer* tracer = nullptr);
    /// Joins; nothing of the run is left then.
    ~ArmThreads();
    ArmThreads(const ArmThreads&) = delete;
    ArmThreads& operator=(const ArmThreads&) = delete;

    /// Starts the threads and returns when all are prepared (or one has failed, which RunErrors then knows).
    void prepare();
    /// Lets them run and returns when the clock has stopped and all threads have ended. `look` is called on
    /// this thread while thread 0 waits, so that what looking costs is nobody's fault: see
    /// ConsumerInput::look.
    void run(const std::function<void()>& look);
    /// Written before the first thing on the clock: what a sampler takes as its zero.
    [[nodiscard]] const std::atomic<Clock::rep>& clockStart() const { return clockStart_; }

    [[nodiscard]] Nanoseconds wall() const { return wall_; }
    /// To the first byte delivered by any thread; of an empty range: to the end of open.
    [[nodiscard]] Nanoseconds setup() const;
    [[nodiscard]] std::vector<std::span<const Stamp>> stamps() const;
    /// Of the thread that was done last; absent unless the request splits time. CPU time of helper threads
    /// and huge pages' allocation are not in it: the accounts know them.
    [[nodiscard]] std::optional<TimeSplit> split() const;
    /// CPU time of the arm's own threads while they worked; 0 unless the request splits time.
    [[nodiscard]] Nanoseconds laneCpu() const;
    [[nodiscard]] std::vector<Workload*> workloads() const;
    [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
    /// Thread ids of the arm's own threads, by index; once prepared.
    [[nodiscard]] std::vector<std::uint32_t> threadIds() const;
    /// Why the tracer could not be attached to all of them; empty when it is.
    [[nodiscard]] const std::string& traceTrouble() const { return traceTrouble_; }
    /// Of perf events, over all threads; empty without sampling.
    [[nodiscard]] std::map<std::string, PerfCount> counts() const;

  private:
    struct Lane;

    void body(Lane& lane) noexcept;
    void prepareLane(Lane& lane);
    void consumeLane(Lane& lane, Clock::time_point start);
    void lead(Lane& lane);
    void follow(Lane& lane);
    void requestLook();
    void guarded(const std::function<void()>& work) noexcept;

    const RunRequest& request_;
    const SourceType& sourceType_;
    const WorkloadType& workloadType_;
    Accounts& accounts_;
    RunErrors& errors_;
    FaultTracer* tracer_;
    std::mutex attaching_;
    std::string traceTrouble_;
    SourceInput input_;
    std::unique_ptr<Source> source_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::atomic<Clock::rep> clockStart_{0};
    std::latch prepared_;
    std::latch begin_{1};
    std::latch opened_{1};
    std::latch others_;
    bool looking_ = false;
    std::atomic<bool> ended_{false};
    std::counting_semaphore<> attention_{0};  ///< a look is wanted, or the run has ended
    std::binary_semaphore looked_{0};
    bool begun_ = false;
    Nanoseconds openTook_{0}, closeTook_{0};
    Nanoseconds wall_{0};
    std::vector<std::string> notes_;
};

}  // namespace mmapscope
