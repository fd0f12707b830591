#include "study/explain_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "study/attribution.h"
#include "study/random.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr unsigned kRounds = 5;
constexpr unsigned kFewestRounds = 3;  ///< attribute() needs so many
constexpr Nanoseconds kLongRun = std::chrono::seconds(1);
/// Stream of the order seed, apart from those of the study's rounds.
constexpr std::uint64_t kStream = 3ULL << 32U;
constexpr std::string_view kStopped = "it was stopped";

class Explanation {
  public:
    Explanation(const StudyBackend& backend, Study& study, const FileFacts& file, const StudyRequest& request,
                const StudyEvents& events, const std::stop_token& stop)
        : backend_(backend),
          study_(study),
          file_(file),
          request_(request),
          events_(events),
          stop_(stop),
          subjects_(splitSubjects(study)),
          rounds_(roundsFor(study)) {}

    void go() {
        if (subjects_.empty()) {
            return;
        }
        std::string trouble;
        for (unsigned round = 1; round <= rounds_ && trouble.empty(); ++round) {
            trouble = oneRound(round);
        }
        if (changed_) {
            // Some of them may have read the file as it is now.
            study_.splitRuns.clear();
            study_.warnings.push_back("where the time went is not told: " + trouble);
            return;
        }
        study_.attribution = attribute(study_);
        if (!trouble.empty()) {
            study_.warnings.push_back("where the time went is told from fewer runs, or not at all: " +
                                      trouble);
        }
    }

  private:
    static unsigned roundsFor(const Study& study) {
        const bool anyLong = std::any_of(study.summary.begin(), study.summary.end(), [](const ArmSummary& s) {
            return s.medianWall && *s.medianWall > kLongRun;
        });
        return anyLong ? kFewestRounds : std::clamp(study.plan.rounds, kFewestRounds, kRounds);
    }

    [[nodiscard]] Range whole() const {
        return {Bytes(0), study_.plan.limit.value_or(study_.plan.fileBytes)};
    }

    /// Empty, or why no more runs can be had.
    std::string oneRound(unsigned round) {
        for (const auto index :
             shuffledIndices(subjects_.size(), streamSeed(study_.plan.orderSeed, kStream + round))) {
            if (stop_.stop_requested()) {
                return std::string(kStopped);
            }
            announce(round);
            if (auto trouble = run(subjects_[index], round); !trouble.empty()) {
                return trouble;
            }
            ++done_;
        }
        return {};
    }

    std::string run(const SplitSubject& subject, unsigned round) {
        if (std::find(leftOut_.begin(), leftOut_.end(), subject) != leftOut_.end()) {
            return {};
        }
        const auto stamp = backend_.stamp(file_.path);
        if (!stamp || !(*stamp == file_.stamp)) {
            changed_ = true;
            return stamp ? "the file was changed" : stamp.error().message;
        }
        const CacheState state = study_.plan.cache;
        const bool filled = state == CacheState::warm || state == CacheState::warmSmall;
        const auto cache =
            backend_.prepareCache(file_, whole(), state, filled && cacheDisturbed_, stop_, [](double) {});
        if (!cache) {
            return cache.error().kind == ErrorKind::cancelled ? std::string(kStopped) : cache.error().message;
        }
        cacheDisturbed_ = false;
        const WorkloadType& workload = *findWorkload(subject.workload);
        auto ranges = workload.split(file_, subject.workloadParameters, whole().end, subject.threads);
        if (!ranges) {
            leaveOut(subject, ranges.error().message);
            return {};
        }
        RunRecord record = backend_.run(requestFor(subject, std::move(*ranges)),
                                        RunWatch([](std::span<const Sample>) {}), stop_);
        const SourceType* const type = findSource(subject.source);
        cacheDisturbed_ = type == nullptr || type->traits.bypassesCache;
        if (record.status == RunStatus::cancelled) {
            return std::string(kStopped);
        }
        if (record.errorKind == ErrorKind::changed) {
            changed_ = true;
            return record.error;
        }
        if (record.status != RunStatus::ok || !record.split) {
            leaveOut(subject, record.error);
            return {};
        }
        SplitRun split;
        split.source = subject.source;
        split.sourceParameters = subject.sourceParameters;
        split.threads = subject.threads;
        split.workload = subject.workload;
        split.round = round;
        split.wall = record.wall;
        split.minorFaults = record.minorFaults;
        split.majorFaults = record.majorFaults;
        split.split = *record.split;
        study_.splitRuns.push_back(std::move(split));
        return {};
    }

    [[nodiscard]] RunRequest requestFor(const SplitSubject& subject, std::vector<Range> ranges) const {
        RunRequest run;
        run.path = file_.path;
        run.stamp = file_.stamp;
        run.members = file_.members;
        run.ranges = std::move(ranges);
        run.source = subject.source;
        run.sourceParameters = subject.sourceParameters;
        run.workload = subject.workload;
        run.workloadParameters = subject.workloadParameters;
        run.phase = Phase::measured;  // nothing dear is read while it runs
        run.sampling = false;
        run.pinCpus = request_.pinCpus;
        run.splitTime = true;
        return run;
    }

    void leaveOut(const SplitSubject& subject, const std::string& why) {
        leftOut_.push_back(subject);
        study_.warnings.push_back(
            fmt::format("where the time went is not told of arms that need {} under {}: {}", subject.source,
                        subject.workload, why));
    }

    void announce(unsigned round) {
        if (!events_.progress) {
            return;
        }
        const double all = static_cast<double>(subjects_.size()) * rounds_;
        const auto now = backend_.now();
        Progress progress;
        progress.stage = StudyStage::explaining;
        progress.phase = Phase::measured;
        progress.round = round;
        progress.rounds = rounds_;
        progress.fraction = done_ / all;
        if (done_ > 0) {
            progress.left = std::chrono::duration_cast<Nanoseconds>((now - began_) * ((all - done_) / done_));
        } else {
            began_ = now;
        }
        events_.progress(progress);
    }

    const StudyBackend& backend_;
    Study& study_;
    const FileFacts& file_;
    const StudyRequest& request_;
    const StudyEvents& events_;
    const std::stop_token& stop_;
    std::vector<SplitSubject> subjects_;
    std::vector<SplitSubject> leftOut_;
    unsigned rounds_;
    double done_ = 0;
    std::chrono::steady_clock::time_point began_;
    bool cacheDisturbed_ = false;
    bool changed_ = false;
};

}  // namespace

void explainStudy(const StudyBackend& backend, Study& study, const FileFacts& file,
                  const StudyRequest& request, const StudyEvents& events, const std::stop_token& stop) {
    Explanation(backend, study, file, request, events, stop).go();
}

}  // namespace mmapscope
