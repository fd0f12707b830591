#include "report/arms_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "probe/file_facts.h"
#include "report/file_report.h"
#include "source/folder.h"
#include "study/preselection.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

using Json = nlohmann::ordered_json;

/// What is known of one source or workload for the file asked about, if one was.
struct Verdict {
    std::optional<bool> available;
    std::string reason, unlock, describes;
};

Verdict verdictOf(const SourceType& type, const std::optional<FileFacts>& file) {
    if (!file) {
        return {};
    }
    const auto parameters = parseParameters(type.parameters, "");
    const auto answer = availabilityFor(type, *file, *parameters, {Bytes(0), file->bytes}, 1);
    return {answer.available, answer.reason, answer.unlock, {}};
}

Verdict verdictOf(const WorkloadType& type, const std::optional<FileFacts>& file) {
    if (!file) {
        return {};
    }
    const auto resolved = resolveFor(type, *file, *parseParameters(type.parameters, ""));
    if (!resolved) {
        return {false, resolved.error().message, {}, {}};
    }
    return {true, {}, {}, type.describe(*file, *resolved)};
}

std::string_view kindName(ParameterKind kind) {
    switch (kind) {
        case ParameterKind::bytes:
            return "bytes";
        case ParameterKind::integer:
            return "integer";
        case ParameterKind::choice:
            return "choice";
        case ParameterKind::flag:
            return "flag";
        case ParameterKind::text:
            return "text";
    }
    return "text";
}

Json parametersJson(const std::vector<ParameterSpec>& specs) {
    auto list = Json::array();
    for (const auto& spec : specs) {
        Json one{{"name", spec.name},
                 {"kind", kindName(spec.kind)},
                 {"default", spec.defaultValue},
                 {"help", spec.help}};
        if (spec.kind == ParameterKind::choice) {
            one["choices"] = spec.choices;
        }
        list.push_back(std::move(one));
    }
    return list;
}

template <class Type>
Json typesJson(const std::vector<const Type*>& types, const std::optional<FileFacts>& file) {
    auto list = Json::array();
    for (const auto* type : types) {
        Json one{
            {"id", type->id}, {"summary", type->summary}, {"parameters", parametersJson(type->parameters)}};
        if (const auto verdict = verdictOf(*type, file); verdict.available) {
            one["available"] = *verdict.available;
            one["reason"] = verdict.reason.empty() ? Json() : Json(verdict.reason);
            one["unlock"] = verdict.unlock.empty() ? Json() : Json(verdict.unlock);
            if (!verdict.describes.empty()) {
                one["file"] = verdict.describes;
            }
        }
        list.push_back(std::move(one));
    }
    return list;
}

template <class Type>
std::string typesText(std::string_view title, const std::vector<const Type*>& types,
                      const std::optional<FileFacts>& file) {
    std::string out = fmt::format("{}\n", title);
    for (const auto* type : types) {
        out += fmt::format("  {:<16} {}\n", type->id, type->summary);
        for (const auto& spec : type->parameters) {
            const std::string accepted = spec.kind == ParameterKind::choice
                                             ? fmt::format("{}", fmt::join(spec.choices, "|"))
                                             : std::string(kindName(spec.kind));
            out += fmt::format("  {:<16}   {}={} ({}): {}\n", "", spec.name, spec.defaultValue, accepted,
                               spec.help);
        }
        if (const auto verdict = verdictOf(*type, file); verdict.available) {
            if (!verdict.describes.empty()) {
                out += fmt::format("  {:<16}   this file: {}\n", "", printable(verdict.describes));
            }
            if (!*verdict.available) {
                out += fmt::format("  {:<16}   not available here: {}\n", "", printable(verdict.reason));
            }
            if (!verdict.unlock.empty()) {
                out += fmt::format("  {:<16}   to unlock: {}\n", "", verdict.unlock);
            }
        }
    }
    return out;
}

std::string armName(const ArmChoice& arm) {
    return arm.parameters.empty() ? std::string(arm.source)
                                  : fmt::format("{}:{}", arm.source, arm.parameters);
}

Preselection preselectionOf(const FileFacts& file, const WorkloadType& workload) {
    return preselect(file, workload, *parseParameters(workload.parameters, ""), thisMachine());
}

/// What `run FILE` takes when no source is named.
void addPreselection(Json& root, const FileFacts& file) {
    const WorkloadType& workload = suggestWorkload(file);
    const Preselection chosen = preselectionOf(file, workload);
    root["workload"] = workload.id;
    root["workload_reason"] = whyWorkload(file, workload);
    const std::string hint = workloadHint(file, workload);
    root["workload_hint"] = hint.empty() ? Json() : Json(hint);
    root["preselected"] = Json::array();
    for (const ArmChoice& arm : chosen.arms) {
        root["preselected"].push_back(armName(arm));
    }
    root["left_out"] = Json::array();
    for (const LeftOut& arm : chosen.leftOut) {
        root["left_out"].push_back({{"source", arm.source}, {"reason", arm.reason}});
    }
    root["threads"] = chosen.threads;
    root["threads_reason"] = chosen.threadReason.empty() ? Json() : Json(chosen.threadReason);
    root["threads_offered"] = chosen.threadsOffered;
    root["storage_class"] = name(file.storage);
    root["reason"] = chosen.reason;
    root["basis"] = chosen.basis;
}

std::string preselectionText(const FileFacts& file) {
    const WorkloadType& workload = suggestWorkload(file);
    const Preselection chosen = preselectionOf(file, workload);
    std::vector<std::string> arms;
    for (const ArmChoice& arm : chosen.arms) {
        arms.push_back(armName(arm));
    }
    const std::string hint = workloadHint(file, workload);
    std::string out = fmt::format(
        "Preselected for this file: what `run` compares when no --source is given\n"
        "  workload         {}: the {} {}\n{}"
        "  sources          {}\n  threads          {} (worth comparing: {})\n",
        workload.id, file.isFolder() ? "input" : "file", whyWorkload(file, workload),
        hint.empty() ? "" : fmt::format("                   {}\n", hint), fmt::join(arms, ", "),
        chosen.threads, fmt::join(chosen.threadsOffered, ", "));
    if (!chosen.threadReason.empty()) {
        out += fmt::format("                   {}\n", printable(chosen.threadReason));
    }
    for (const LeftOut& arm : chosen.leftOut) {
        out += fmt::format("  left out         {}: {}\n", arm.source, printable(arm.reason));
    }
    return out + fmt::format("  why              {}\n  after            {}\n", chosen.reason, chosen.basis);
}

}  // namespace

std::string armsJson(const std::optional<FileFacts>& file) {
    Json root{{"sources", typesJson(allSources(), file)}, {"workloads", typesJson(allWorkloads(), file)}};
    if (file) {
        root["file"] = fileJson(*file);
        addPreselection(root, *file);
    }
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string armsText(const std::optional<FileFacts>& file) {
    return (file ? fileText(*file) + "\n" + preselectionText(*file) + "\n" : std::string()) +
           typesText("Sources: how the bytes get into the process", allSources(), file) + "\n" +
           typesText("Workloads: what is done with them", allWorkloads(), file);
}

}  // namespace mmapscope
