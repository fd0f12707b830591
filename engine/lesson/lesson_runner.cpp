#include "lesson/lesson_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "claims/pool_reservation.h"
#include "claims/sample_folder.h"
#include "core/text.h"

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kSpareSpace = mib(64);
constexpr std::uint64_t kSparePages = 8;
/// Of a run's progress: making the sample, before the study.
constexpr double kSampleShare = 0.2;

bool needsPool(const LessonStudy& study) {
    return std::any_of(study.arms.begin(), study.arms.end(), [](const ArmRequest& arm) {
        return arm.source.starts_with("hugetlb-") || arm.source == "read-hugebuf";
    });
}

std::string_view kindName(CorpusKind kind) {
    return kind == CorpusKind::bytes ? "bytes" : kind == CorpusKind::ticks ? "ticks" : "zstd";
}

class Runner {
  public:
    Runner(std::span<const LessonRun> runs, const LessonRunRequest& request,
           const std::function<void(const LessonProgress&)>& progress, std::stop_token stop)
        : runs_(runs), request_(request), progress_(progress), stop_(std::move(stop)) {}

    Result<LessonResults> run() {
        Bytes needed = kSpareSpace;
        for (const LessonRun& run : runs_) {
            needed += run.study.size;
        }
        auto folder = SampleFolder::make(request_.folder, needed);
        if (!folder) {
            return tl::unexpected(folder.error());
        }
        folder_ = folder->path();
        LessonResults results;
        for (const LessonRun& run : runs_) {
            auto study = measure(run.study);
            done_ += 1;
            if (study) {
                results.measured.push_back({run.name, std::move(*study), {}, false});
            } else {
                results.measured.push_back(
                    {run.name, std::nullopt, study.error().message, false, study.error().kind});
            }
        }
        results.complete = !stop_.stop_requested();
        return results;
    }

  private:
    void tell(std::string doing, double share) const {
        if (progress_) {
            progress_({std::move(doing), (done_ + share) / static_cast<double>(runs_.size())});
        }
    }

    Result<std::string> sampleFor(const LessonStudy& study) {
        CorpusRequest corpus;
        corpus.kind = study.corpus;
        corpus.size = study.size;
        corpus.out = fmt::format("{}/{}-{}", folder_, kindName(study.corpus), formatBytesExact(study.size));
        std::error_code ignored;
        if (fs::exists(corpus.out, ignored)) {
            return corpus.out;  // of an earlier run
        }
        const auto made = makeCorpus(corpus, stop_, [&](double share) {
            tell(fmt::format("making a sample of {}", formatBytes(study.size)), kSampleShare * share);
        });
        if (!made) {
            return tl::unexpected(made.error());
        }
        return corpus.out;
    }

    Result<Study> measure(const LessonStudy& wanted) {
        if (stop_.stop_requested()) {
            return cancelled();
        }
        const auto file = sampleFor(wanted);
        if (!file) {
            return tl::unexpected(file.error());
        }
        StudyRequest request;
        request.file = *file;
        request.workload = wanted.workload;
        request.workloadParameters = wanted.workloadParameters;
        request.arms = wanted.arms;
        request.rounds = wanted.rounds;
        request.warmups = wanted.warmups;
        request.cache = wanted.cache;
        request.memoryCap = wanted.memoryCap;
        request.baseline = wanted.baseline;
        request.traceFaults = wanted.traceFaults;
        request.samples = false;  // a lesson needs totals, and its runs are short
        request.workerProgram = request_.workerProgram;
        std::optional<PoolReservation> pool;
        if (needsPool(wanted)) {
            if (auto reserved =
                    PoolReservation::make(roundUp(wanted.size, kHugePage) / kHugePage + kSparePages)) {
                pool.emplace(std::move(*reserved));
            }
        }
        auto planned = planStudy(request);
        if (!planned) {
            return tl::unexpected(planned.error());
        }
        for (std::size_t i = 0; i < wanted.labels.size(); ++i) {
            planned->arms[i].id = wanted.labels[i];  // as the lesson's figures name them
        }
        StudyEvents events;
        events.progress = [&](const Progress& p) {
            std::string doing =
                p.stage == StudyStage::preparingCache ? std::string("preparing the page cache")
                : p.phase == Phase::measured
                    ? fmt::format("{}, round {} of {}", wanted.labels[p.arm], p.round, p.rounds)
                    : fmt::format("{}, {}", wanted.labels[p.arm], name(p.phase));
            tell(std::move(doing), kSampleShare + (1 - kSampleShare) * p.fraction);
        };
        return runStudy(std::move(*planned), request, events, stop_);
    }

    std::span<const LessonRun> runs_;
    const LessonRunRequest& request_;
    const std::function<void(const LessonProgress&)>& progress_;
    std::stop_token stop_;
    std::string folder_;
    double done_ = 0;
};

}  // namespace

Result<LessonResults> runLesson(std::span<const LessonRun> runs, const LessonRunRequest& request,
                                const std::function<void(const LessonProgress&)>& progress,
                                std::stop_token stop) {
    return Runner(runs, request, progress, std::move(stop)).run();
}

}  // namespace mmapscope
