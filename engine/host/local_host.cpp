#include <fmt/format.h>

#include "core/nearest.h"
#include "core/text.h"
#include "host/host.h"
#include "report/arms_report.h"
#include "report/doctor_report.h"
#include "run/cache_state.h"
#include "run/worker_client.h"
#include "source/folder.h"
#include "study/study_files.h"
#include "study/sweep_points.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr std::size_t kResidencyParts = 256;
constexpr std::uint64_t kMostPages = std::uint64_t{1} << 20U;  ///< of 4 KiB: 4 GiB are looked at whole

Result<const WorkloadType*> workloadOf(const std::string& id) {
    const WorkloadType* type = findWorkload(id);
    if (type == nullptr) {
        return fail(ErrorKind::usage, fmt::format("this version has no workload \"{}\"", printable(id)));
    }
    return type;
}

/// The file as the workload sees it. Error: what makes it unfit, or unfit to be cut for so many threads.
Result<std::string> sentenceOf(const WorkloadType& type, const FileFacts& file, const ArmsQuestion& question,
                               Bytes end) {
    const auto resolved = resolveFor(type, file, question.workloadParameters);
    if (!resolved) {
        return tl::unexpected(resolved.error());
    }
    const auto limit = end < file.bytes ? type.fitLimit(file, *resolved, end) : Result<Bytes>(end);
    if (!limit) {
        return tl::unexpected(limit.error());
    }
    if (const auto parts = type.split(file, *resolved, *limit, question.threads); !parts) {
        return tl::unexpected(parts.error());
    }
    return type.describe(file, *resolved);
}

class LocalHost : public Host {
  public:
    explicit LocalHost(std::string workerProgram) : workerProgram_(std::move(workerProgram)) {}

    std::string name() const override { return {}; }

    Result<FileAnswer> look(const FileQuestion& question, std::stop_token) override {
        auto file = inspectInput(question.path);
        if (!file) {
            return tl::unexpected(file.error());
        }
        FileAnswer answer;
        const bool suggests = question.workload.empty();
        const auto type =
            suggests ? Result<const WorkloadType*>(&suggestWorkload(*file)) : workloadOf(question.workload);
        if (!type) {
            return tl::unexpected(type.error());
        }
        const WorkloadType& workload = **type;
        const Parameters parameters =
            suggests ? *parseParameters(workload.parameters, "") : question.workloadParameters;
        answer.workload = workload.id;
        if (suggests) {
            answer.whyWorkload = whyWorkload(*file, workload);
            answer.workloadHint = workloadHint(*file, workload);
        }
        if (const auto resolved = workload.resolve(*file, parameters)) {
            answer.description = workload.describe(*file, *resolved);
        }
        answer.machine = thisMachine();
        const Preselection chosen = preselect(*file, workload, parameters, answer.machine);
        for (const ArmChoice& arm : chosen.arms) {
            answer.arms.push_back({std::string(arm.source),
                                   *parseParameters(findSource(arm.source)->parameters, arm.parameters),
                                   chosen.threads});
        }
        answer.threads = chosen.threads;
        answer.folderFiles = file->members.size();
        answer.file = std::move(*file);
        answer.file.members.clear();
        return answer;
    }

    Result<ArmsAnswer> ask(const ArmsQuestion& question, std::stop_token) override {
        const auto file = inspectInput(question.path);
        const auto type = workloadOf(question.workload);
        if (!file || !type) {
            return tl::unexpected(file ? type.error() : file.error());
        }
        const Bytes end = std::min(question.limit.value_or(file->bytes), file->bytes);
        const auto sentence = sentenceOf(**type, *file, question, end);
        ArmsAnswer answer{sentence.has_value(), sentence ? *sentence : sentence.error().message, {}};
        for (const ArmRequest& arm : question.arms) {
            const SourceType* source = findSource(arm.source);
            answer.arms.push_back(source == nullptr
                                      ? Availability::no(fmt::format("this version has no source \"{}\"",
                                                                     printable(arm.source)))
                                      : availabilityFor(*source, *file, arm.sourceParameters, {Bytes(0), end},
                                                        question.threads));
        }
        return answer;
    }

    Result<ResidencyNow> residency(const std::string& path, std::stop_token) override {
        const auto file = inspectInput(path);
        if (!file) {
            return tl::unexpected(file.error());
        }
        const auto whole = residencyOf(*file, {Bytes(0), file->bytes});
        if (!whole) {
            return tl::unexpected(whole.error());
        }
        return residencyPicture(*file, kResidencyParts, kMostPages).map([&](ResidencyPicture&& picture) {
            return ResidencyNow{*whole, std::move(picture.shares)};
        });
    }

    Result<CacheFacts> prepare(const std::string& path, CacheState state, std::stop_token stop) override {
        const auto file = inspectInput(path);
        return file ? prepareCache(*file, {Bytes(0), file->bytes}, state, true, std::move(stop))
                    : tl::unexpected(file.error());
    }

    Result<std::string> report(const ReportQuestion& question, std::stop_token) override {
        if (question.what == ReportQuestion::What::doctor) {
            return question.json ? doctorJson() : doctorText();
        }
        std::optional<FileFacts> file;
        if (!question.path.empty()) {
            auto facts = inspectInput(question.path);
            if (!facts) {
                return tl::unexpected(facts.error());
            }
            file = std::move(*facts);
        }
        return question.json ? armsJson(file) : armsText(file);
    }

    Result<Measured> measure(const StudyOrder& asked, const std::function<void(const Study&)>& planned,
                             const StudyEvents& events, std::stop_token stop) override {
        StudyOrder order = asked;
        auto plan = planOf(order);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        if (planned) {
            planned(*plan);
        }
        return Measured{order.kind == OrderKind::study
                            ? runStudy(std::move(*plan), order.request.study, events, std::move(stop))
                            : runSweep(std::move(*plan), order.request, events, std::move(stop)),
                        {}};
    }

  private:
    /// The plan, and in `order` what to run it by.
    Result<Study> planOf(StudyOrder& order) {
        StudyRequest& request = order.request.study;
        const bool resumes = order.kind == OrderKind::resumedSweep;
        if (request.workerProgram.empty() && (resumes || request.isolation == Isolation::worker)) {
            auto program = workerProgram_.empty() ? findWorkerProgram() : Result<std::string>(workerProgram_);
            if (!program) {
                return tl::unexpected(program.error());
            }
            request.workerProgram = std::move(*program);
        }
        if (!resumes) {
            const auto written = filesOf(request.workload, request.workloadParameters, FileRole::writes);
            for (const NamedFile& file : written) {
                if (const auto keeps =
                        checkKeepsRead(file.path, request.file, request.workload, request.workloadParameters);
                    !keeps) {
                    return tl::unexpected(keeps.error());
                }
            }
            return order.kind == OrderKind::study ? planStudy(request) : planSweep(order.request);
        }
        auto again = resumeRequest(*order.resumed, request.workerProgram);
        if (!again) {
            return tl::unexpected(again.error());
        }
        order.request = std::move(*again);
        Study sweep = *order.resumed;
        dropUnfinished(sweep);
        return sweep;
    }

    const std::string workerProgram_;
};

}  // namespace

std::unique_ptr<Host> thisHost(std::string workerProgram) {
    return std::make_unique<LocalHost>(std::move(workerProgram));
}

}  // namespace mmapscope
