// Which arm to use for a file, and why; and what a measurement says of it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "core/text.h"
#include "report/advice_text.h"
#include "report/summary_table.h"
#include "report/tables.h"
#include "run/worker_client.h"
#include "study/advisor.h"
#include "workload/workload.h"

namespace mmapscope::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AdviseOptions {
    std::string file, workload;
    std::optional<std::string> memoryCap;
    bool measure = false, json = false, quiet = false;
};

struct Measured {
    Study study;
    AdviceVerdict verdict;
};

Result<AdviceFacts> lookAt(const AdviseOptions& options) {
    std::optional<Bytes> cap;
    if (options.memoryCap) {
        const auto bytes = parseBytes(*options.memoryCap);
        if (!bytes) {
            return fail(ErrorKind::usage, "--memory-cap: " + bytes.error().message);
        }
        if (bytes->isZero()) {
            return fail(ErrorKind::usage, "--memory-cap: at least one byte is needed");
        }
        cap = *bytes;
    }
    const auto colon = options.workload.find(':');
    std::string id = options.workload.substr(0, colon);
    if (id.empty()) {
        const auto file = inspectInput(options.file);
        if (!file) {
            return tl::unexpected(file.error());
        }
        id = suggestWorkload(*file).id;
    }
    const WorkloadType* const type = findWorkload(id);
    if (type == nullptr) {
        return fail(
            ErrorKind::usage,
            fmt::format("--workload: no workload \"{}\"; mmapscope-cli arms lists them", printable(id)));
    }
    const auto parameters = parseParameters(
        type->parameters, colon == std::string::npos ? "" : options.workload.substr(colon + 1));
    if (!parameters) {
        return fail(ErrorKind::usage, "--workload: " + parameters.error().message);
    }
    return adviceFacts(options.file, id, *parameters, cap, stopToken());
}

Result<Measured> measure(const AdviseOptions& options, const AdviceFacts& facts, const Advice& advice) {
    if (facts.file.bytes.isZero()) {
        return fail(ErrorKind::input, printable(facts.file.path) + " is empty: there is nothing to measure");
    }
    StudyRequest request;
    const auto worker = findWorkerProgram();
    if (!worker) {
        return tl::unexpected(worker.error());
    }
    request.workerProgram = *worker;
    request.why = false;
    request = adviceStudy(facts, advice, std::move(request));
    auto planned = planStudy(request);
    if (!planned) {
        return tl::unexpected(planned.error());
    }
    ProgressLine line(options.quiet);
    StudyEvents events;
    events.progress = [&](const Progress& p) {
        line.show(fmt::format("measuring {} arms, {:.0f} %", advice.arms.size(), p.fraction * 100));
    };
    Measured measured{runStudy(std::move(*planned), request, events, stopToken()), {}};
    line.end();
    if (stopToken().stop_requested()) {
        return fail(ErrorKind::cancelled, "stopped before the arms were measured");
    }
    measured.verdict = judgeAdvice(measured.study, advice.arm());
    return measured;
}

std::string toText(const AdviceFacts& facts, const Advice& advice, const Measured* measured) {
    std::string out = adviceText(facts, advice);
    if (measured == nullptr) {
        return out + fmt::format("\nWith --measure it compares {}.\n", armsInWords(advice));
    }
    out += "\n" + planLine(measured->study) + "\n\n" + textTable(summaryTable(measured->study)) + "\n" +
           measured->verdict.sentence + "\n";
    for (const std::string& line : unrankedLines(measured->study)) {
        out += line + "\n";
    }
    for (const std::string& warning : measured->study.warnings) {
        out += "Warning: " + printable(warning) + "\n";
    }
    return out;
}

Json toJson(const ArmRequest& arm) {
    return {{"arm", armText(arm)},
            {"source", arm.source},
            {"params", arm.sourceParameters},
            {"threads", arm.threads}};
}

std::string toJsonText(const AdviceFacts& facts, const Advice& advice, const Measured* measured) {
    Json root{{"file", facts.file.path}, {"workload", facts.workload}, {"rule", advice.rule}};
    root["advised"] = toJson(advice.arm());
    root["arms"] = Json::array();
    for (const ArmRequest& arm : advice.arms) {
        root["arms"].push_back(toJson(arm));
    }
    root["reasons"] = Json::array();
    for (const Reason& reason : advice.reasons) {
        root["reasons"].push_back({{"text", reason.text}, {"basis", reason.basis}});
    }
    root["changes"] = advice.changes;
    root["facts"] = advice.facts;
    root["left_out"] = Json::array();
    for (const LeftOut& left : advice.leftOut) {
        root["left_out"].push_back({{"source", left.source}, {"reason", left.reason}});
    }
    root["measured"] = nullptr;
    if (measured != nullptr) {
        constexpr const char* kKinds[] = {"holds", "contradicted", "tied", "unranked"};
        Json arms = Json::array();
        for (const ArmSummary& s : measured->study.summary) {
            const auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
            arms.push_back({{"id", measured->study.arms[s.arm].id},
                            {"bytes_per_second", number(s.medianBytesPerSecond)},
                            {"ratio", number(s.ratio)},
                            {"ratio_low", number(s.ratioLow)},
                            {"ratio_high", number(s.ratioHigh)},
                            {"verdict", name(s.verdict)}});
        }
        root["measured"] = {{"says", kKinds[static_cast<int>(measured->verdict.kind)]},
                            {"sentence", measured->verdict.sentence},
                            {"arms", std::move(arms)}};
    }
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Exit advise(const AdviseOptions& options) {
    const auto facts = lookAt(options);
    if (!facts) {
        return report(facts.error());
    }
    const Advice advice = mmapscope::advise(*facts);
    std::optional<Measured> measured;
    if (options.measure) {
        auto done = measure(options, *facts, advice);
        if (!done) {
            return report(done.error());
        }
        measured = std::move(*done);
    }
    const Measured* const m = measured ? &*measured : nullptr;
    const Exit printed = print(options.json ? toJsonText(*facts, advice, m) : toText(*facts, advice, m));
    return printed != Exit::done || m == nullptr ? printed : reportOutcome(m->study, false);
}

}  // namespace

void addAdvise(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("advise", "Say which arm to use for a file, and why");
    auto options = std::make_shared<AdviseOptions>();
    command->add_option("FILE", options->file, "The file, or folder")->required();
    command->add_option("--workload", options->workload, "ID[:name=value,…]; default: by the file's kind");
    command->add_option("--memory-cap", options->memoryCap,
                        "As if no more memory than this could be had; --measure then holds the arms to it");
    command->add_flag("--measure", options->measure, "Compare the arms in question, and say what came of it");
    command->add_flag("--json", options->json, "As JSON");
    command->add_flag("--quiet", options->quiet, "No progress");
    command->callback([options, &exit] { exit = advise(*options); });
}

}  // namespace mmapscope::cli
