#include "study/study_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "study/backend.h"
#include "study/cap_rules.h"
#include "study/explain_study.h"
#include "study/machine_state.h"
#include "study/random.h"
#include "study/statistics.h"
#include "study/time_estimate.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr unsigned kRoundsOfShortRuns = 15;
constexpr unsigned kRoundsOfLongRuns = 7;
constexpr Nanoseconds kShortRun = std::chrono::seconds(1);
/// An arm that fails this often in a row is left out of the rounds that follow.
constexpr unsigned kPatience = 3;
constexpr auto kProgressPeriod = std::chrono::milliseconds(50);
/// Streams of the order seed; the bootstrap has its own.
constexpr std::uint64_t kWarmupStream = 1ULL << 32U;
constexpr std::uint64_t kMeasuredStream = 2ULL << 32U;

class StudyRun {
  public:
    StudyRun(const StudyBackend& backend, Study planned, const StudyRequest& request,
             const StudyEvents& events, std::stop_token stop)
        : backend_(backend),
          study_(std::move(planned)),
          request_(request),
          events_(events),
          stop_(std::move(stop)),
          arms_(study_.arms.size()),
          estimate_(study_.arms.size(), study_.plan.warmups, roundsSoFar()) {}

    Study go() {
        study_.complete = lookAtFile() && inspections() && warmups() && measured();
        summarize(study_);
        if (study_.complete && request_.why && events_.roundsDone) {
            events_.roundsDone(study_);
        }
        if (study_.complete && request_.why && study_.plan.memoryCap) {
            study_.warnings.push_back(
                "where the time went is not told under a memory cap: memory, which arms are held against, "
                "can't "
                "hold the file there");
        } else if (study_.complete && request_.why) {
            explainStudy(backend_, study_, file_, request_, events_, stop_);
        }
        return std::move(study_);
    }

  private:
    struct ArmState {
        std::vector<Range> ranges;     ///< one a thread
        std::string refused;           ///< why the workload can't be split for this arm
        bool saidUnavailable = false;  ///< it gets one such run
        bool leftOut = false;
        unsigned failuresInARow = 0;
        Nanoseconds lastWall{0};  ///< of its last good inspection or warm-up run
    };

    [[nodiscard]] Range whole() const {
        return {Bytes(0), study_.plan.limit.value_or(study_.plan.fileBytes)};
    }

    /// Inspects the file and cuts it for each arm. false: the study can't start, and the runs say why.
    bool lookAtFile() {
        auto facts = inspectInput(study_.plan.file);
        if (facts && facts->bytes != study_.plan.fileBytes) {
            const auto [then, now] = formatBytesApart(study_.plan.fileBytes, facts->bytes);
            facts = fail(ErrorKind::changed,
                         fmt::format("{} has changed: {} when the study was planned, {} now; plan it again",
                                     printable(facts->path), then, now));
        }
        if (!facts) {
            append(failedRun(facts.error()), 0, Phase::inspection, 0);
            return false;
        }
        file_ = std::move(*facts);
        if (file_.leftOut > 0) {
            firstNote_ = fmt::format(
                "left out of the folder: {} that {} neither file nor folder (FIFOs, "
                "sockets, devices)",
                file_.leftOut == 1 ? std::string("one entry") : fmt::format("{} entries", file_.leftOut),
                file_.leftOut == 1 ? "is" : "are");
        }
        for (std::uint32_t arm = 0; arm < arms_.size(); ++arm) {
            cut(arm);
        }
        return true;
    }

    void cut(std::uint32_t index) {
        const Arm& arm = study_.arms[index];
        const WorkloadType* type = findWorkload(arm.workload);
        if (type == nullptr) {
            arms_[index].refused =
                fmt::format("this version has no workload \"{}\"", printable(arm.workload));
            return;
        }
        auto ranges = type->split(file_, arm.workloadParameters, whole().end, arm.threads);
        if (ranges) {
            arms_[index].ranges = std::move(*ranges);
        } else {
            arms_[index].refused = ranges.error().message;
        }
    }

    bool inspections() {
        for (std::uint32_t arm = 0; arm < arms_.size(); ++arm) {
            if (!turn(arm, Phase::inspection, 0)) {
                return false;
            }
        }
        return true;
    }

    bool warmups() {
        for (unsigned round = 1; round <= study_.plan.warmups; ++round) {
            if (!oneRound(Phase::warmup, round, kWarmupStream)) {
                return false;
            }
        }
        return true;
    }

    bool measured() {
        study_.plan.rounds = roundsSoFar();
        estimate_.setRounds(study_.plan.rounds);
        for (unsigned round = 1; round <= study_.plan.rounds; ++round) {
            if (!oneRound(Phase::measured, round, kMeasuredStream)) {
                return false;
            }
        }
        return true;
    }

    bool oneRound(Phase phase, unsigned round, std::uint64_t stream) {
        for (const auto arm :
             shuffledIndices(arms_.size(), streamSeed(study_.plan.orderSeed, stream + round))) {
            if (!turn(arm, phase, round)) {
                return false;
            }
        }
        return true;
    }

