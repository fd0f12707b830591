// A study: plan, environment, runs, summary. The in-memory form of the study file (design: Contracts).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probe/thp.h"
#include "run/run_record.h"

namespace mmapscope {

struct HugePagePool {
    Bytes size;
    std::uint64_t total = 0, free = 0, reserved = 0, surplus = 0;
};

struct Environment {
    std::string host;  ///< of a study on another machine: what that calls itself (uname -n); else empty
    std::string toolVersion, kernel, cpu;
    unsigned cores = 0;
    std::optional<Bytes> memory;
    Bytes page;
    ThpSettings thp;
    std::optional<HugePagePool> hugePages;
    std::string filesystem, device, mountOptions;
    StorageClass storage = StorageClass::unknown;
    std::optional<std::string> governor;
    std::optional<int> swappiness;
    std::optional<std::string> mglru;
    std::optional<int> cgroupVersion;
    std::optional<Bytes> readAhead;
    std::string libzstd, openssl;
    std::optional<std::string> virtualMachine;  ///< hypervisor's name; absent: none seen
    std::map<std::string, bool> counters;
};

struct Arm {
    std::string id;  ///< "read", "read:256KiB", "mmap", "mmap#2"; unique within the study
    std::string source;
    Parameters sourceParameters;
    std::string workload;
    Parameters workloadParameters;
    unsigned threads = 1;
};

struct Plan {
    std::string host;  ///< the machine it lies on and was measured on, as ssh takes it; empty: this one
    std::string file;
    Bytes fileBytes;
    std::uint64_t folderFiles = 0;  ///< files of the folder that `file` is; 0: it is a file
    std::optional<Bytes> limit;
    std::string workload;
    unsigned rounds = 0;  ///< fixed before the study starts
    unsigned warmups = 1;
    std::uint64_t orderSeed = 0;
    CacheState cache = CacheState::warm;
    std::optional<Bytes> memoryCap = {};  ///< on each run's worker
    Isolation isolation = Isolation::worker;
    std::uint32_t baseline = 0;  ///< index into arms
};

enum class Verdict { baseline, faster, slower, tied, unranked };
[[nodiscard]] std::string_view name(Verdict verdict);

struct ArmSummary {
    std::uint32_t arm = 0;
    std::uint32_t runs = 0;  ///< good measured runs
    std::optional<Nanoseconds> medianWall, minWall, maxWall, madWall;
    std::optional<double> medianBytesPerSecond;
    /// Throughput over the baseline's, paired by round: above 1 is faster.
    std::optional<double> ratio, ratioLow, ratioHigh;
    Verdict verdict = Verdict::unranked;
    std::string unrankedReason;
    std::optional<bool> outcomesAgree;  ///< with the other arms; absent: no run of it computed anything
};

/// What a part of the wall time went into, or a part itself.
struct AttributedTime {
    std::string name;  ///< design: attribution[].parts[].name and inside[].name
    Nanoseconds time{0};
    std::string basis;                   ///< what it was measured as, in words
    std::vector<AttributedTime> inside;  ///< of a part
};

/// An arm's median wall time taken apart. wall = the parts (but not `overlap`, which ran beside) +
/// unexplained.
struct Attribution {
    std::uint32_t arm = 0;
    Nanoseconds wall{0};
    std::vector<AttributedTime> parts;  ///< open, deliver, close, workload, touch, handover, overlap
    Nanoseconds unexplained{0};         ///< signed
    std::string sentence;
};

/// One run made only to take time apart: never ranked.
struct SplitRun {
    std::string source;
    Parameters sourceParameters;
    unsigned threads = 1;
    std::string workload;  ///< the study's, or scan
    std::uint32_t round = 0;
    Nanoseconds wall{0};
    std::uint64_t minorFaults = 0, majorFaults = 0;
    TimeSplit split;
};

/// What makes a study a sweep over working-set sizes.
struct SweepPlan {
    std::vector<Bytes> sizes;     ///< the coarse grid, ascending, moved to where the workload can stop
    unsigned morePoints = 0;      ///< most points that may be added where verdicts change
    FileStamp stamp;              ///< of the file when it was planned
    bool complete = false;        ///< grid and refinement are done
    std::uint64_t runsSaved = 0;  ///< against a grid as fine as the refinement everywhere
};

/// Where an arm's verdict against the baseline changes sides.
struct Crossover {
    std::uint32_t arm = 0, baseline = 0;
    Bytes low, high;           ///< the last size with the one verdict, the first with the other; ties inside
    Bytes size;                ///< between them, on a log scale
    bool fasterBelow = false;  ///< the arm is faster below and slower above; else the other way round
    double confidence = 0.95;  ///< of each end's verdict: a 95 % interval that lies on one side
};

struct Study {
    std::string title, note;  ///< the person's own words; empty: none
    Environment environment;
    Plan plan;
    std::vector<Arm> arms;
    std::vector<RunRecord> runs;
    std::vector<ArmSummary> summary;
    std::vector<Attribution> attribution;  ///< empty: not asked for, or stopped before
    std::vector<SplitRun> splitRuns;       ///< what it was computed from
    std::optional<SweepPlan> sweep;
    std::vector<Crossover> crossovers;  ///< of a sweep
    std::vector<std::string> warnings;  ///< noise, drift, throttling, swapping, busy machine, changed file
    bool complete = false;
};

}  // namespace mmapscope
