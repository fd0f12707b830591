// From a question to a study nothing of which has run yet.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/nearest.h"
#include "core/text.h"
#include "source/source.h"
#include "study/cap_rules.h"
#include "study/environment.h"
#include "study/random.h"
#include "study/statistics.h"
#include "study/study_runner.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

template <class Type>
tl::unexpected<Error> unknownId(std::string_view what, std::string_view id,
                                const std::vector<const Type*>& known) {
    std::vector<std::string_view> ids;
    ids.reserve(known.size());
    for (const Type* type : known) {
        ids.push_back(type->id);
    }
    return fail(ErrorKind::usage, fmt::format("no {} \"{}\"{}", what, printable(id), didYouMean(id, ids)));
}

Status checkRequest(const StudyRequest& request) {
    if (request.arms.empty()) {
        return fail(ErrorKind::usage, "a study needs at least one source");
    }
    if (request.baseline >= request.arms.size()) {
        return fail(ErrorKind::usage,
                    fmt::format("the baseline is arm {} of {}", request.baseline + 1, request.arms.size()));
    }
    if (request.rounds && *request.rounds == 0) {
        return fail(ErrorKind::usage, "a study needs at least one measured round");
    }
    if (findWorkload(request.workload) == nullptr) {
        return unknownId("workload", request.workload, allWorkloads());
    }
    for (const ArmRequest& arm : request.arms) {
        if (findSource(arm.source) == nullptr) {
            return unknownId("source", arm.source, allSources());
        }
        if (arm.threads == 0 || arm.threads > Accounts::kMaxArmThreads) {
            return fail(ErrorKind::usage, fmt::format("{} threads: 1 to {} are possible", arm.threads,
                                                      Accounts::kMaxArmThreads));
        }
    }
    if (auto cap = checkMemoryCap(request); !cap) {
        return cap;
    }
    if (request.isolation == Isolation::worker && ::access(request.workerProgram.c_str(), X_OK) != 0) {
        return failErrno(ErrorKind::unavailable,
                         fmt::format("the worker program \"{}\" can't be started; build or install "
                                     "mmapscope-worker, or run in process",
                                     printable(request.workerProgram)),
                         errno);
    }
    return {};
}

/// "read", "read:256KiB", "mmap@2" (threads, where the study's arms differ in them), "mmap#2" (a repeated
/// one).
std::vector<Arm> nameArms(const StudyRequest& request, const Parameters& workloadParameters) {
    const bool threadsDiffer =
        std::any_of(request.arms.begin(), request.arms.end(),
                    [&](const ArmRequest& arm) { return arm.threads != request.arms.front().threads; });
    std::set<std::string> taken;
    std::vector<Arm> arms;
    for (const ArmRequest& wanted : request.arms) {
        std::string id = wanted.source;
        if (const auto text =
                formatParameters(findSource(wanted.source)->parameters, wanted.sourceParameters);
            !text.empty()) {
            id += ":" + text;
        }
        if (threadsDiffer && wanted.threads > 1) {
            id += fmt::format("@{}", wanted.threads);
        }
        std::string unique = id;
        for (unsigned n = 2; !taken.insert(unique).second; ++n) {
            unique = fmt::format("{}#{}", id, n);
        }
        arms.push_back({unique, wanted.source, wanted.sourceParameters, request.workload, workloadParameters,
                        wanted.threads});
    }
    return arms;
}

/// What of the file is read: absent for all of it.
Result<std::optional<Bytes>> limitOf(const StudyRequest& request, const WorkloadType& type,
                                     const FileFacts& file, const Parameters& parameters) {
    if (!request.limit || *request.limit >= file.bytes) {
        return std::nullopt;
    }
    if (request.limit->isZero()) {
        return fail(ErrorKind::usage, "a limit of 0 bytes leaves nothing to read");
    }
    return type.fitLimit(file, parameters, *request.limit).map([](Bytes fitted) {
        return std::optional(fitted);
    });
}

/// A file that can't be cut at all is an error now; a workload that can't be split leaves its arms, which
/// will say so.
Status checkSplits(const Study& study, const WorkloadType& type, const FileFacts& file) {
    std::set<unsigned> tried;
    for (const Arm& arm : study.arms) {
        if (!tried.insert(arm.threads).second) {
            continue;
        }
        const auto ranges = type.split(file, arm.workloadParameters,
                                       study.plan.limit.value_or(study.plan.fileBytes), arm.threads);
        if (!ranges && ranges.error().kind != ErrorKind::unavailable) {
            return tl::unexpected(ranges.error());
        }
    }
    return {};
}

/// 53 bits, so that every reader of the JSON keeps it exactly.
std::uint64_t drawSeed() {
    std::uint64_t seed = 0;
    if (::getentropy(&seed, sizeof seed) != 0) {
        seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    }
    return seed >> 11U;
}

}  // namespace

Result<Study> planStudy(const StudyRequest& request) {
    if (const auto sound = checkRequest(request); !sound) {
        return tl::unexpected(sound.error());
    }
    const auto file = inspectInput(request.file);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const WorkloadType& type = *findWorkload(request.workload);
    const auto parameters = resolveFor(type, *file, request.workloadParameters);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    const auto limit = limitOf(request, type, *file, *parameters);
    if (!limit) {
        return tl::unexpected(limit.error());
    }
    Study study;
    study.plan.file = file->path;
    study.plan.fileBytes = file->bytes;
    study.plan.folderFiles = file->members.size();
    study.plan.limit = *limit;
    study.plan.workload = request.workload;
    study.plan.rounds = request.rounds.value_or(0);
    study.plan.warmups = request.warmups;
    study.plan.orderSeed = request.orderSeed ? *request.orderSeed : drawSeed();
    study.plan.cache = request.cache;
    study.plan.isolation = request.isolation;
    study.plan.memoryCap = request.memoryCap;
    study.plan.baseline = static_cast<std::uint32_t>(request.baseline);
    study.arms = nameArms(request, *parameters);
    if (const auto cut = checkSplits(study, type, *file); !cut) {
        return tl::unexpected(cut.error());
    }
    study.environment = readEnvironment(*file);
    summarize(study);
    return study;
}

}  // namespace mmapscope
