// One run: what was asked for and what came of it. Field names follow the study file's runs[].
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"
#include "probe/vm_flags.h"
#include "run/residency_history.h"
#include "run/sample_series.h"
#include "workload/workload.h"

namespace mmapscope {

using Nanoseconds = std::chrono::nanoseconds;

enum class Phase { inspection, warmup, measured };
enum class RunStatus { ok, failed, cancelled, unavailable };
enum class CacheState { warm, warmSmall, cold, resident, asis };
enum class Isolation { worker, inProcess };

[[nodiscard]] std::string_view name(Phase phase);
[[nodiscard]] std::string_view name(RunStatus status);
[[nodiscard]] std::string_view name(CacheState state);     ///< warm, warm-small, cold, resident, asis
[[nodiscard]] std::string_view name(Isolation isolation);  ///< worker, in-process
[[nodiscard]] std::optional<CacheState> cacheStateOf(std::string_view text);

/// Everything executeRun needs; crosses the worker's pipe as JSON.
struct RunRequest {
    std::string path;
    FileStamp stamp;                       ///< as planned; a difference when the run starts is "changed"
    std::vector<FileMember> members = {};  ///< a folder's files; each is compared by its own stamp
    std::vector<Range> ranges;             ///< one a thread, from WorkloadType::split
    std::string source;
    Parameters sourceParameters;
    std::string workload;
    Parameters workloadParameters;  ///< resolved
    Phase phase = Phase::measured;
    bool sampling = true;
    Nanoseconds samplePeriod = std::chrono::milliseconds(10);
    std::vector<unsigned> pinCpus;  ///< thread i runs on pinCpus[i % size]; empty: not pinned
    bool traceFaults = false;       ///< every fault with its address: costs the run, so never ranked
    /// Clock readings around every Source call and span: a percent or so of a run of small spans, so never
    /// ranked.
    bool splitTime = false;
    /// The limit on the control group the worker is in; its start does one complete run as warm-up when
    /// `warmFirst`, so that what the measured run finds cached is charged to the group.
    std::optional<Bytes> memoryCap = {};
    bool warmFirst = false;
};

/// smaps figures over the arm's mappings, largest seen during the run (inspection run). Absent: not told
/// here.
struct MappingFacts {
    std::optional<bool> thpEligible;
    std::optional<Bytes> kernelPage, mmuPage, anonHuge, filePmdMapped, shmemPmdMapped, hugetlb, pageTables;
    std::optional<Bytes> size, rss, privateHugetlb, sharedHugetlb, locked;
    std::optional<VmFlags> vmFlags;  ///< those that any of the mappings had
};

/// Every page fault of the arm's threads, in order of time; columns of one length.
struct FaultTrace {
    static constexpr std::uint64_t kElsewhere = UINT64_MAX;

    std::vector<std::int64_t> tNs;      ///< since the run's clock started
    std::vector<std::uint64_t> offset;  ///< of the page in the file (a folder: as if its files were joined)
    std::vector<std::uint8_t> major;    ///< 0 or 1
    std::vector<std::uint32_t> thread;  ///< 0: the first thread of the arm; helper threads come last
    std::uint64_t lost = 0;             ///< faults that could not be recorded
    bool userOnly = false;              ///< faults inside system calls are not shown
};

/// Where the time of the thread that finished last went. The parts and `other` add up to the wall time.
struct TimeSplit {
    Nanoseconds open{0};     ///< open(), and making the cursor
    Nanoseconds deliver{0};  ///< inside Source::next()
    Nanoseconds consume{0};  ///< inside Workload::consume() and finish()
    Nanoseconds close{0};
    Nanoseconds other{0};  ///< starting and waiting for the arm's other threads, and what the loop costs
    /// Wall minus CPU time minus time on the run queue of that thread (/proc/thread-self/schedstat): waiting,
    /// for storage where nothing else is waited for. Absent: this kernel has no schedstat.
    std::optional<Nanoseconds> wait;
    std::optional<Nanoseconds> runDelay;  ///< ready to run, without a CPU
    Nanoseconds helperCpu{0};             ///< CPU time of the source's helper threads: overlapped work
    /// Inside open or deliver, told by sources that allocate huge pages.
    std::optional<Nanoseconds> hugeAllocation;
};

/// State of the page cache for a run's range.
struct CacheFacts {
    CacheState state = CacheState::warm;  ///< asked for
    bool reached = false;                 ///< verified before the run
    std::string reason;                   ///< why not, or what could not be verified
    std::optional<double> residentBefore,
        residentAfter;      ///< share 0 to 1; absent: not available (not your file)
    std::string folioHint;  ///< "readahead-sized", "4 KiB" or "unknown"
};

/// The memory cap a run was under.
struct CapFacts {
    Bytes limit;                     ///< asked for
    Bytes effective;                 ///< the smallest limit that holds: an ancestor's may be smaller
    std::optional<Bytes> peak;       ///< most memory charged to the group at once
    std::optional<Bytes> fileBytes;  ///< page cache charged to it at the end
    bool outOfMemory = false;        ///< the kernel killed the worker for it
};

/// (time, bytes, faults) at span borders, running totals over the arm's threads, merged by time.
struct Stamps {
    std::vector<std::int64_t> tNs;
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> minorFaults;
};

struct Sampling {
    Nanoseconds period{0};
    /// Observer CPU time (sampler thread, and the parent process during the run) over wall time.
    double costFraction = 0;
    SampleSeries samples;
};

struct RunRecord {
    std::uint32_t arm = 0;
    std::uint32_t round = 0;
    std::optional<Bytes> limit;  ///< of a sweep: how much of the file the run was to read
    Phase phase = Phase::measured;
    RunStatus status = RunStatus::failed;
    std::optional<ErrorKind> errorKind;
    std::string error;

    Nanoseconds wall{0};   ///< from before open(2) to after close(2)
    Nanoseconds setup{0};  ///< to the first byte delivered
    Nanoseconds cpu{0}, user{0}, system{0};
    Bytes bytesIn;
    std::optional<Bytes> bytesOut;                   ///< absent: the workload produces none
    std::uint64_t minorFaults = 0, majorFaults = 0;  ///< the arm's threads
    std::uint64_t processMinorFaults = 0,
                  processMajorFaults = 0;  ///< the whole process, since the run's start
    std::optional<Bytes> peakRss;          ///< VmHWM
    std::optional<std::int64_t> rssDeltaBytes;
    std::optional<Bytes> peakPrivate, peakHugetlb, peakMappedCache;
    Bytes heapAllocated;
    std::uint64_t voluntarySwitches = 0, involuntarySwitches = 0;
    std::optional<Bytes> storageRead;

    std::optional<Outcome> outcome;
    std::optional<MappingFacts> mapping;
    std::optional<FaultTrace> faultTrace;
    std::optional<TimeSplit> split;
    std::optional<ResidencyHistory> residency;  ///< inspection run of a single file
    std::optional<CapFacts> cap;
    CacheFacts cache;
    std::map<std::string, std::uint64_t> counters;
    Sampling sampling;
    Stamps stamps;
    std::vector<std::string> warnings;
};

}  // namespace mmapscope
