#include "study/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "source/source.h"
#include "study/arm_figures.h"
#include "study/outcome_check.h"
#include "study/sweep_points.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

std::string fileName(const Study& study) {
    const std::filesystem::path path(study.plan.file);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// With the defaults of those that an older version didn't know yet.
Parameters completed(const std::vector<ParameterSpec>* specs, Parameters parameters) {
    if (specs != nullptr) {
        for (const ParameterSpec& spec : *specs) {
            parameters.emplace(spec.name, spec.defaultValue);
        }
    }
    return parameters;
}

const std::vector<ParameterSpec>* specsOf(const WorkloadType* type) {
    return type == nullptr ? nullptr : &type->parameters;
}

/// Without what only says where a result goes and what it is called.
Parameters workOf(const Study& study) {
    const WorkloadType* const type = findWorkload(study.plan.workload);
    Parameters parameters =
        completed(specsOf(type), study.arms.empty() ? Parameters() : study.arms.front().workloadParameters);
    if (type != nullptr) {
        for (const ParameterSpec& spec : type->parameters) {
            if (spec.file == FileRole::writes || (spec.kind == ParameterKind::text && spec.name == "name")) {
                parameters.erase(std::string(spec.name));
            }
        }
    }
    return parameters;
}

std::string sizes(Bytes first, Bytes other) {
    const auto [firstText, otherText] = formatBytesApart(first, other);
    return fmt::format("{}, not {}", otherText, firstText);
}

std::string optionalSizes(const std::optional<Bytes>& first, const std::optional<Bytes>& other,
                          std::string_view none) {
    if (first && other) {
        return sizes(*first, *other);
    }
    return fmt::format("{}, not {}", other ? formatBytes(*other) : std::string(none),
                       first ? formatBytes(*first) : std::string(none));
}

std::string fileReason(const Study& first, const Study& other) {
    const Plan& a = first.plan;
    const Plan& b = other.plan;
    if ((a.folderFiles > 0) != (b.folderFiles > 0)) {
        return b.folderFiles > 0 ? "a folder, not a file" : "a file, not a folder";
    }
    if (a.folderFiles != b.folderFiles) {
        return fmt::format("another folder: {} files, not {}", b.folderFiles, a.folderFiles);
    }
    if (a.fileBytes != b.fileBytes) {
        return fmt::format("another file: {}", sizes(a.fileBytes, b.fileBytes));
    }
    if (a.limit != b.limit) {
        return fmt::format("another limit: {}", optionalSizes(a.limit, b.limit, "none"));
    }
    return {};
}

std::string workReason(const Study& first, const Study& other) {
    if (first.plan.workload != other.plan.workload) {
        return fmt::format("another workload: {}, not {}", printable(other.plan.workload),
                           printable(first.plan.workload));
    }
    const Parameters a = workOf(first);
    const Parameters b = workOf(other);
    for (const auto& [key, value] : b) {
        const auto same = a.find(key);
        if (same == a.end() || same->second != value) {
            return fmt::format("the workload has another {}: {}, not {}", printable(key), printable(value),
                               same == a.end() ? "none" : printable(same->second));
        }
    }
    for (const auto& [key, value] : a) {
        if (!b.contains(key)) {
            return fmt::format("the workload has another {}: none, not {}", printable(key), printable(value));
        }
    }
    return {};
}

std::string stateReason(const Study& first, const Study& other) {
    const Plan& a = first.plan;
    const Plan& b = other.plan;
    if (a.cache != b.cache) {
        return fmt::format("another cache state: {}, not {}", name(b.cache), name(a.cache));
    }
    if (a.memoryCap != b.memoryCap) {
        return fmt::format("another memory cap: {}", optionalSizes(a.memoryCap, b.memoryCap, "none"));
    }
    if (const auto capA = effectiveCap(first), capB = effectiveCap(other); capA != capB && capA && capB) {
        return fmt::format("another memory cap held: {}", sizes(*capA, *capB));
    }
    if (a.isolation != b.isolation) {
        return fmt::format("its runs were {}, not {}",
                           b.isolation == Isolation::inProcess ? "all in one process" : "each a process",
                           a.isolation == Isolation::inProcess ? "all in one process" : "each a process");
    }
    return {};
}

/// Whether what was computed is the same, as far as both know it. A torrent's infohash holds the file's name.
std::string outcomeReason(const Study& first, const Study& other) {
    const bool sameName = fileName(first) == fileName(other);
    const auto keysA = checkOutcomes(first);
    bool agreed = false;
    for (const OutcomeKey& b : checkOutcomes(other)) {
        const auto a = std::find_if(keysA.begin(), keysA.end(), [&](const OutcomeKey& key) {
            return key.workload == b.workload && key.key == b.key;
        });
        if (a == keysA.end() || !a->agrees() || !b.agrees() || (b.key == "infohash" && !sameName)) {
            continue;
        }
        if (a->seen.front().value != b.seen.front().value) {
            return fmt::format("another content: its {} is {}, not {}", printable(b.key),
                               b.seen.front().value, a->seen.front().value);
        }
        agreed = true;
    }
    if (!sameName && !agreed) {
        return fmt::format(
            "another file, {}, not {}, and no outcome that both have tells whether its "
            "content is the same",
            printable(fileName(other)), printable(fileName(first)));
    }
    return {};
}

bool hasMeasured(const Study& study) {
    return std::any_of(study.runs.begin(), study.runs.end(),
                       [&](const RunRecord& run) { return run.arm < study.arms.size() && isRanked(run); });
}

}  // namespace

std::string whyIncomparable(const Study& first, const Study& other) {
    for (const Study* study : {&other, &first}) {
        const char* const which = study == &first ? "the first " : "";
        if (study->sweep) {
            return fmt::format("{}is a sweep over sizes: compare studies of one size", which);
        }
        if (!hasMeasured(*study)) {
            return fmt::format("{}has no good measured run", which);
        }
    }
    for (const auto& reason : {fileReason, workReason, stateReason, outcomeReason}) {
        if (std::string text = reason(first, other); !text.empty()) {
            return text;
        }
    }
    return {};
}

std::string armKey(const Arm& arm) {
    const SourceType* const source = findSource(arm.source);
    const Parameters parameters =
        completed(source == nullptr ? nullptr : &source->parameters, arm.sourceParameters);
    std::string key = arm.source;
    for (const auto& [name, value] : parameters) {
        key += fmt::format("\n{}={}", name, value);
    }
    return fmt::format("{}\n\n{}\n\n{}", key, arm.workload, arm.threads);
}

}  // namespace mmapscope
