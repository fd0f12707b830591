#include "run/execute.h"
#include "probe/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/text.h"
#include "core/unique_fd.h"
#include "run/arm_threads.h"
#include "run/fault_tracing.h"
#include "run/inspection.h"
#include "run/process_figures.h"
#include "run/residency_watch.h"
#include "run/sampler.h"

namespace mmapscope {
namespace {

void setError(RunRecord& record, Error error) {
    record.errorKind = error.kind;
    record.status = error.kind == ErrorKind::cancelled     ? RunStatus::cancelled
                    : error.kind == ErrorKind::unavailable ? RunStatus::unavailable
                                                           : RunStatus::failed;
    record.error = std::move(error.message);
}

Status checkRequest(const RunRequest& request) {
    // Helper threads of a source need accounts too.
    constexpr std::size_t kMostThreads = Accounts::kMaxArmThreads;
    const auto& ranges = request.ranges;
    if (ranges.empty() || ranges.size() > kMostThreads) {
        return fail(ErrorKind::usage,
                    fmt::format("a run has 1 to {} threads, not {}", kMostThreads, ranges.size()));
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (ranges[i].begin > ranges[i].end || (i > 0 && ranges[i].begin != ranges[i - 1].end)) {
            return fail(ErrorKind::usage, "the threads' ranges do not follow one another");
        }
    }
    if (ranges.back().end > request.stamp.size) {
        return fail(ErrorKind::usage, fmt::format("the run would read to byte {} of a file of {}",
                                                  ranges.back().end.count(), request.stamp.size.count()));
    }
    return {};
}

tl::unexpected<Error> changedFile(const std::string& path, const FileStamp& now, const FileStamp& planned) {
    std::string what = path.empty() ? "file changed while it was read"
                                    : fmt::format("{} changed while it was read", printable(path));
    if (now.size != planned.size) {
        what +=
            fmt::format(": {} bytes, {} when the study was planned", now.size.count(), planned.size.count());
    }
    return fail(ErrorKind::changed, what + "; run it again when nothing writes to it");
}

/// As FileWatch, for all files of a folder. By their names: as many descriptors may not be had.
Status unchangedMembers(const RunRequest& request) {
    for (const FileMember& member : request.members) {
        const std::string path = memberPath(request.path, member);
        const UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!fd) {
            return failErrno(
                ErrorKind::changed,
                printable(path) + " was there when the study was planned and can't be opened now", errno);
        }
        const auto now = stampOf(fd.get());
        if (!now) {
            return tl::unexpected(now.error());
        }
        if (!(*now == member.stamp)) {
            return changedFile(path, *now, member.stamp);
        }
    }
    return {};
}

/// Watches the file's identity, size and times on one descriptor through the run: what silently changes under
/// a mapping shows there.
class FileWatch {
  public:
    explicit FileWatch(const RunRequest& request)
        : request_(request),
          path_(request.path),
          planned_(request.stamp),
          // A FIFO put in the file's place must not block the run.
          fd_(::open(request.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
          errno_(errno) {}

    [[nodiscard]] Status unchanged() const {
        if (!request_.members.empty()) {
            return unchangedMembers(request_);
        }
        if (!fd_) {
            return failErrno(
                ErrorKind::input,
                printable(path_) + " was there when the study was planned and can't be opened now", errno_);
        }
        const auto now = stampOf(fd_.get());
        if (!now) {
            return tl::unexpected(now.error());
        }
        if (*now == planned_) {
            return {};
        }
        return changedFile({}, *now, planned_);
    }

  private:
    const RunRequest& request_;
    std::string path_;
    FileStamp planned_;
    UniqueFd fd_;
    int errno_;
};

template <class T>
std::optional<T> difference(const std::optional<T>& after, const std::optional<T>& before) {
    return after && before && *after >= *before ? std::optional(*after - *before) : std::nullopt;
}

void raise(std::optional<Bytes>& peak, const std::optional<Bytes>& seen) {
    if (seen && (!peak || *peak < *seen)) {
        peak = seen;
    }
}

void raise(RunRecord& record, const MemoryFigures& seen) {
    raise(record.peakPrivate, seen.anon);
    raise(record.peakHugetlb, seen.hugetlb);
    raise(record.peakMappedCache, seen.file);
}

std::optional<Bytes> known(std::uint64_t value) {
    return value == kNotAvailable ? std::nullopt : std::optional(Bytes(value));
}

void raiseFromSamples(RunRecord& record) {
    for (const Sample& sample : record.sampling.samples) {
        auto own = known(sample.rssAnon);
        if (const auto shared = known(sample.rssShmem); own && shared) {
            *own += *shared;
        }
        raise(record.peakPrivate, own);
        raise(record.peakHugetlb, known(sample.hugetlb));
        raise(record.peakMappedCache, known(sample.rssFile));
    }
}

void takeTotals(RunRecord& record, const AccountTotals& totals) {
    record.cpu = totals.cpu;
    record.user = totals.user;
    record.system = totals.system;
    record.bytesIn = Bytes(totals.bytesIn);
    record.minorFaults = totals.minorFaults;
    record.majorFaults = totals.majorFaults;
    record.heapAllocated = Bytes(totals.heapAllocated);
    record.voluntarySwitches = totals.voluntarySwitches;
    record.involuntarySwitches = totals.involuntarySwitches;
}

void takeCounts(RunRecord& record, const std::map<std::string, PerfCount>& counts) {
    double least = 1;
    for (const auto& [key, count] : counts) {
        record.counters[key] = count.value;
        least = std::min(least, count.measured);
    }
    if (least < 1) {
        record.warnings.push_back(
            fmt::format("the CPU's counters were shared: some counts are extrapolated from "
                        "{:.0f} % of the time",
                        least * 100));
    }
}

void takeDifferences(RunRecord& record, const ProcessFigures& before, const ProcessFigures& after) {
    record.processMinorFaults = after.minorFaults - before.minorFaults;
    record.processMajorFaults = after.majorFaults - before.majorFaults;
    record.storageRead = difference(after.storageRead, before.storageRead);
    record.peakRss = after.memory.peakRss;
    if (after.memory.peakRss && before.memory.rss) {
        record.rssDeltaBytes = static_cast<std::int64_t>(after.memory.peakRss->count()) -
                               static_cast<std::int64_t>(before.memory.rss->count());
    }
}

SamplerOptions samplerOptions(const RunRequest& request, const ArmThreads& threads) {
    SamplerOptions options;
    options.period = request.samplePeriod;
    // Reading smaps holds the lock that mmap and munmap need: it would slow some strategies and not others.
    options.dearProbes = request.phase != Phase::measured;
    options.clockStart = &threads.clockStart();
    return options;
}

/// Everything after the request was found sound.
void measure(const RunRequest& request, const SourceType& source, const WorkloadType& workload,
             SampleRing* live, std::stop_token outer, RunRecord& record) {
    std::stop_source stop;
    const std::stop_callback chain(outer, [&stop] { stop.request_stop(); });
    const auto accounts = std::make_unique<Accounts>(stop.get_token());
    RunErrors errors(stop);
    const FileWatch watch(request);
    if (const auto same = watch.unchanged(); !same) {
        setError(record, same.error());
        return;
    }

    FaultTracing traced(request);
    ArmThreads threads(request, source, workload, *accounts, errors, traced.tracer());
    threads.prepare();
    std::optional<Inspection> inspection;
    std::optional<ResidencyWatch> residency;
    std::function<void()> look;
    if (request.phase == Phase::inspection) {
        inspection.emplace();
        residency.emplace(request);
        look = [&inspection] { inspection->look(); };
    }
    std::optional<Sampler> sampler;
    if (request.sampling) {
        sampler.emplace(*accounts, live, samplerOptions(request, threads));
    }
    const auto refaultsBefore = request.memoryCap ? ownGroupRefaults() : std::nullopt;
    resetPeakRss();
    const ProcessFigures before = readProcessFigures();
    if (sampler) {
        sampler->start();
    }
    traced.start(threads);
    if (residency) {
        residency->start();
    }
    threads.run(look);
    record.wall = threads.wall();
    record.setup = threads.setup();
    if (sampler) {
        record.sampling = sampler->stop(record.wall);
    }
    const ProcessFigures after = readProcessFigures();

    takeTotals(record, accounts->totals());
    if (workload.producesOutput) {
        record.bytesOut = Bytes(accounts->totals().bytesOut);
    }
    takeDifferences(record, before, after);
    if (const auto refaults = refaultsBefore ? ownGroupRefaults() : std::nullopt) {
        record.counters["cgroup_workingset_refaults"] = *refaults - std::min(*refaults, *refaultsBefore);
    }
    raiseFromSamples(record);
    if (inspection) {
        raise(record, inspection->memory());
        record.mapping = inspection->mapping();
    }
    record.stamps =
        mergeStamps(threads.stamps(), {record.wall.count(), record.bytesIn.count(), record.minorFaults});
    if (residency) {
        record.residency = residency->stop(threads.clockStart().load());
    }
    record.split = threads.split();
    if (record.split) {
        record.split->helperCpu = std::max(Nanoseconds(0), record.cpu - threads.laneCpu());
        if (const auto ns = accounts->totals().hugeAllocationNs; ns != 0) {
            record.split->hugeAllocation = Nanoseconds(static_cast<Nanoseconds::rep>(ns));
        }
    }
    record.warnings = threads.notes();
    takeCounts(record, threads.counts());
    traced.finish(threads, record);

    const auto worst = errors.worst();
    const bool stopped = worst && worst->kind == ErrorKind::cancelled;
    if (const auto same = watch.unchanged(); !same && !stopped) {
        errors.report(same.error(), ErrorRank::bytes);
    }
    if (const auto error = errors.worst()) {
        setError(record, *error);
        return;
    }
    const auto all = threads.workloads();
    auto outcome = all.front()->outcome(all);
    if (!outcome) {
        setError(record, outcome.error());
        return;
    }
    record.outcome = std::move(*outcome);
    record.status = RunStatus::ok;
}

}  // namespace

namespace {

/// A complete run of the same arm that nobody watches: what it leaves in the page cache is charged to the
/// group this process is in.
RunRecord warmUp(const RunRequest& request, const std::stop_token& stop) {
    RunRequest first = request;
    first.phase = Phase::warmup;
    first.sampling = false;
    first.traceFaults = false;
    first.splitTime = false;
    first.warmFirst = false;
    RunRecord record = executeRun(first, nullptr, stop);
    record.phase = request.phase;
    return record;
}

}  // namespace

RunRecord executeRun(const RunRequest& request, SampleRing* live, std::stop_token stop) {
    if (request.warmFirst) {
        if (RunRecord warmed = warmUp(request, stop); warmed.status != RunStatus::ok) {
            return warmed;
        }
    }
    RunRecord record;
    record.phase = request.phase;
    try {
        const SourceType* source = findSource(request.source);
        const WorkloadType* workload = findWorkload(request.workload);
        if (const auto sound = checkRequest(request); !sound) {
            setError(record, sound.error());
        } else if (source == nullptr) {
            setError(record, {ErrorKind::usage, "there is no source '" + printable(request.source) + "'"});
        } else if (workload == nullptr) {
            setError(record,
                     {ErrorKind::usage, "there is no workload '" + printable(request.workload) + "'"});
        } else {
            measure(request, *source, *workload, live, stop, record);
        }
    } catch (const std::bad_alloc&) {
        setError(record, {ErrorKind::failed, "out of memory while preparing the run"});
    } catch (const std::exception& e) {
        setError(record, {ErrorKind::failed, fmt::format("unexpected: {}", e.what())});
    }
    return record;
}

}  // namespace mmapscope
