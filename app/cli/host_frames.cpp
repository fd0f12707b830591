#include "app/cli/host_frames.h"

#include <fmt/format.h>

#include <iterator>

#include "core/text.h"
#include "report/study_file.h"
#include "run/json_reader.h"

namespace mmapscope::cli {
namespace {

constexpr ErrorKind kErrorKinds[] = {ErrorKind::usage,     ErrorKind::input,   ErrorKind::unavailable,
                                     ErrorKind::cancelled, ErrorKind::changed, ErrorKind::failed};

/// Every option that goes over, by one list for writing and reading. Paths need not be UTF-8.
template <class Options, class Text, class Value>
void visit(Options& o, Text&& text, Value&& value) {
    text("file", o.file);
    text("workload", o.workload);
    text("cache", o.cache);
    text("limit", o.limit);
    text("baseline", o.baseline);
    text("pin", o.pin);
    value("sources", o.sources);
    value("rounds", o.rounds);
    value("warmups", o.warmups);
    value("seed", o.seed);
    value("in_process", o.inProcess);
    value("no_samples", o.noSamples);
    value("no_why", o.noWhy);
    value("memory_cap", o.memoryCap);
    value("trace_faults", o.traceFaults);
}

template <class T>
Json toValue(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}
template <class T>
Json toValue(const T& value) {
    return Json(value);
}

/// A number for each enumerator: both ends are of one version.
template <class E>
Json number(E value) {
    return static_cast<unsigned>(value);
}
template <class E>
E enumerator(unsigned value, E most) {
    return static_cast<E>(std::min(value, static_cast<unsigned>(most)));
}

}  // namespace

std::string optionsToJson(const RunOptions& options) {
    Json json = Json::object();
    visit(
        options, [&](const char* key, const std::string& value) { json[key] = rawTextToJson(value); },
        [&](const char* key, const auto& value) { json[key] = toValue(value); });
    json["threads"] = options.threads;
    return dumpJson(json);
}

Result<RunOptions> optionsFromJson(std::string_view text) {
    const auto json = parseJson(text);
    if (!json) {
        return tl::unexpected(json.error());
    }
    RunOptions options;
    JsonReader reader(*json, "request");
    visit(
        options, [&](const char* key, std::string& value) { reader.required(key, value); },
        [&](const char* key, auto& value) { reader.optional(key, value); });
    if (const Json* threads = reader.array("threads")) {
        for (const Json& count : *threads) {
            if (count.is_number_unsigned() && count.get<std::uint64_t>() <= UINT16_MAX) {
                options.threads.push_back(count.get<unsigned>());
            } else {
                reader.wrong("threads", "is no list of counts");
            }
        }
    }
    return reader.status().map([&] { return std::move(options); });
}

std::string progressToJson(const Progress& p) {
    Json json{{"stage", number(p.stage)}, {"phase", number(p.phase)}, {"arm", p.arm},
              {"round", p.round},         {"rounds", p.rounds},       {"fraction", p.fraction},
              {"prepared", p.prepared},   {"remark", p.remark}};
    json["left_ns"] = p.left ? Json(p.left->count()) : Json();
    return dumpJson(json);
}

Result<Progress> progressFromJson(std::string_view text) {
    const auto json = parseJson(text);
    if (!json) {
        return tl::unexpected(json.error());
    }
    Progress p;
    unsigned stage = 0, phase = 0;
    JsonReader reader(*json, "progress");
    reader.required("stage", stage);
    reader.required("phase", phase);
    reader.required("arm", p.arm);
    reader.required("round", p.round);
    reader.required("rounds", p.rounds);
    reader.required("fraction", p.fraction);
    reader.required("prepared", p.prepared);
    reader.required("remark", p.remark);
    reader.optional("left_ns", p.left);
    p.stage = enumerator(stage, StudyStage::explaining);
    p.phase = enumerator(phase, Phase::measured);
    return reader.status().map([&] { return std::move(p); });
}

std::string plannedToJson(const Study& study, const Chosen& chosen) {
    Study bare = study;
    bare.runs.clear();
    Json json{{"because", chosen.because}, {"hint", chosen.hint}, {"study", studyToJson(bare)}};
    return dumpJson(json);
}

Result<PlannedThere> plannedFromJson(std::string_view text) {
    const auto json = parseJson(text);
    if (!json) {
        return tl::unexpected(json.error());
    }
    PlannedThere planned;
    std::string study;
    JsonReader reader(*json, "plan");
    reader.required("because", planned.chosen.because);
    reader.required("hint", planned.chosen.hint);
    reader.required("study", study);
    if (!reader.status()) {
        return tl::unexpected(reader.status().error());
    }
    auto read = studyFromJson(study);
    if (!read) {
        return tl::unexpected(read.error());
    }
    planned.study = std::move(*read);
    return planned;
}

std::string errorToJson(const Error& error) {
    return dumpJson(Json{{"kind", number(error.kind)}, {"message", error.message}});
}

Error errorFromJson(std::string_view text) {
    Error error{ErrorKind::failed, "what it said can't be read: " + printable(text.substr(0, 200))};
    if (const auto json = parseJson(text)) {
        unsigned kind = 0;
        std::string message;
        JsonReader reader(*json, "error");
        reader.required("kind", kind);
        reader.required("message", message);
        if (reader.status() && kind < std::size(kErrorKinds)) {
            for (const ErrorKind one : kErrorKinds) {
                error.kind = static_cast<unsigned>(one) == kind ? one : error.kind;
            }
            error.message = message;
        }
    }
    return error;
}

}  // namespace mmapscope::cli
