#include "study/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "study/arm_figures.h"
#include "study/machine_state.h"
#include "study/statistics.h"
#include "workload/tick_detect.h"

namespace mmapscope {
namespace {

/// MAD over median; 0.01 to 0.02 is usual for fresh processes. By simulation, above 0.03 more than 1 in 50
/// A/A studies of 15 rounds is called other than tied.
constexpr double kNoisyShare = 0.03;
constexpr double kDriftShare = 0.03;  ///< change of wall time from the first third of the rounds to the last
constexpr double kDriftCertainty = 2.576;  ///< two-sided 1 % of a normal distribution
constexpr double kBusyCpus = 0.25;         ///< CPUs' worth of work by others
constexpr double kStolenShare = 0.02;      ///< of one CPU
constexpr double kObserverBudget = 0.01;
constexpr double kTooShort = 1e6;  ///< ns; what starting threads and opening files costs shows there
constexpr double kSlowerClock = 0.9;
constexpr std::uint64_t kSwapNoise = 256;  ///< pages over the whole study

std::string percent(double share) {
    return fmt::format("{:.{}f} %", share * 100, share < 0.0995 ? 1 : 0);
}

using Runs = std::vector<const RunRecord*>;

Runs measuredRuns(const Study& study) {
    Runs runs;
    for (const RunRecord& run : study.runs) {
        if (isRanked(run)) {
            runs.push_back(&run);
        }
    }
    return runs;
}

std::optional<std::uint64_t> counterOf(const RunRecord& run, const char* key) {
    const auto it = run.counters.find(key);
    return it == run.counters.end() ? std::nullopt : std::optional(it->second);
}

double totalOf(const Runs& runs, const char* key) {
    double total = 0;
    for (const RunRecord* run : runs) {
        total += static_cast<double>(counterOf(*run, key).value_or(0));
    }
    return total;
}

class Finder {
  public:
    Finder(const Study& study, const std::vector<OutcomeKey>& outcomes)
        : study_(study), outcomes_(outcomes), measured_(measuredRuns(study)) {}

    std::vector<Warning> all() {
        failures();
        outcomes();
        rejections();
        cache();
        machine();
        clock();
        drift();
        scatter();
        notes();
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Warning& a, const Warning& b) { return a.kind < b.kind; });
        return std::move(found_);
    }

  private:
    void add(WarningKind kind, std::string facts) {
        Warning warning{kind, std::move(facts)};
        if (std::find(found_.begin(), found_.end(), warning) == found_.end()) {
            found_.push_back(std::move(warning));
        }
    }

    void failures() {
        for (std::uint32_t arm = 0; arm < study_.arms.size(); ++arm) {
            std::size_t failed = 0, tried = 0;
            const RunRecord* first = nullptr;
            for (const RunRecord& run : study_.runs) {
                if (run.arm != arm) {
                    continue;
                }
                ++tried;
                if (run.status == RunStatus::failed) {
                    ++failed;
                    first = first == nullptr ? &run : first;
                    if (run.errorKind == ErrorKind::changed) {
                        add(WarningKind::fileChanged, run.error);
                    }
                }
            }
            if (first != nullptr && first->errorKind != ErrorKind::changed) {
                add(WarningKind::runsFailed, fmt::format("{}: {} of {} runs failed ({})", study_.arms[arm].id,
                                                         failed, tried, printable(first->error)));
            }
        }
    }

    void outcomes() {
        for (const OutcomeKey& key : outcomes_) {
            if (!key.agrees()) {
                add(WarningKind::outcomesDiffer, describeDifference(key, study_));
            }
        }
    }

    /// A workload that counts rows and rejected most of them measured the refusing of rows.
    void rejections() {
        for (const RunRecord& run : study_.runs) {
            if (run.status != RunStatus::ok || !run.outcome) {
                continue;
            }
            const auto* rows = run.outcome->find("rows");
            const auto* rejected = run.outcome->find("rejected");
            const auto* good = rows == nullptr ? nullptr : std::get_if<std::uint64_t>(&rows->data);
            const auto* bad = rejected == nullptr ? nullptr : std::get_if<std::uint64_t>(&rejected->data);
            if (good == nullptr || bad == nullptr || *bad == 0 || *bad < *good) {
                return;
            }
            add(WarningKind::rowsRejected, fmt::format("{} of {} rows were rejected{}", groupedText(*bad),
                                                       groupedText(*good + *bad), firstReject(run)));
            return;
        }
    }

