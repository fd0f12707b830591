#include "claims/claims_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <thread>

#include "claims/fuse_mount.h"
#include "claims/pool_reservation.h"
#include "claims/sample_folder.h"
#include "core/text.h"
#include "source/source.h"
#include "study/study_runner.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr Bytes kSpareSpace = mib(64);

/// A stop of its own, asked for by the caller's or when the time is over.
class Budget {
  public:
    Budget(std::optional<Clock::time_point> end, const std::stop_token& outer)
        : outer_(outer, [this] { source_.request_stop(); }), watch_([this, end](const std::stop_token& done) {
              if (!end) {
                  return;
              }
              std::unique_lock lock(mutex_);
              over_.wait_until(lock, done, *end, [] { return false; });
              if (!done.stop_requested()) {
                  source_.request_stop();
              }
          }) {}
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  private:
    std::stop_source source_;
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::stop_callback<std::function<void()>> outer_;
    std::jthread watch_;
};

Bytes sizeOf(const StudySpec& spec, bool quick) {
    return quick ? spec.quickSize : spec.fullSize;
}

class Runner {
  public:
    Runner(const ClaimsRequest& request, const std::function<void(const ClaimsProgress&)>& progress,
           std::stop_token stop)
        : request_(request), progress_(progress), stop_(std::move(stop)), started_(Clock::now()) {}

    Result<ClaimsReport> run() {
        const auto specs = studiesOf(request_.claims);
        Bytes needed = kSpareSpace;
        for (const StudySpec* spec : specs) {
            needed += sizeOf(*spec, request_.quick);
        }
        auto folder = SampleFolder::make(request_.folder, needed);
        if (!folder) {
            return tl::unexpected(folder.error());
        }
        folder_ = folder->path();
        total_ = static_cast<double>(specs.size());
        for (const StudySpec* spec : specs) {
            remaining_ = budgetFrom(specs);
            report_.studies[std::string(spec->id)] = study(*spec);
            done_ += 1;
        }
        for (const Claim* claim : request_.claims) {
            report_.results.push_back(judge(*claim, report_.studies));
        }
        report_.quick = request_.quick;
        report_.complete = !stop_.stop_requested();
        return std::move(report_);
    }

  private:
    [[nodiscard]] std::chrono::nanoseconds budgetFrom(const std::vector<const StudySpec*>& specs) const {
        std::chrono::nanoseconds sum{0};
        for (std::size_t i = static_cast<std::size_t>(done_); i < specs.size(); ++i) {
            sum += specs[i]->quickBudget * (request_.quick ? 1 : kFullFactor);
        }
        return sum;
    }

    void tell(const StudySpec& spec, std::string doing, double share) const {
        if (progress_) {
            const auto spent = Clock::now() - studyStarted_;
            progress_({std::string(spec.id), std::move(doing), (done_ + share) / total_,
                       std::max(std::chrono::nanoseconds(0), remaining_ - spent)});
        }
    }

    static ClaimStudy none(std::string reason) { return {std::nullopt, std::move(reason)}; }

    ClaimStudy study(const StudySpec& spec) {
        studyStarted_ = Clock::now();
        if (stop_.stop_requested()) {
            return none("stopped before its turn");
        }
        std::optional<Clock::time_point> end;
        if (request_.quick) {
            end = std::min(studyStarted_ + spec.quickBudget, started_ + kQuickLimit);
            if (studyStarted_ >= *end) {
                return none("no time was left for it within --quick; run it without, or name it with --only");
            }
        }
        const Budget budget(end, stop_);
        auto sample = sampleFor(spec, budget.token());
        if (!sample) {
            return none(sample.error().message);
        }
        std::string file = *sample;
        std::optional<FuseMount> mount;
        if (spec.onFuse) {
            const std::string at = folder_ + "/" + kFuseFolder;
            std::error_code ignored;
            fs::create_directory(at, ignored);
            auto mounted = FuseMount::make(fs::path(file).parent_path().string(), at, budget.token());
            if (!mounted) {
                return none(mounted.error().message);
            }
            mount.emplace(std::move(*mounted));
            file = at + "/" + fs::path(file).filename().string();
        }
        std::optional<PoolReservation> pool;
        if (spec.withPool) {
            std::error_code error;
            const Bytes length(fs::file_size(file, error));
            // Where they can't be had the arms that need them say so, each for itself.
            if (auto reserved = PoolReservation::make(roundUp(length, kHugePage) / kHugePage + 8)) {
                pool.emplace(std::move(*reserved));
            }
        }
        return measure(spec, file, budget.token());
    }

