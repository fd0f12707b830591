#include "study/backend.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "core/reopen.h"
#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/residency.h"
#include "run/cache_state.h"
#include "run/cap_scope.h"
#include "run/execute.h"
#include "run/memory_cap.h"
#include "source/folder.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;

Nanoseconds cpuClock(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return std::chrono::seconds(t.tv_sec) + Nanoseconds(t.tv_nsec);
}

double share(Nanoseconds part, Nanoseconds whole) {
    return whole.count() > 0 ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0;
}

/// The run works on a thread of its own, so that this one can hand samples on while it lasts.
RunRecord runHere(const RunRequest& request, const RunWatch& watch, const std::stop_token& stop) {
    constexpr auto kPoll = std::chrono::milliseconds(50);
    SampleRing ring;
    RunRecord record;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    const Nanoseconds threadAtStart = cpuClock(CLOCK_THREAD_CPUTIME_ID);
    try {
        std::jthread runner([&] {
            RunRecord result = executeRun(request, &ring, stop);
            const std::lock_guard lock(mutex);
            record = std::move(result);
            done = true;
            ended.notify_one();
        });
        std::array<Sample, 64> batch;
        std::unique_lock lock(mutex);
        for (bool last = false; !last;) {
            last = ended.wait_for(lock, kPoll, [&] { return done; });
            lock.unlock();
            while (const std::size_t count = ring.pop(batch)) {
                watch.samples(std::span(batch).first(count));
            }
            lock.lock();
        }
    } catch (const std::system_error& e) {
        record.status = RunStatus::failed;
        record.errorKind = ErrorKind::failed;
        record.error = fmt::format("a thread for the run can't be started: {}", e.what());
        return record;
    }
    record.sampling.costFraction += share(cpuClock(CLOCK_THREAD_CPUTIME_ID) - threadAtStart, record.wall);
    return record;
}

Result<CacheFacts> prepare(const FileFacts& file, Range range, CacheState state, bool force,
                           std::stop_token stop, const std::function<void(double)>& progress) {
    return prepareCache(
        file, range, state, force, std::move(stop),
        [](double fraction, void* context) {
            (*static_cast<const std::function<void(double)>*>(context))(fraction);
        },
        const_cast<std::function<void(double)>*>(&progress));
}

std::optional<double> residentShareOf(const FileFacts& file, Range range) {
    const auto residency = residencyOf(file, range);
    return residency ? std::optional(residency->fraction()) : std::nullopt;
}

Availability availabilityOf(const FileFacts& file, const Arm& arm, Range range) {
    const SourceType* type = findSource(arm.source);
    if (type == nullptr) {
        return Availability::no(fmt::format("this version has no source \"{}\"", printable(arm.source)));
    }
    return availabilityFor(*type, file, arm.sourceParameters, range, arm.threads);
}

Result<FileStamp> stampOfPath(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (struct stat st{}; fd && ::fstat(fd.get(), &st) == 0 && S_ISDIR(st.st_mode)) {
        const auto folder = inspectInput(path);
        return folder ? Result<FileStamp>(folder->stamp)
                      : fail(ErrorKind::changed,
                             fmt::format("the folder changed since the study began; measure again once "
                                         "nothing writes to it ({})",
                                         folder.error().message));
    }
    if (!fd) {
        return failReopen(ErrorKind::changed, path, errno);
    }
    return stampOf(fd.get());
}

std::string capKill(Bytes limit) {
    return fmt::format(
        "the kernel killed the worker: it needed more than its memory cap of {} for what can't be evicted "
        "(its "
        "own memory, page tables); raise the cap, or choose an arm that holds less",
        formatBytes(limit));
}

/// In a scope that systemd makes for it.
RunRecord runInScope(const std::string& program, const CapPlace& place, Bytes limit, const RunRequest& run,
                     const RunWatch& outer, std::stop_token stop) {
    CapScope scope(limit, place.directory);
    RunWatch watch = outer;
    watch.launcher = scope.launcher();
    watch.started = [&](pid_t worker) { return scope.await(worker); };
    CapReport report;
    watch.recorded = [&] { report = scope.report(); };
    watch.whyKilled = [&] { return scope.killedAbove() ? capKill(scope.effective()) : std::string(); };
    RunRecord record = runInWorker(program, run, watch, std::move(stop));
    record.cap = CapFacts{limit, scope.effective(), report.peak, report.fileBytes, scope.killedAbove()};
    return record;
}

/// In a fresh group of the home.
RunRecord runInGroup(const std::string& program, CapHome& home, const CappedGroup& group, Bytes limit,
                     const RunRequest& run, const RunWatch& outer, std::stop_token stop) {
    RunWatch watch = outer;
    watch.started = [&](pid_t worker) { return group.join(worker); };
    watch.whyKilled = [&] {
        return group.report().outOfMemory ? capKill(home.effective(limit)) : std::string();
    };
    RunRecord record = runInWorker(program, run, watch, std::move(stop));
    const CapReport report = group.report();
    record.cap = CapFacts{limit, home.effective(limit), report.peak, report.fileBytes, report.outOfMemory};
    return record;
}

/// Each in a fresh worker under a limit of its own; the home of the groups is made with the first.
std::function<RunRecord(const RunRequest&, const RunWatch&, std::stop_token)> cappedRuns(
    const StudyRequest& request) {
    return [program = request.workerProgram, limit = *request.memoryCap, place = std::optional<CapPlace>(),
            home = std::shared_ptr<CapHome>()](const RunRequest& run, const RunWatch& watch,
                                               std::stop_token stop) mutable {
        const auto refused = [&](const Error& error) {
            RunRecord record;
            record.phase = run.phase;
            record.status = error.kind == ErrorKind::unavailable ? RunStatus::unavailable : RunStatus::failed;
            record.errorKind = error.kind;
            record.error = error.message;
            return record;
        };
        if (!place) {
            auto found = findCapPlace();
            if (!found) {
                return refused(found.error());
            }
            place = std::move(*found);
        }
        if (place->bySystemd) {
            return runInScope(program, *place, limit, run, watch, std::move(stop));
        }
        if (home == nullptr) {
            auto made = CapHome::make(*place, program);
            if (!made) {
                return refused(made.error());
            }
            home = std::move(*made);
        }
        const auto group = home->group(limit);
        return group ? runInGroup(program, *home, *group, limit, run, watch, std::move(stop))
                     : refused(group.error());
    };
}

}  // namespace

StudyBackend realBackend(const StudyRequest& request) {
    StudyBackend backend;
    if (request.isolation == Isolation::worker && request.memoryCap) {
        backend.run = cappedRuns(request);
    } else if (request.isolation == Isolation::worker) {
        // A program that is no worker is found out once, not waited for in every run.
        backend.run = [program = request.workerProgram, refused = std::optional<RunRecord>()](
                          const RunRequest& run, const RunWatch& watch, std::stop_token stop) mutable {
            RunRecord record = refused ? *refused : runInWorker(program, run, watch, std::move(stop));
            record.phase = run.phase;
            if (isNoWorker(record)) {
                refused = record;
            }
            return record;
        };
    } else {
        backend.run = runHere;
    }
    backend.prepareCache = prepare;
    backend.residentShare = residentShareOf;
    backend.availability = availabilityOf;
    backend.stamp = stampOfPath;
    backend.now = Clock::now;
    return backend;
}

Study runStudy(Study planned, const StudyRequest& request, const StudyEvents& events, std::stop_token stop) {
    return runStudyWith(realBackend(request), std::move(planned), request, events, std::move(stop));
}

}  // namespace mmapscope