    /// ", the first at byte 120: column 1 (time): not a number"
    [[nodiscard]] std::string firstReject(const RunRecord& run) const {
        const auto* entry = run.outcome->find("first_reject");
        const auto* first = entry == nullptr ? nullptr : std::get_if<Outcome>(&entry->data);
        const auto* offset = first == nullptr ? nullptr : first->find("offset");
        const auto* reason = first == nullptr ? nullptr : first->find("reason");
        if (offset == nullptr || reason == nullptr) {
            return {};
        }
        std::string text =
            fmt::format(", the first at byte {}: {}", outcomeText(*offset), outcomeText(*reason));
        const auto schema = tickSchemaOf(study_.arms[run.arm].workloadParameters);
        const bool unitIsFixed =
            schema && std::any_of(schema->columns.begin(), schema->columns.end(), [](auto& c) {
                return c.kind == TickKind::time && c.unit != TimeUnit::byMagnitude;
            });
        if (unitIsFixed && text.find("later than the year") != std::string::npos) {
            text +=
                " (so late because the times are in a finer unit than the schema says? time:ms, time:us and "
                "time:ns name it, time alone tells it by magnitude)";
        }
        return text;
    }

    void cache() {
        std::map<std::string, std::size_t> reasons;
        for (const RunRecord* run : measured_) {
            if (!run->cache.reached && run->cache.state != CacheState::asis) {
                ++reasons[run->cache.reason];
            }
        }
        for (const auto& [reason, count] : reasons) {
            add(WarningKind::cacheNotReached,
                fmt::format("\"{}\" in {} of {} measured runs{}{}", name(study_.plan.cache), count,
                            measured_.size(), reason.empty() ? "" : ": ", printable(reason)));
        }
    }

    void machine() {
        const double swapIn = totalOf(measured_, machine_counter::kSwapIn);
        const double swapOut = totalOf(measured_, machine_counter::kSwapOut);
        if (swapIn + swapOut > static_cast<double>(kSwapNoise)) {
            add(WarningKind::swapping,
                fmt::format("{:.0f} pages came in and {:.0f} went out during the measured runs", swapIn,
                            swapOut));
        }
        const double span = totalOf(measured_, machine_counter::kSpan);
        if (span < 0.5e9) {
            return;  // /proc/stat ticks at 10 ms: too little to tell
        }
        const double others =
            (totalOf(measured_, machine_counter::kBusy) - totalOf(measured_, machine_counter::kOwn)) / span;
        if (others > kBusyCpus) {
            add(WarningKind::busyMachine,
                fmt::format("other programs kept {:.1f} of {} CPUs busy", others, study_.environment.cores));
        }
        const double stolen = totalOf(measured_, machine_counter::kStolen) / span;
        if (stolen > kStolenShare) {
            add(WarningKind::stolenTime,
                fmt::format("the host took {} of a CPU's time away", percent(stolen)));
        }
    }

    void clock() {
        if (const double events = totalOf(measured_, machine_counter::kThrottled); events > 0) {
            add(WarningKind::throttling, fmt::format("{:.0f} thermal throttle events", events));
            return;
        }
        std::vector<double> khz;
        for (const RunRecord* run : measured_) {
            if (const auto value = counterOf(*run, machine_counter::kClock)) {
                khz.push_back(static_cast<double>(*value));
            }
        }
        if (const auto change = changeOverTime(khz); change && *change < kSlowerClock) {
            add(WarningKind::throttling,
                fmt::format("the CPU's clock fell by {} from the first third of the runs to the last",
                            percent(1 - *change)));
        }
    }

    /// Median of the last third over that of the first; nullopt below 6 values.
    static std::optional<double> changeOverTime(const std::vector<double>& values) {
        const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
        if (third < 2) {
            return std::nullopt;
        }
        return median({values.end() - third, values.end()}) /
               median({values.begin(), values.begin() + third});
    }

