#include "claims/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "study/arm_figures.h"

namespace mmapscope {
namespace {

/// A published ratio nearer to 1 says that there is no difference worth naming.
constexpr double kBorder = 0.01;
constexpr double kSizeMargin = 0.05;
/// A tie is one only where the interval leaves no room for more than this.
constexpr double kTieWidth = 0.05;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLeastRounds = 5;

const RunRecord* firstBad(const Study& study, std::uint32_t arm) {
    const auto it = std::find_if(study.runs.begin(), study.runs.end(), [&](const RunRecord& run) {
        return run.arm == arm && run.status != RunStatus::ok && !run.error.empty();
    });
    return it == study.runs.end() ? nullptr : &*it;
}

std::optional<std::uint32_t> armOf(const Study& study, std::string_view label) {
    const auto it =
        std::find_if(study.arms.begin(), study.arms.end(), [&](const Arm& arm) { return arm.id == label; });
    return it == study.arms.end() ? std::nullopt
                                  : std::optional(static_cast<std::uint32_t>(it - study.arms.begin()));
}

using OfRun = std::function<double(const RunRecord&)>;

std::map<std::uint32_t, double> byRound(const Study& study, std::uint32_t arm, const OfRun& of) {
    std::map<std::uint32_t, double> values;
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && isRanked(run)) {
            values[run.round] = of(run);
        }
    }
    return values;
}

double wallOf(const RunRecord& run) {
    return static_cast<double>(run.wall.count());
}

/// A count of nothing has no ratio: one is the least that is told apart from it.
double atLeastOne(std::uint64_t count) {
    return static_cast<double>(std::max<std::uint64_t>(count, 1));
}

double levelOf(Figure figure, const RunRecord& run) {
    switch (figure) {
        case Figure::majorFaults:
            return static_cast<double>(run.majorFaults);
        case Figure::bytesPerFault:
            return static_cast<double>(run.bytesIn.count()) / atLeastOne(run.minorFaults);
        case Figure::bytesPerMajorFault:
            return static_cast<double>(run.bytesIn.count()) / atLeastOne(run.majorFaults);
        case Figure::peakMemory:
            return static_cast<double>(run.peakRss.value_or(Bytes(0)).count());
        case Figure::bytesPerSecond:
            return static_cast<double>(run.bytesIn.count()) * 1e9 / std::max(1.0, wallOf(run));
        default:
            return static_cast<double>(run.minorFaults);
    }
}

/// The two sides of a ratio that is above 1 when `top` is larger.
struct Sides {
    OfRun top, bottom;
    bool topIsArm = false;
};

Sides sidesOf(Figure figure) {
    switch (figure) {
        case Figure::speedAfterSetup:
            return {wallOf,
                    [](const RunRecord& run) {
                        return std::max(1.0, static_cast<double>((run.wall - run.setup).count()));
                    },
                    false};
        case Figure::systemTime: {
            const OfRun system = [](const RunRecord& run) { return static_cast<double>(run.system.count()); };
            return {system, system, true};
        }
        case Figure::heapBytes: {
            const OfRun heap = [](const RunRecord& run) { return atLeastOne(run.heapAllocated.count()); };
            return {heap, heap, true};
        }
        default:
            return {wallOf, wallOf, false};
    }
}

Finding cannot(const FindingSpec& spec, std::string reason) {
    Finding finding{.spec = spec};
    finding.reason = std::move(reason);
    return finding;
}

std::string whyNoRounds(const Study& study, std::uint32_t arm, std::size_t rounds) {
    if (const RunRecord* run = firstBad(study, arm); run != nullptr && run->status != RunStatus::cancelled) {
        return run->error;
    }
    return fmt::format("{}: {} good rounds, {} are needed; give it more time (without --quick)",
                       study.arms[arm].id, rounds, kLeastRounds);
}

Finding ratioFinding(const FindingSpec& spec, const Study& study, std::uint32_t arm, std::uint32_t against) {
    const Sides sides = sidesOf(spec.figure);
    const auto tops = byRound(study, sides.topIsArm ? arm : against, sides.top);
    const auto bottoms = byRound(study, sides.topIsArm ? against : arm, sides.bottom);
    std::vector<double> top, bottom;
    for (const auto& [round, value] : tops) {
        if (const auto it = bottoms.find(round); it != bottoms.end()) {
            top.push_back(value);
            bottom.push_back(it->second);
        }
    }
    const auto isZero = [](double value) { return value <= 0; };
    if (std::any_of(top.begin(), top.end(), isZero) || std::any_of(bottom.begin(), bottom.end(), isZero)) {
        return cannot(spec, "the runs are too short for the kernel's clock ticks to tell this time");
    }
    const auto interval = pairedRatio(top, bottom, kSeed);
    if (!interval) {
        const bool armIsShort = byRound(study, arm, wallOf).size() < kLeastRounds;
        return cannot(spec, whyNoRounds(study, armIsShort ? arm : against, top.size()));
    }
    return judgeRatio(spec, *interval);
}

Finding levelFinding(const FindingSpec& spec, const Study& study, std::uint32_t arm) {
    std::vector<double> values;
    for (const auto& [round, value] :
         byRound(study, arm, [&](const RunRecord& run) { return levelOf(spec.figure, run); })) {
        values.push_back(value);
    }
    if (values.size() < kLeastRounds) {
        return cannot(spec, whyNoRounds(study, arm, values.size()));
    }
    if (spec.figure == Figure::peakMemory && *std::min_element(values.begin(), values.end()) <= 0) {
        return cannot(spec, "this kernel doesn't tell the peak of resident memory (VmHWM)");
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return judgeLevel(spec, {median(values), *low, *high});
}

}  // namespace

