#include "run/arm_threads.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/process_limits.h"
#include "run/process_figures.h"
#include "source/folder.h"

namespace mmapscope {
struct ArmThreads::Lane {
    std::size_t index = 0;
    std::uint32_t threadId = 0;
    std::unique_ptr<Workload> workload;
    std::unique_ptr<StampBuffer> stamps;
    ConsumerInput consumer;
    std::optional<Nanoseconds> firstByte;
    std::optional<PerfCounters> counters;
    std::map<std::string, PerfCount> counts;
    std::string note;
    std::thread thread;
    // Of a split run:
    Nanoseconds cursor{0}, deliver{0}, consume{0};
    Clock::time_point done;
    std::optional<ThreadTimes> times;  ///< while it worked
};

namespace {

/// Empty when the thread now runs there.
std::string pinTo(unsigned cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= CPU_SETSIZE) {
        return fmt::format("not pinned to CPU {}: there is no such CPU", cpu);
    }
    CPU_SET(cpu, &set);
    const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    return error == 0 ? std::string()
                      : fmt::format("not pinned to CPU {}: {}", cpu, std::generic_category().message(error));
}

}  // namespace

ArmThreads::ArmThreads(const RunRequest& request, const SourceType& source, const WorkloadType& workload,
                       Accounts& accounts, RunErrors& errors, FaultTracer* tracer)
    : request_(request),
      sourceType_(source),
      workloadType_(workload),
      accounts_(accounts),
      errors_(errors),
      tracer_(tracer),
      input_{request.path, request.stamp.size, request.ranges, &accounts, request.members, request.splitTime},
      source_(makeSource(source, request.sourceParameters, input_)),
      prepared_(static_cast<std::ptrdiff_t>(request.ranges.size())),
      others_(static_cast<std::ptrdiff_t>(request.ranges.size()) - 1) {
    for (std::size_t i = 0; i < request.ranges.size(); ++i) {
        auto lane = std::make_unique<Lane>();
        lane->index = i;
        lane->consumer.range = request.ranges[i];
        lane->consumer.step = stampStep(request.ranges[i].length(), request.ranges.size(),
                                        request.phase == Phase::measured ? kFinestMeasuredStep : kFinestStep);
        lane->consumer.stop = accounts.stop();
        lane->consumer.split = request.splitTime;
        // Its own share, the first byte, the end, and what rounding adds.
        const std::uint64_t points = request.ranges[i].length() / lane->consumer.step + 8;
        lane->stamps = std::make_unique<StampBuffer>(points);
        lanes_.push_back(std::move(lane));
    }
}

ArmThreads::~ArmThreads() {
    if (!begun_) {
        begin_.count_down();
    }
    for (const auto& lane : lanes_) {
        if (lane->thread.joinable()) {
            lane->thread.join();
        }
    }
}

void ArmThreads::guarded(const std::function<void()>& work) noexcept {
    try {
        work();
    } catch (const std::bad_alloc&) {
        errors_.report({ErrorKind::failed, "out of memory: the arm needs more than this process can get"});
    } catch (const std::exception& e) {
        errors_.report({ErrorKind::failed, fmt::format("unexpected: {}", e.what())});
    }
}

void ArmThreads::prepare() {
    for (const auto& lane : lanes_) {
        try {
            lane->thread = std::thread([this, &lane = *lane] { body(lane); });
        } catch (const std::system_error& e) {
            errors_.report(
                {ErrorKind::failed,
                 threadError(fmt::format("thread {} of {}", lane->index + 1, lanes_.size()), e.code())});
            // What this thread would have arrived at.
            prepared_.count_down();
            if (lane->index == 0) {
                opened_.count_down();
            } else {
                others_.count_down();
            }
        }
    }
    prepared_.wait();
}

void ArmThreads::run(const std::function<void()>& look) {
    looking_ = static_cast<bool>(look);
    begun_ = true;
    begin_.count_down();
    if (looking_ && lanes_.front()->thread.joinable()) {
        for (attention_.acquire(); !ended_.load(); attention_.acquire()) {
            guarded(look);
            looked_.release();
        }
    }
    for (const auto& lane : lanes_) {
        if (lane->thread.joinable()) {
            lane->thread.join();
        }
        if (!lane->note.empty()) {
            notes_.push_back(lane->note);
        }
    }
    const auto more = source_->notes();
    notes_.insert(notes_.end(), more.begin(), more.end());
}

void ArmThreads::requestLook() {
    attention_.release();
    looked_.acquire();
}

void ArmThreads::body(Lane& lane) noexcept {
    // Outlives everything the lane does, and ends on its thread: the last reading is the thread's last act.
    ThreadAccount account(accounts_);
    guarded([&] { prepareLane(lane); });
    prepared_.count_down();
    begin_.wait();
    account.restart();
    account.publish();  // what was counted while preparing must not show as the run's first value
    if (lane.counters) {
        lane.counters->start();
    }
    std::optional<ThreadTimes> before;
    if (request_.splitTime) {
        before = readThreadTimes();
    }
    if (lane.index == 0) {
        lead(lane);
    } else {
        follow(lane);
    }
    if (before) {
        const ThreadTimes after = readThreadTimes();
        lane.times = {after.cpu - before->cpu, std::nullopt};
        if (after.runDelay && before->runDelay) {
            lane.times->runDelay = *after.runDelay - *before->runDelay;
        }
    }
    if (lane.counters) {
        guarded([&] { lane.counters->addTo(lane.counts); });
    }
}