    /// Wall times of all arms, each over its arm's median, one value (the median over arms) a round.
    std::vector<double> wallByRound() const {
        std::map<std::uint32_t, double> armMedian;
        for (std::uint32_t arm = 0; arm < study_.arms.size(); ++arm) {
            if (const auto walls = goodWalls(study_, arm); !walls.empty()) {
                armMedian[arm] = median(walls);
            }
        }
        std::map<std::uint32_t, std::vector<double>> rounds;
        for (const RunRecord* run : measured_) {
            rounds[run->round].push_back(static_cast<double>(run->wall.count()) / armMedian[run->arm]);
        }
        std::vector<double> series;
        for (const auto& [round, walls] : rounds) {
            series.push_back(median(walls));
        }
        return series;
    }

    /// Whether runs of every arm that has some are too short to say anything of.
    bool allTiny() const {
        bool tiny = !measured_.empty();
        for (std::uint32_t arm = 0; arm < study_.arms.size(); ++arm) {
            const auto walls = goodWalls(study_, arm);
            tiny &= walls.empty() || median(walls) < kTooShort;
        }
        return tiny;
    }

    void drift() {
        if (allTiny()) {
            return;
        }
        const std::vector<double> series = wallByRound();
        const auto change = changeOverTime(series);
        if (!change || std::abs(*change - 1) < kDriftShare) {
            return;
        }
        const double correlation = rankCorrelationWithTime(series);
        // Fisher's z; 1.06 is its variance for ranks (Fieller, Hartley, Pearson 1957).
        const double certainty =
            std::abs(std::atanh(correlation)) * std::sqrt((static_cast<double>(series.size()) - 3) / 1.06);
        if (certainty > kDriftCertainty) {
            add(WarningKind::drift,
                fmt::format("runs got {} {} from the first third of the rounds to the last",
                            percent(std::abs(*change - 1)), *change > 1 ? "slower" : "faster"));
        }
    }

    void scatter() {
        std::vector<std::string> noisy, watched, tiny;
        for (std::uint32_t arm = 0; arm < study_.arms.size(); ++arm) {
            const auto walls = goodWalls(study_, arm);
            if (!walls.empty() && median(walls) < kTooShort) {
                tiny.push_back(fmt::format(
                    "{} ({})", formatDuration(Nanoseconds(static_cast<Nanoseconds::rep>(median(walls)))),
                    study_.arms[arm].id));
                continue;  // that they scatter, and that watching costs more than they do, is no news
            }
            if (walls.size() >= 3) {
                if (const double share = medianAbsoluteDeviation(walls) / median(walls);
                    share > kNoisyShare) {
                    noisy.push_back(fmt::format("{} {}", study_.arms[arm].id, percent(share)));
                }
            }
            std::vector<double> costs;
            for (const RunRecord* run : measured_) {
                if (run->arm == arm) {
                    costs.push_back(run->sampling.costFraction);
                }
            }
            if (!costs.empty()) {
                if (const double share = median(costs); share > kObserverBudget) {
                    watched.push_back(fmt::format("{} {}", study_.arms[arm].id, percent(share)));
                }
            }
        }
        if (!tiny.empty()) {
            add(WarningKind::tooShort, fmt::format("{}", fmt::join(tiny, ", ")));
        }
        if (!noisy.empty()) {
            add(WarningKind::noise, fmt::format("{}", fmt::join(noisy, ", ")));
        }
        if (!watched.empty()) {
            add(WarningKind::observerCost, fmt::format("{}", fmt::join(watched, ", ")));
        }
    }

    /// What sources said of their runs; figures in it may differ from run to run, so the first stands for the
    /// rest.
    void notes() {
        for (std::uint32_t arm = 0; arm < study_.arms.size(); ++arm) {
            std::set<std::string> others;
            std::string first;
            std::size_t runs = 0;
            for (const RunRecord& run : study_.runs) {
                if (run.arm == arm && !run.warnings.empty()) {
                    ++runs;
                    first = first.empty() ? fmt::format("{}", fmt::join(run.warnings, "; ")) : first;
                }
            }
            if (runs > 0) {
                add(WarningKind::sourceNote, fmt::format("{}: {}{}", study_.arms[arm].id, printable(first),
                                                         runs > 1 ? fmt::format(" (in {} runs)", runs) : ""));
            }
        }
    }

    const Study& study_;
    const std::vector<OutcomeKey>& outcomes_;
    Runs measured_;
    std::vector<Warning> found_;
};

}  // namespace

std::vector<Warning> findWarnings(const Study& study, const std::vector<OutcomeKey>& outcomes) {
    return Finder(study, outcomes).all();
}

}  // namespace mmapscope
