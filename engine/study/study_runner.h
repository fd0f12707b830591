// From a question to a finished study.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "run/sample.h"
#include "study/study.h"

namespace mmapscope {

struct ArmRequest {
    std::string source;           ///< id
    Parameters sourceParameters;  ///< from parseParameters
    unsigned threads = 1;
};

struct StudyRequest {
    std::string file;
    std::string workload;
    Parameters workloadParameters;
    std::vector<ArmRequest> arms;
    std::optional<unsigned> rounds;  ///< absent: 15 when a run takes under a second, else 7
    unsigned warmups = 1;
    std::optional<std::uint64_t> orderSeed;  ///< absent: drawn, and recorded
    CacheState cache = CacheState::warm;
    Isolation isolation = Isolation::worker;
    std::optional<Bytes> limit;
    std::optional<Bytes> memoryCap = {};  ///< isolation worker only
    std::size_t baseline = 0;             ///< index into arms
    bool samples = true;
    bool traceFaults = false;  ///< in the inspection runs
    bool why = false;          ///< takes each arm's time apart, by more runs once the rounds are done
    std::vector<unsigned> pinCpus;
    std::string workerProgram;  ///< isolation worker: from findWorkerProgram
};

enum class StudyStage { preparingCache, running, explaining };

struct Progress {
    StudyStage stage = StudyStage::running;
    Phase phase = Phase::inspection;
    std::uint32_t arm = 0;
    unsigned round = 0;  ///< from 1
    unsigned rounds = 0;
    double fraction = 0;              ///< of the whole study, 0 to 1
    std::optional<Nanoseconds> left;  ///< absent until something was measured
    double observerFraction = 0;      ///< of the last run
    double prepared = 0;              ///< of this run's page cache, 0 to 1; 0 in other stages
    std::string remark = {};          ///< what a person should know of this run now; mostly empty
    std::optional<Bytes> size = {};   ///< of a sweep: the point that is being measured
};

/// All called on the thread that runs the study; they must return quickly. Any may be empty.
struct StudyEvents {
    std::function<void(const Progress&)> progress;
    std::function<void(std::uint32_t arm, std::span<const Sample>)> samples;
    /// `study.runs.back()` just ended, `summary` is up to date. This is where a study is saved after every
    /// run.
    std::function<void(const Study& study)> runEnded;
    /// All rounds are done; what follows only explains. Saved here, a study that is killed while it is
    /// explained is a complete one.
    std::function<void(const Study& study)> roundsDone;
};

/// Looks at the file, resolves the workload, splits, names the arms, reads the environment. Nothing is run
/// yet. Error: usage (no arms, unknown ids), input (unreadable or unfit file), unavailable (worker missing).
/// Arms that can't run here are kept: their runs will say `unavailable` and why.
[[nodiscard]] Result<Study> planStudy(const StudyRequest& request);

/// Runs a planned study: inspection runs, warm-ups, interleaved shuffled rounds; summary after each. On stop
/// the study comes back with what is done (complete false).
[[nodiscard]] Study runStudy(Study planned, const StudyRequest& request, const StudyEvents& events,
                             std::stop_token stop);

}  // namespace mmapscope