void ArmThreads::prepareLane(Lane& lane) {
    if (!request_.pinCpus.empty()) {
        lane.note = pinTo(request_.pinCpus[lane.index % request_.pinCpus.size()]);
    }
    lane.threadId = static_cast<std::uint32_t>(::gettid());
    if (request_.sampling) {
        lane.counters.emplace();
    }
    if (tracer_ != nullptr) {
        const std::lock_guard lock(attaching_);
        if (const auto attached = tracer_->attach(); !attached && traceTrouble_.empty()) {
            traceTrouble_ = attached.error().message;
        }
    }
    WorkloadInput input;
    input.range = lane.consumer.range;
    input.whole = input_.whole();
    input.fileName = std::filesystem::path(request_.path).filename().string();
    input.digest = request_.phase == Phase::inspection;
    input.stop = accounts_.stop();
    input.members = request_.members;
    auto workload = workloadType_.create(request_.workloadParameters, input);
    if (!workload) {
        errors_.report(workload.error());
        return;
    }
    lane.workload = std::move(*workload);
    if (lane.index == 0) {
        if (const auto prepared = source_->prepare(input_); !prepared) {
            errors_.report(prepared.error());
        }
    }
}

void ArmThreads::lead(Lane& lane) {
    const bool good = !errors_.any();
    const auto start = Clock::now();
    clockStart_.store(start.time_since_epoch().count(), std::memory_order_release);
    bool open = false;
    if (good) {
        guarded([&] {
            const auto opened = source_->open(input_);
            openTook_ = Clock::now() - start;
            open = opened.has_value();
            if (!opened) {
                errors_.report(opened.error());
            }
        });
    }
    opened_.count_down();
    if (open) {
        if (looking_) {
            lane.consumer.look = [this] { requestLook(); };
        }
        guarded([&] { consumeLane(lane, start); });
    }
    others_.wait();
    const auto closing = Clock::now();
    source_->close();
    const auto end = Clock::now();
    closeTook_ = end - closing;
    if (good) {
        wall_ = end - start;
    }
    ended_.store(true);
    attention_.release();
}

void ArmThreads::follow(Lane& lane) {
    opened_.wait();
    if (!errors_.any()) {
        const Clock::time_point start{Clock::duration(clockStart_.load(std::memory_order_acquire))};
        guarded([&] { consumeLane(lane, start); });
    }
    others_.count_down();
}

void ArmThreads::consumeLane(Lane& lane, Clock::time_point start) {
    lane.consumer.start = start;
    const auto making = Clock::now();
    auto cursor = source_->cursor(lane.index);
    lane.cursor = Clock::now() - making;
    if (!cursor) {
        errors_.report(cursor.error());
        return;
    }
    Consumer consumer(lane.consumer, **cursor, *lane.workload, *ThreadAccount::current(), *lane.stamps,
                      errors_);
    consumer.run();
    lane.firstByte = consumer.firstByte();
    lane.deliver = consumer.deliverTime();
    lane.consume = consumer.consumeTime();
    lane.done = Clock::now();
}

std::optional<TimeSplit> ArmThreads::split() const {
    if (!request_.splitTime) {
        return std::nullopt;
    }
    const Lane& last = **std::max_element(lanes_.begin(), lanes_.end(),
                                          [](const auto& a, const auto& b) { return a->done < b->done; });
    TimeSplit split;
    split.open = openTook_ + last.cursor;
    split.deliver = last.deliver;
    split.consume = last.consume;
    split.close = closeTook_;
    split.other = wall_ - split.open - split.deliver - split.consume - split.close;
    if (last.times && last.times->runDelay) {
        split.runDelay = last.times->runDelay;
        // The times were read a little outside the wall's clock; waiting is never negative.
        split.wait = std::max(Nanoseconds(0), wall_ - last.times->cpu - *last.times->runDelay);
    }
    return split;
}

Nanoseconds ArmThreads::laneCpu() const {
    Nanoseconds sum{0};
    for (const auto& lane : lanes_) {
        sum += lane->times ? lane->times->cpu : Nanoseconds(0);
    }
    return sum;
}

Nanoseconds ArmThreads::setup() const {
    std::optional<Nanoseconds> first;
    for (const auto& lane : lanes_) {
        if (lane->firstByte && (!first || *lane->firstByte < *first)) {
            first = lane->firstByte;
        }
    }
    return first.value_or(openTook_);
}

std::vector<std::span<const Stamp>> ArmThreads::stamps() const {
    std::vector<std::span<const Stamp>> all;
    for (const auto& lane : lanes_) {
        all.push_back(lane->stamps->stamps());
    }
    return all;
}

std::vector<std::uint32_t> ArmThreads::threadIds() const {
    std::vector<std::uint32_t> ids;
    for (const auto& lane : lanes_) {
        ids.push_back(lane->threadId);
    }
    return ids;
}

std::map<std::string, PerfCount> ArmThreads::counts() const {
    std::map<std::string, PerfCount> total;
    for (const auto& lane : lanes_) {
        for (const auto& [key, count] : lane->counts) {
            PerfCount& sum = total[key];
            sum.value += count.value;
            sum.measured = std::min(sum.measured, count.measured);
        }
    }
    return total;
}

std::vector<Workload*> ArmThreads::workloads() const {
    std::vector<Workload*> all;
    for (const auto& lane : lanes_) {
        all.push_back(lane->workload.get());
    }
    return all;
}

}  // namespace mmapscope