    /// As asked for, else by the slowest arm's last run: what is fixed when measuring starts, and guessed
    /// before.
    [[nodiscard]] unsigned roundsSoFar() const {
        if (request_.rounds) {
            return *request_.rounds;
        }
        const bool allShort = std::all_of(arms_.begin(), arms_.end(),
                                          [](const ArmState& arm) { return arm.lastWall < kShortRun; });
        return allShort ? kRoundsOfShortRuns : kRoundsOfLongRuns;
    }

    [[nodiscard]] unsigned roundsOf(Phase phase) const {
        return phase == Phase::inspection ? 1
               : phase == Phase::warmup   ? study_.plan.warmups
                                          : study_.plan.rounds;
    }

    /// One run of one arm, with all that belongs to it. false: the study ends here.
    bool turn(std::uint32_t arm, Phase phase, unsigned round) {
        if (stop_.stop_requested()) {
            return false;
        }
        turn_ = {StudyStage::preparingCache,
                 phase,
                 arm,
                 std::max(round, 1U),
                 roundsOf(phase),
                 0,
                 std::nullopt,
                 observed_};
        turnBegan_ = backend_.now();
        if (arms_[arm].leftOut) {
            estimate_.turnEnded(arm, phase, std::nullopt);
            return true;
        }
        if (const auto there = availability(arm); !there.available) {
            return notAvailable(there, arm, phase, round);
        }
        const auto stamp = backend_.stamp(file_.path);
        if (!stamp || !(*stamp == file_.stamp)) {
            append(failedRun(changedError(stamp)), arm, phase, round);
            return false;
        }
        announce(StudyStage::preparingCache);
        const auto cache = prepare();
        if (!cache) {
            if (cache.error().kind == ErrorKind::cancelled) {
                return false;
            }
            return settle(append(failedRun(cache.error()), arm, phase, round));
        }
        announce(StudyStage::running);
        return settle(append(execute(arm, phase, *cache), arm, phase, round));
    }

    [[nodiscard]] Availability availability(std::uint32_t arm) const {
        if (!arms_[arm].refused.empty()) {
            return Availability::no(arms_[arm].refused);
        }
        if (const auto capped = underMemoryCap(study_.plan.memoryCap, study_.arms[arm], whole());
            !capped.available) {
            return capped;
        }
        return backend_.availability(file_, study_.arms[arm], whole());
    }

    bool notAvailable(const Availability& there, std::uint32_t arm, Phase phase, unsigned round) {
        if (arms_[arm].saidUnavailable) {
            estimate_.turnEnded(arm, phase, std::nullopt);
            return true;
        }
        RunRecord record;
        record.status = RunStatus::unavailable;
        record.errorKind = ErrorKind::unavailable;
        record.error = there.unlock.empty() ? there.reason
                                            : fmt::format("{}; to unlock: {}", there.reason, there.unlock);
        arms_[arm].saidUnavailable = true;
        append(std::move(record), arm, phase, round);
        estimate_.turnEnded(arm, phase, std::nullopt);
        estimate_.drop(arm);
        return true;
    }

    [[nodiscard]] static RunRecord failedRun(const Error& error) {
        RunRecord record;
        record.status = RunStatus::failed;
        record.errorKind = error.kind;
        record.error = error.message;
        return record;
    }

    [[nodiscard]] Error changedError(const Result<FileStamp>& stamp) const {
        if (!stamp) {
            return {ErrorKind::changed, stamp.error().message};
        }
        const auto [then, now] = formatBytesApart(file_.stamp.size, stamp->size);
        return {ErrorKind::changed,
                stamp->size == file_.stamp.size
                    ? fmt::format("{} was written or replaced since the study began; measure again once "
                                  "nothing writes to it",
                                  printable(file_.path))
                    : fmt::format("{} has changed: {} when the study began, {} now; measure again once "
                                  "nothing writes to it",
                                  printable(file_.path), then, now)};
    }

    [[nodiscard]] Result<CacheFacts> prepare() {
        if (study_.plan.memoryCap) {
            return prepareForCap();
        }
        const CacheState state = study_.plan.cache;
        const bool filled = state == CacheState::warm || state == CacheState::warmSmall;
        const bool force = filled && cacheDisturbed_;
        auto facts = backend_.prepareCache(file_, whole(), state, force, stop_, [&](double prepared) {
            turn_.prepared = prepared;
            announceNowAndThen(StudyStage::preparingCache);
        });
        turn_.prepared = 0;
        if (facts) {
            cacheDisturbed_ = false;
        }
        return facts;
    }

    /// Evicted, so that whatever is cached in the run is charged to its group; warm means that the worker
    /// does a complete run first.
    [[nodiscard]] Result<CacheFacts> prepareForCap() {
        auto facts = backend_.prepareCache(file_, whole(), CacheState::cold, true, stop_,
                                           [&](double) { announceNowAndThen(StudyStage::preparingCache); });
        if (facts) {
            facts->state = study_.plan.cache;
            if (!facts->reached) {
                facts->reason =
                    "what is cached from outside isn't charged to the memory cap: " + facts->reason;
            }
        }
        return facts;
    }