bool isRatio(Figure figure) {
    return figure == Figure::speed || figure == Figure::speedAfterSetup || figure == Figure::systemTime ||
           figure == Figure::heapBytes;
}

std::string_view name(ClaimVerdict verdict) {
    switch (verdict) {
        case ClaimVerdict::agrees:
            return "agrees";
        case ClaimVerdict::disagrees:
            return "disagrees";
        case ClaimVerdict::notTestable:
            break;
    }
    return "not testable here";
}

std::string_view verdictRule() {
    return "A ratio agrees when its whole 95 % interval here lies on the published side of 1 by more than 1 "
           "%, and "
           "disagrees when it lies on the other side. Where it does neither: it disagrees when the published "
           "ratio lies outside the interval widened by 5 % (where only a direction was published: when the "
           "interval stays within 5 % of 1); else it is too wide to tell and decides nothing. Where a tie "
           "was "
           "published it agrees when it holds one and stays within 5 % of 1. The size agrees when the "
           "published "
           "ratio lies within the interval widened by 5 %. A count or rate of one arm agrees between half "
           "and "
           "twice the published one, or up to it where a limit was published. A claim agrees when all of it "
           "that "
           "could be tested does, and disagrees when any of it does; figures said beside don't count. All is "
           "of "
           "one sitting: another one on the same machine may differ by more than an interval.";
}

Finding judgeRatio(const FindingSpec& spec, const RatioInterval& here) {
    Finding finding{.spec = spec};
    finding.here = here;
    const bool nearPublished =
        spec.published >= here.low * (1 - kSizeMargin) && spec.published <= here.high * (1 + kSizeMargin);
    if (!spec.onlyDirection) {
        finding.sizeAgrees = nearPublished;
    }
    const Verdict measured = verdictOf(here);
    const bool tieClaimed = std::abs(spec.published - 1) <= kBorder;
    const Verdict claimed = tieClaimed           ? Verdict::tied
                            : spec.published > 1 ? Verdict::faster
                                                 : Verdict::slower;
    if (measured != Verdict::tied) {
        finding.verdict = measured == claimed ? ClaimVerdict::agrees : ClaimVerdict::disagrees;
        return finding;
    }
    const bool isNarrow = here.low >= 1 - kTieWidth && here.high <= 1 + kTieWidth;
    if (tieClaimed && isNarrow) {
        finding.verdict = ClaimVerdict::agrees;
    } else if (!tieClaimed && (spec.onlyDirection ? isNarrow : !nearPublished)) {
        finding.verdict = ClaimVerdict::disagrees;
    } else {
        finding.reason = tieClaimed || spec.onlyDirection
                             ? fmt::format("{:.2f} to {:.2f} is too wide to tell a tie", here.low, here.high)
                             : fmt::format("{:.2f} to {:.2f} fits both a tie and the published {:.2f}",
                                           here.low, here.high, spec.published);
    }
    return finding;
}

Finding judgeLevel(const FindingSpec& spec, const RatioInterval& here) {
    Finding finding{.spec = spec};
    finding.here = here;
    const bool agrees = spec.nearness == Nearness::atMost ? here.ratio <= spec.published
                        : spec.nearness == Nearness::atLeast
                            ? here.ratio >= spec.published
                            : here.ratio >= spec.published / 2 && here.ratio <= spec.published * 2;
    finding.verdict = agrees ? ClaimVerdict::agrees : ClaimVerdict::disagrees;
    return finding;
}

Finding findingOf(const FindingSpec& spec, const ClaimStudies& studies) {
    const auto it = studies.find(spec.study);
    if (it == studies.end() || !it->second.study) {
        return cannot(spec, it == studies.end() ? "its study was not run" : it->second.reason);
    }
    const Study& study = *it->second.study;
    const auto arm = armOf(study, spec.arm);
    const auto against = isRatio(spec.figure) ? armOf(study, spec.against) : arm;
    if (!arm || !against) {
        return cannot(spec, fmt::format("the study has no arm {}", arm ? spec.against : spec.arm));
    }
    for (const std::uint32_t one : {*arm, *against}) {
        if (one < study.summary.size() && study.summary[one].outcomesAgree == false) {
            return cannot(spec,
                          fmt::format("{}: its outcome differs from the other arms'", study.arms[one].id));
        }
    }
    return isRatio(spec.figure) ? ratioFinding(spec, study, *arm, *against) : levelFinding(spec, study, *arm);
}

ClaimResult judge(const Claim& claim, const ClaimStudies& studies) {
    ClaimResult result{.claim = &claim};
    bool agrees = false, disagrees = false;
    for (const FindingSpec& spec : claim.findings) {
        result.findings.push_back(findingOf(spec, studies));
        const Finding& finding = result.findings.back();
        if (!spec.decides) {
            continue;
        }
        agrees = agrees || finding.verdict == ClaimVerdict::agrees;
        disagrees = disagrees || finding.verdict == ClaimVerdict::disagrees;
        if (finding.verdict == ClaimVerdict::notTestable && result.reason.empty()) {
            result.reason = finding.reason;
        }
    }
    result.verdict = disagrees ? ClaimVerdict::disagrees
                     : agrees  ? ClaimVerdict::agrees
                               : ClaimVerdict::notTestable;
    if (result.verdict == ClaimVerdict::notTestable && result.reason.empty()) {
        result.reason = claim.untested;  // nothing of it decides
    }
    return result;
}

}  // namespace mmapscope
