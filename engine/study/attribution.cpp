#include "study/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "source/source.h"
#include "study/arm_figures.h"
#include "study/attribution_words.h"
#include "study/statistics.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr std::string_view kCeiling = "memory";
constexpr std::string_view kPlainScan = "scan";
/// A median of fewer is one run's chance.
constexpr std::size_t kFewestRuns = 3;

SplitSubject under(std::string_view source, const Parameters& parameters, unsigned threads,
                   std::string_view workload, const Parameters& workloadParameters) {
    return {std::string(source), parameters, threads, std::string(workload), workloadParameters};
}

SplitSubject scanning(std::string_view source, const Parameters& parameters, unsigned threads) {
    return under(source, parameters, threads, kPlainScan,
                 *parseParameters(findWorkload(kPlainScan)->parameters, ""));
}

Parameters ceilingParameters() {
    return *parseParameters(findSource(kCeiling)->parameters, "");
}

bool mapsLazily(const Arm& arm) {
    const SourceType* const type = findSource(arm.source);
    return type != nullptr && type->traits.mapsFile;
}

bool isCeiling(const Arm& arm) {
    return arm.source == kCeiling;
}

/// The split runs of one subject, in order of rounds.
std::vector<const SplitRun*> runsOf(const Study& study, const SplitSubject& subject) {
    std::vector<const SplitRun*> runs;
    for (const SplitRun& run : study.splitRuns) {
        if (run.source == subject.source && run.sourceParameters == subject.sourceParameters &&
            run.threads == subject.threads && run.workload == subject.workload) {
            runs.push_back(&run);
        }
    }
    return runs;
}

using Runs = std::vector<const SplitRun*>;

template <class Get>
double medianNs(const Runs& runs, Get get) {
    std::vector<double> values;
    for (const SplitRun* run : runs) {
        values.push_back(static_cast<double>(get(*run).count()));
    }
    return values.empty() ? 0 : median(std::move(values));
}

/// Waiting that is storage's: no helper thread was waited for instead.
Nanoseconds waitOf(const SplitRun& run) {
    return run.split.wait.value_or(Nanoseconds(0));
}

/// Paired by round: what consuming costs more there than in memory, without the waiting in it.
double consumesMore(const Runs& there, const Runs& inMemory, bool waitsWhenTouched) {
    std::vector<double> differences;
    for (const SplitRun* run : there) {
        const auto other = std::find_if(inMemory.begin(), inMemory.end(),
                                        [&](const SplitRun* r) { return r->round == run->round; });
        if (other != inMemory.end()) {
            const Nanoseconds wait = waitsWhenTouched ? waitOf(*run) : Nanoseconds(0);
            differences.push_back(
                static_cast<double>((run->split.consume - wait - (*other)->split.consume).count()));
        }
    }
    return differences.empty() ? 0 : median(std::move(differences));
}

Nanoseconds ns(double value) {
    return Nanoseconds(std::llround(value));
}

class ArmTakenApart {
  public:
    ArmTakenApart(const Study& study, const ArmSummary& summary)
        : study_(study),
          arm_(study.arms[summary.arm]),
          wall_(*summary.medianWall),
          own_(runsOf(study, under(arm_.source, arm_.sourceParameters, arm_.threads, arm_.workload,
                                   arm_.workloadParameters))),
          ceiling_(runsOf(study, under(kCeiling, ceilingParameters(), arm_.threads, arm_.workload,
                                       arm_.workloadParameters))) {
        facts_.figures = figuresOf(study, summary.arm);
        facts_.bytes = study.plan.limit.value_or(study.plan.fileBytes);
        facts_.wall = wall_;
        facts_.mapsLazily = mapsLazily(arm_);
        facts_.ceiling = isCeiling(arm_);
        const SourceType* const type = findSource(arm_.source);
        hasHelpers_ = type != nullptr && type->traits.helperThreads;
        facts_.handsOverBuffer =
            type != nullptr && !type->traits.mapsFile && !type->traits.holdsWhole && !facts_.ceiling;
        if (facts_.mapsLazily) {
            scanned_ = runsOf(study, scanning(arm_.source, arm_.sourceParameters, arm_.threads));
            scannedInMemory_ = runsOf(study, scanning(kCeiling, ceilingParameters(), arm_.threads));
        }
    }