    RunRecord execute(std::uint32_t index, Phase phase, const CacheFacts& cache) {
        const Arm& arm = study_.arms[index];
        RunRequest run;
        run.path = file_.path;
        run.stamp = file_.stamp;
        run.members = file_.members;
        run.ranges = arms_[index].ranges;
        run.source = arm.source;
        run.sourceParameters = arm.sourceParameters;
        run.workload = arm.workload;
        run.workloadParameters = arm.workloadParameters;
        run.phase = phase;
        run.sampling = request_.samples;
        run.pinCpus = request_.pinCpus;
        run.traceFaults = request_.traceFaults && phase == Phase::inspection;
        run.memoryCap = study_.plan.memoryCap;
        run.warmFirst = run.memoryCap && study_.plan.cache == CacheState::warm;
        const auto sink = [&](std::span<const Sample> samples) {
            if (events_.samples) {
                events_.samples(index, samples);
            }
            announceNowAndThen(StudyStage::running);
        };
        const MachineState before = MachineState::now();
        RunWatch watch(sink);
        watch.silence = [&](const std::string& what) {
            turn_.remark = what;
            announce(StudyStage::running);
        };
        RunRecord record = backend_.run(run, watch, stop_);
        turn_.remark.clear();
        MachineState::now().addTo(record.counters, before);
        record.cache = cache;
        // With a cap's group its page cache has gone.
        record.cache.residentAfter = run.memoryCap ? std::nullopt : backend_.residentShare(file_, whole());
        // Direct reads can push cached pages out and let others fill them again in another size, which no
        // share of resident pages shows. MADV_DONTNEED on a file mapping drops its entries, not the cache.
        const SourceType* type = findSource(arm.source);
        if (record.status == RunStatus::cancelled && !stop_.stop_requested()) {
            record.status = RunStatus::failed;
            record.errorKind = ErrorKind::failed;
            record.error = "the run stopped without having been asked to";
        }
        cacheDisturbed_ = cacheDisturbed_ || type == nullptr || type->traits.bypassesCache;
        return record;
    }

    const RunRecord& append(RunRecord record, std::uint32_t arm, Phase phase, unsigned round) {
        record.arm = arm;
        record.phase = phase;
        record.round = round;
        record.cache.state = study_.plan.cache;
        if (!record.cache.reached && record.cache.reason.empty()) {
            record.cache.reason = "not prepared: the run did not start";
        }
        observed_ = record.sampling.costFraction;
        if (!firstNote_.empty()) {
            record.warnings.push_back(std::exchange(firstNote_, {}));
        }
        study_.runs.push_back(std::move(record));
        summarize(study_);
        if (events_.runEnded) {
            events_.runEnded(study_);
        }
        return study_.runs.back();
    }

    /// What a run that ended means for its arm and the study. false: the study ends here.
    bool settle(const RunRecord& record) {
        ArmState& arm = arms_[record.arm];
        estimate_.turnEnded(record.arm, record.phase, Nanoseconds(backend_.now() - turnBegan_));
        switch (record.status) {
            case RunStatus::ok:
                arm.failuresInARow = 0;
                if (record.phase != Phase::measured) {
                    arm.lastWall = record.wall;
                }
                break;
            case RunStatus::unavailable:
                // It was said to be available and was not: it would only find out again.
                arm.leftOut = true;
                break;
            case RunStatus::cancelled:
                return false;
            case RunStatus::failed:
                if (record.errorKind == ErrorKind::changed) {
                    return false;
                }
                ++arm.failuresInARow;
                arm.leftOut = arm.failuresInARow >= kPatience ||
                              (record.phase == Phase::inspection && record.errorKind == ErrorKind::input);
                break;
        }
        if (arm.leftOut) {
            estimate_.drop(record.arm);
        }
        return true;
    }

    void announce(StudyStage stage) {
        turn_.stage = stage;
        if (!events_.progress) {
            return;
        }
        lastProgress_ = backend_.now();
        const Nanoseconds inTurn = lastProgress_ - turnBegan_;
        turn_.left = estimate_.left(turn_.arm, turn_.phase, inTurn);
        turn_.fraction = estimate_.fraction(turn_.arm, turn_.phase, inTurn);
        events_.progress(turn_);
    }

    void announceNowAndThen(StudyStage stage) {
        if (backend_.now() - lastProgress_ >= kProgressPeriod) {
            announce(stage);
        }
    }

    const StudyBackend& backend_;
    Study study_;
    const StudyRequest& request_;
    const StudyEvents& events_;
    std::stop_token stop_;
    FileFacts file_;
    std::string firstNote_;  ///< what the study's first run is to tell
    std::vector<ArmState> arms_;
    TimeEstimate estimate_;
    Progress turn_;
    std::chrono::steady_clock::time_point turnBegan_, lastProgress_;
    double observed_ = 0;
    bool cacheDisturbed_ = true;
};

}  // namespace

Study runStudyWith(const StudyBackend& backend, Study planned, const StudyRequest& request,
                   const StudyEvents& events, std::stop_token stop) {
    return StudyRun(backend, std::move(planned), request, events, std::move(stop)).go();
}

}  // namespace mmapscope