    Result<std::string> sampleFor(const StudySpec& spec, const std::stop_token& stop) {
        const Bytes size = sizeOf(spec, request_.quick);
        CorpusRequest corpus;
        corpus.kind = spec.corpus;
        corpus.size = size;
        corpus.compressed = spec.compressed;
        const std::string branch = folder_ + "/samples";
        std::error_code error;
        fs::create_directory(branch, error);
        corpus.out = fmt::format("{}/{}{}-{}", branch,
                                 spec.corpus == CorpusKind::bytes   ? "bytes"
                                 : spec.corpus == CorpusKind::ticks ? "ticks"
                                                                    : "zstd",
                                 spec.compressed ? "-zstd" : "", formatBytesExact(size));
        if (fs::exists(corpus.out, error)) {
            return corpus.out;
        }
        const auto made = makeCorpus(corpus, stop, [&](double share) {
            tell(spec, fmt::format("making a sample of {}", formatBytes(size)), 0.2 * share);
        });
        if (!made) {
            return tl::unexpected(made.error());
        }
        return corpus.out;
    }

    ClaimStudy measure(const StudySpec& spec, const std::string& file, const std::stop_token& stop) {
        StudyRequest request;
        request.file = file;
        request.workload = spec.workload;
        request.rounds = request_.quick ? spec.quickRounds : spec.fullRounds;
        request.cache = spec.cache;
        request.samples = false;
        request.workerProgram = request_.workerProgram;
        const WorkloadType* workload = findWorkload(spec.workload);
        if (workload == nullptr) {
            return none(fmt::format("there is no workload {}", spec.workload));
        }
        auto parameters = parseParameters(workload->parameters, spec.workloadParameters);
        if (!parameters) {
            return none(parameters.error().message);
        }
        request.workloadParameters = *parameters;
        for (const ArmSpec& arm : spec.arms) {
            const SourceType* source = findSource(arm.source);
            auto given = source == nullptr ? Result<Parameters>(fail(ErrorKind::usage, "no such source"))
                                           : parseParameters(source->parameters, arm.parameters);
            if (!given) {
                return none(fmt::format("{}: {}", arm.source, given.error().message));
            }
            request.arms.push_back(
                {std::string(arm.source), std::move(*given), arm.threads == 0 ? spec.threads : arm.threads});
        }
        if (spec.capShare) {
            const auto share = static_cast<double>(sizeOf(spec, request_.quick).count()) * *spec.capShare;
            request.memoryCap = Bytes(static_cast<std::uint64_t>(share));
        }
        auto planned = planStudy(request);
        if (!planned) {
            return none(planned.error().message);
        }
        for (std::size_t i = 0; i < spec.arms.size(); ++i) {
            planned->arms[i].id = spec.arms[i].label;
            if (!spec.arms[i].workloadParameters.empty()) {
                auto own = parseParameters(workload->parameters, spec.arms[i].workloadParameters);
                if (!own) {
                    return none(own.error().message);
                }
                planned->arms[i].workloadParameters = std::move(*own);
            }
        }
        StudyEvents events;
        events.progress = [&](const Progress& p) {
            tell(spec,
                 p.stage == StudyStage::preparingCache
                     ? "preparing the page cache"
                     : fmt::format("{}, {}", spec.arms[p.arm].label,
                                   p.phase == Phase::measured
                                       ? fmt::format("round {} of {}", p.round, p.rounds)
                                       : std::string(name(p.phase))),
                 0.2 + 0.8 * p.fraction);
        };
        return {runStudy(std::move(*planned), request, events, stop), {}};
    }

    /// Full samples are four times as large and measured twice as often.
    static constexpr int kFullFactor = 8;

    const ClaimsRequest& request_;
    const std::function<void(const ClaimsProgress&)>& progress_;
    std::stop_token stop_;
    Clock::time_point started_, studyStarted_;
    std::chrono::nanoseconds remaining_{0};
    std::string folder_;
    double done_ = 0, total_ = 1;
    ClaimsReport report_;
};

}  // namespace

std::vector<const StudySpec*> studiesOf(const std::vector<const Claim*>& claims) {
    std::vector<const StudySpec*> needed;
    for (const StudySpec& spec : claimStudies()) {
        const bool wanted = std::any_of(claims.begin(), claims.end(), [&](const Claim* claim) {
            return std::any_of(claim->findings.begin(), claim->findings.end(),
                               [&](const FindingSpec& finding) { return finding.study == spec.id; });
        });
        if (wanted) {
            needed.push_back(&spec);
        }
    }
    return needed;
}

Result<ClaimsReport> runClaims(const ClaimsRequest& request,
                               const std::function<void(const ClaimsProgress&)>& progress,
                               std::stop_token stop) {
    return Runner(request, progress, std::move(stop)).run();
}

}  // namespace mmapscope