    [[nodiscard]] bool known() const {
        const auto enough = [](const Runs& runs) { return runs.size() >= kFewestRuns; };
        return enough(own_) && enough(ceiling_) &&
               (!facts_.mapsLazily || (enough(scanned_) && enough(scannedInMemory_)));
    }

    [[nodiscard]] Attribution result(std::uint32_t index) {
        measure();
        Attribution a;
        a.arm = index;
        a.wall = wall_;
        a.parts = attributedParts(facts_);
        a.unexplained = wall_;
        for (const AttributedTime& part : a.parts) {
            a.unexplained -= part.name == "overlap" ? Nanoseconds(0) : part.time;
        }
        a.sentence = attributionSentence(arm_.id, facts_, a);
        return a;
    }

  private:
    void measure() {
        facts_.open = ns(medianNs(own_, [](const SplitRun& r) { return r.split.open; }));
        facts_.deliver = ns(medianNs(own_, [](const SplitRun& r) { return r.split.deliver; }));
        facts_.close = ns(medianNs(own_, [](const SplitRun& r) { return r.split.close; }));
        facts_.workload = ns(medianNs(ceiling_, [](const SplitRun& r) { return r.split.consume; }));
        facts_.splitWall = ns(medianNs(own_, [](const SplitRun& r) { return r.wall; }));
        if (hasHelpers_) {
            facts_.overlap = ns(medianNs(own_, [](const SplitRun& r) { return r.split.helperCpu; }));
        }
        facts_.wait = ns(medianNs(own_, waitOf));
        facts_.waitKnown = std::all_of(own_.begin(), own_.end(),
                                       [](const SplitRun* r) { return r->split.wait.has_value(); });
        facts_.hugeAllocation = ns(medianNs(
            own_, [](const SplitRun& r) { return r.split.hugeAllocation.value_or(Nanoseconds(0)); }));
        facts_.rounds = own_.size();
        facts_.touch = ns(facts_.mapsLazily ? consumesMore(scanned_, scannedInMemory_, true)
                                            : consumesMore(own_, ceiling_, false));
        facts_.ceilingFaults = faults(ceiling_);
        facts_.ownFaults = std::max(0.0, facts_.figures.minorFaults.value_or(0) +
                                             facts_.figures.majorFaults.value_or(0) - facts_.ceilingFaults);
    }

    [[nodiscard]] static double faults(const Runs& runs) {
        std::vector<double> values;
        for (const SplitRun* run : runs) {
            values.push_back(static_cast<double>(run->minorFaults + run->majorFaults));
        }
        return median(std::move(values));
    }

    const Study& study_;
    const Arm& arm_;
    Nanoseconds wall_;
    Runs own_, ceiling_, scanned_, scannedInMemory_;
    bool hasHelpers_ = false;
    ArmTimeFacts facts_;
};

}  // namespace

std::vector<SplitSubject> splitSubjects(const Study& study) {
    std::vector<SplitSubject> subjects;
    const auto need = [&](SplitSubject subject) {
        if (std::find(subjects.begin(), subjects.end(), subject) == subjects.end()) {
            subjects.push_back(std::move(subject));
        }
    };
    for (const ArmSummary& summary : study.summary) {
        const Arm& arm = study.arms[summary.arm];
        if (!summary.medianWall) {
            continue;
        }
        need(under(arm.source, arm.sourceParameters, arm.threads, arm.workload, arm.workloadParameters));
        need(under(kCeiling, ceilingParameters(), arm.threads, arm.workload, arm.workloadParameters));
        if (mapsLazily(arm)) {
            need(scanning(arm.source, arm.sourceParameters, arm.threads));
            need(scanning(kCeiling, ceilingParameters(), arm.threads));
        }
    }
    return subjects;
}

std::vector<Attribution> attribute(const Study& study) {
    std::vector<Attribution> all;
    for (const ArmSummary& summary : study.summary) {
        if (!summary.medianWall) {
            continue;
        }
        if (ArmTakenApart arm(study, summary); arm.known()) {
            all.push_back(arm.result(summary.arm));
        }
    }
    return all;
}

}  // namespace mmapscope
