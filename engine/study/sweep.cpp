#include "study/sweep.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "study/environment.h"
#include "study/statistics.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

/// Ascending, moved to where the workload can stop, without doubles.
Result<std::vector<Bytes>> fittedSizes(const WorkloadType& type, const FileFacts& file,
                                       const Parameters& parameters, const std::vector<Bytes>& wanted) {
    std::vector<Bytes> sizes;
    for (const Bytes asked : wanted) {
        // A file that was made to be of a size may end a line earlier.
        const bool nearly = asked > file.bytes && asked - asked / 100 <= file.bytes;
        const Bytes size = nearly ? file.bytes : asked;
        if (size.isZero() || size > file.bytes) {
            return fail(ErrorKind::usage,
                        size.isZero()
                            ? std::string("a size of 0 leaves nothing to read")
                            : fmt::format("a size of {} is more than the file has ({}): take a larger "
                                          "file, or smaller sizes",
                                          formatBytes(size), formatBytes(file.bytes)));
        }
        auto fitted = size == file.bytes ? Result<Bytes>(size) : type.fitLimit(file, parameters, size);
        if (!fitted) {
            return tl::unexpected(fitted.error());
        }
        if (!fitted->isZero()) {
            sizes.push_back(*fitted);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// What of a run a sweep keeps: hundreds of runs with all their samples would be a file of gigabytes.
RunRecord withoutSamples(RunRecord run) {
    run.sampling.samples = {};
    run.stamps = {};
    run.residency.reset();
    return run;
}

class SweepRun {
  public:
    SweepRun(const StudyBackend& backend, Study planned, const SweepRequest& request,
             const StudyEvents& events, std::stop_token stop)
        : backend_(backend),
          sweep_(std::move(planned)),
          request_(request),
          events_(events),
          stop_(std::move(stop)) {}

    Study go() {
        dropUnfinished(sweep_);
        if (grid() && refineAndConfirm()) {
            sweep_.sweep->complete = true;
            sweep_.complete = true;
        }
        finish();
        return std::move(sweep_);
    }

  private:
    [[nodiscard]] bool isDone(Bytes size) const {
        const auto sizes = sizesOf(sweep_);
        return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
    }

    /// The ends first: they tell how long the rest will take, and whether there is anything to find.
    bool grid() {
        const auto& sizes = sweep_.sweep->sizes;
        std::vector<Bytes> order{sizes.back(), sizes.front()};
        for (std::size_t i = sizes.size() - 1; i-- > 1;) {
            order.push_back(sizes[i]);
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            left_.assign(order.begin() + static_cast<std::ptrdiff_t>(i), order.end());
            std::erase_if(left_, [&](Bytes size) { return isDone(size); });
            if (!isDone(order[i]) && !point(order[i], Time::first)) {
                return false;
            }
        }
        return true;
    }

    /// Of seven rounds at a dozen sizes some verdict is chance: what a crossover rests on is measured again,
    /// and what doesn't hold may leave another gap to refine.
    bool refineAndConfirm() {
        for (unsigned again = 0;; ++again) {
            if (!refine()) {
                return false;
            }
            const auto sizes = unconfirmedSizes(sweep_);
            if (sizes.empty() || again > sweep_.sweep->morePoints || sweep_.sweep->morePoints == 0) {
                return true;
            }
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                left_.assign(sizes.begin() + static_cast<std::ptrdiff_t>(i), sizes.end());
                if (!point(sizes[i], Time::second)) {
                    return false;
                }
            }
        }
    }

    bool refine() {
        const WorkloadType& type = *findWorkload(sweep_.plan.workload);
        const std::uint64_t coarse = sweep_.sweep->sizes.size();
        std::uint64_t extra =
            sizesOf(sweep_).size() - std::min<std::uint64_t>(sizesOf(sweep_).size(), coarse);
        std::vector<Bytes> tried;
        for (; extra < sweep_.sweep->morePoints; ++extra) {
            const auto wanted = nextSize(sweep_, Bytes(1));
            if (!wanted) {
                break;
            }
            const auto file = inspectInput(sweep_.plan.file);
            if (!file) {
                return false;
            }
            const auto size = type.fitLimit(*file, sweep_.arms.front().workloadParameters, *wanted);
            if (!size || isDone(*size) || std::find(tried.begin(), tried.end(), *size) != tried.end()) {
                break;  // the workload can't stop anywhere nearer
            }
            tried.push_back(*size);
            left_ = {*size};
            if (!point(*size, Time::first)) {
                return false;
            }
        }
        return true;
    }

    /// A size is measured once, and again where a crossover rests on it.
    enum class Time { first, second };

    /// false: stopped, or the file changed.
    bool point(Bytes size, Time time) {
        gridDone_ = gridDone_ || sizesOf(sweep_).size() >= sweep_.sweep->sizes.size();
        if (stop_.stop_requested()) {
            return false;
        }
        StudyRequest request = request_.study;
        request.limit = size;
        request.rounds = sweep_.plan.rounds;
        request.orderSeed = sweep_.plan.orderSeed + size.count() + (time == Time::second ? 1 : 0);
        request.why = false;
        request.traceFaults = false;
        auto planned = planStudy(request);
        if (!planned) {
            RunRecord record;
            record.status = RunStatus::failed;
            record.errorKind = planned.error().kind;
            record.error = planned.error().message;
            record.limit = size;
            sweep_.runs.push_back(std::move(record));
            return false;
        }
        const auto began = backend_.now();
        StudyEvents events;
        events.samples = events_.samples;
        events.progress = [&](const Progress& p) { announce(p, size, began); };
        events.runEnded = [&](const Study& now) {
            RunRecord run = withoutSamples(now.runs.back());
            run.limit = size;
            if (time == Time::second) {
                if (run.phase != Phase::measured) {
                    return;  // it inspected the arms the first time
                }
                run.round += sweep_.plan.rounds;
            }
            sweep_.runs.push_back(std::move(run));
            if (events_.runEnded) {
                events_.runEnded(sweep_);
            }
        };
        const Study done = runStudyWith(backend_, std::move(*planned), request, events, stop_);
        summarize(sweep_);
        sweep_.crossovers = findCrossovers(sweep_);
        const auto took = std::chrono::duration_cast<Nanoseconds>(backend_.now() - began);
        took_[size] = took;
        later_.first = ~std::size_t{0};
        spentAll_ += static_cast<double>(took.count());
        const bool changed = std::any_of(done.runs.begin(), done.runs.end(), [](const RunRecord& run) {
            return run.errorKind == ErrorKind::changed;
        });
        return done.complete && !changed;
    }

    /// What a point of that size takes, from those that were measured: straight lines between them.
    [[nodiscard]] std::optional<double> expected(Bytes size) const {
        if (took_.size() < 2) {
            return std::nullopt;
        }
        auto above = took_.lower_bound(size);
        if (above == took_.begin()) {
            ++above;
        }
        if (above == took_.end()) {
            --above;
        }
        const auto below = std::prev(above);
        const auto x = [](Bytes bytes) { return static_cast<double>(bytes.count()); };
        const double slope = static_cast<double>((above->second - below->second).count()) /
                             (x(above->first) - x(below->first));
        return std::max(0.0,
                        static_cast<double>(below->second.count()) + slope * (x(size) - x(below->first)));
    }

    /// What grid and refinement don't tell of yet: points where verdicts will turn out to change, and the
    /// second look at what they rest on.
    [[nodiscard]] double expectedLater() const {
        const unsigned budget = sweep_.sweep->morePoints;
        if (budget == 0) {
            return 0;
        }
        const auto& sizes = sweep_.sweep->sizes;
        const auto crossovers = findCrossovers(sweep_);
        // At a cap something happens; without one only what was seen speaks for more.
        const auto cap = sweep_.plan.memoryCap;
        const bool capInside = cap && sizes.front() < *cap && *cap < sizes.back();
        if (!gridDone_ && !capInside && crossovers.empty()) {
            return 0;
        }
        const std::uint64_t made = sizesOf(sweep_).size();
        const std::uint64_t used = gridDone_ ? made - std::min<std::uint64_t>(made, sizes.size()) : 0;
        constexpr unsigned kLikely = 5, kLikelyAgain = 3;
        const double points =
            std::min<double>(gridDone_ ? pointsToRefine(sweep_) : kLikely,
                             static_cast<double>(budget - std::min<std::uint64_t>(budget, used)));
        const double again = gridDone_ ? static_cast<double>(unconfirmedSizes(sweep_).size()) : kLikelyAgain;
        const Bytes where = !crossovers.empty() ? crossovers.back().size
                            : capInside         ? *cap
                                                : sizes[sizes.size() / 2];
        return (points + again) * expected(where).value_or(0);
    }

    void announce(Progress progress, Bytes size, std::chrono::steady_clock::time_point began) {
        if (!events_.progress) {
            return;
        }
        double left = 0;
        bool known = true;
        for (const Bytes one : left_) {
            const auto takes = expected(one);
            known = known && takes.has_value();
            left += takes.value_or(0);
        }
        if (later_.first != took_.size()) {
            later_ = {took_.size(), expectedLater()};
        }
        left += later_.second;
        const auto spent = static_cast<double>((backend_.now() - began).count());
        const double done = spentAll_;
        left = std::max(0.0, left - spent);
        progress.left =
            known ? std::optional(Nanoseconds(static_cast<Nanoseconds::rep>(left))) : std::nullopt;
        if (known && left + done + spent > 0) {
            progress.fraction = (done + spent) / (left + done + spent);
        } else {
            progress.fraction /= static_cast<double>(left_.size() + took_.size());
        }
        progress.size = size;
        events_.progress(progress);
    }

    void finish() {
        summarize(sweep_);
        sweep_.crossovers = findCrossovers(sweep_);
        const auto& sizes = sweep_.sweep->sizes;
        const std::uint64_t fine = fineGridPoints(sizes.front(), sizes.back());
        const std::uint64_t all = fine * sweep_.plan.rounds * sweep_.arms.size();
        const auto done = static_cast<std::uint64_t>(
            std::count_if(sweep_.runs.begin(), sweep_.runs.end(),
                          [](const RunRecord& run) { return run.phase == Phase::measured; }));
        sweep_.sweep->runsSaved = all > done ? all - done : 0;
    }

    const StudyBackend& backend_;
    Study sweep_;
    const SweepRequest& request_;
    const StudyEvents& events_;
    std::stop_token stop_;
    std::vector<Bytes> left_;  ///< of the grid, with the one that is being measured
    std::map<Bytes, Nanoseconds> took_;
    double spentAll_ = 0;
    bool gridDone_ = false;
    /// expectedLater(), and of how many points it was: it reads all runs.
    std::pair<std::size_t, double> later_{~std::size_t{0}, 0};
};

}  // namespace

Result<Study> planSweep(const SweepRequest& request) {
    constexpr unsigned kRounds = 7;
    StudyRequest first = request.study;
    first.limit.reset();
    first.rounds = first.rounds.value_or(kRounds);
    auto study = planStudy(first);
    if (!study) {
        return study;
    }
    const auto file = inspectInput(request.study.file);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const WorkloadType& type = *findWorkload(study->plan.workload);
    auto sizes = fittedSizes(type, *file, study->arms.front().workloadParameters, request.sizes);
    if (!sizes) {
        return tl::unexpected(sizes.error());
    }
    if (sizes->size() < 2) {
        return fail(ErrorKind::usage,
                    "a sweep needs at least two sizes that differ once they are moved to where "
                    "the workload can stop");
    }
    study->sweep = SweepPlan{std::move(*sizes), request.morePoints, file->stamp, false, 0};
    return study;
}

Study runSweepWith(const StudyBackend& backend, Study planned, const SweepRequest& request,
                   const StudyEvents& events, std::stop_token stop) {
    return SweepRun(backend, std::move(planned), request, events, std::move(stop)).go();
}

Study runSweep(Study planned, const SweepRequest& request, const StudyEvents& events, std::stop_token stop) {
    return runSweepWith(realBackend(request.study), std::move(planned), request, events, std::move(stop));
}

Result<SweepRequest> resumeRequest(const Study& sweep, const std::string& workerProgram) {
    if (!sweep.sweep) {
        return fail(ErrorKind::input, "this study is no sweep: only a sweep can be resumed");
    }
    const auto file = inspectInput(sweep.plan.file);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const FileStamp& then = sweep.sweep->stamp;
    if (file->bytes != sweep.plan.fileBytes || !(file->stamp == then)) {
        return fail(ErrorKind::changed,
                    fmt::format("{} was written or replaced since the sweep began: begin anew",
                                printable(sweep.plan.file)));
    }
    const Environment now = readEnvironment(*file);
    const auto differs = [](std::string_view what, const std::string& before, const std::string& after) {
        return fail(
            ErrorKind::changed,
            fmt::format("the {} is {} now and was {} when the sweep began: points of both don't belong "
                        "together; begin anew",
                        what, printable(after), printable(before)));
    };
    if (now.kernel != sweep.environment.kernel) {
        return differs("kernel", sweep.environment.kernel, now.kernel);
    }
    if (now.toolVersion != sweep.environment.toolVersion) {
        return differs("version of mmapscope", sweep.environment.toolVersion, now.toolVersion);
    }
    if (now.cpu != sweep.environment.cpu) {
        return differs("CPU", sweep.environment.cpu, now.cpu);
    }
    SweepRequest request;
    request.sizes = sweep.sweep->sizes;
    request.morePoints = sweep.sweep->morePoints;
    StudyRequest& study = request.study;
    study.file = sweep.plan.file;
    study.workload = sweep.plan.workload;
    study.workloadParameters = sweep.arms.front().workloadParameters;
    for (const Arm& arm : sweep.arms) {
        study.arms.push_back({arm.source, arm.sourceParameters, arm.threads});
    }
    study.rounds = sweep.plan.rounds;
    study.warmups = sweep.plan.warmups;
    study.orderSeed = sweep.plan.orderSeed;
    study.cache = sweep.plan.cache;
    study.isolation = sweep.plan.isolation;
    study.memoryCap = sweep.plan.memoryCap;
    study.baseline = sweep.plan.baseline;
    study.workerProgram = workerProgram;
    return request;
}

}  // namespace mmapscope
