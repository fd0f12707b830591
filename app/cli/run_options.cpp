#include "app/cli/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "app/cli/cli.h"
#include "core/accounting.h"
#include "core/cpu_list.h"
#include "core/nearest.h"
#include "core/text.h"
#include "run/worker_client.h"
#include "source/source.h"
#include "study/preselection.h"
#include "workload/workload.h"

namespace mmapscope::cli {
namespace {

/// "id:parameters" → the two parts.
std::pair<std::string_view, std::string_view> cut(std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon == std::string_view::npos ? std::pair(text, std::string_view())
                                           : std::pair(text.substr(0, colon), text.substr(colon + 1));
}

template <class Type>
tl::unexpected<Error> unknown(std::string_view what, std::string_view id,
                              const std::vector<const Type*>& known) {
    std::vector<std::string_view> names;
    for (const auto* type : known) {
        names.push_back(type->id);
    }
    return fail(ErrorKind::usage,
                fmt::format("no {} \"{}\"{} `mmapscope-cli arms` lists them", what, printable(id),
                            nearest(id, names).empty() ? std::string(";") : didYouMean(id, names)));
}

Result<ArmRequest> armRequest(std::string_view text, unsigned threads) {
    const auto [id, parameters] = cut(text);
    const SourceType* type = findSource(id);
    if (type == nullptr) {
        return unknown("source", id, allSources());
    }
    auto parsed = parseParameters(type->parameters, parameters);
    if (!parsed) {
        return fail(ErrorKind::usage, fmt::format("source {}: {}", id, parsed.error().message));
    }
    return ArmRequest{std::string(id), std::move(*parsed), threads};
}

/// The study's workload; what speaks for it goes to `why` where it was not named.
Status fillWorkload(const RunOptions& options, StudyRequest& request, std::string& why, Chosen& chosen) {
    if (options.workload.empty()) {
        const auto facts = inspectInput(options.file);
        if (!facts) {
            return tl::unexpected(facts.error());
        }
        const WorkloadType& type = suggestWorkload(*facts);
        request.workload = type.id;
        request.workloadParameters = *parseParameters(type.parameters, "");
        why = whyWorkload(*facts, type);
        chosen.hint = workloadHint(*facts, type);
        return {};
    }
    const auto [id, parameters] = cut(options.workload);
    const WorkloadType* type = findWorkload(id);
    if (type == nullptr) {
        return unknown("workload", id, allWorkloads());
    }
    auto parsed = parseParameters(type->parameters, parameters);
    if (!parsed) {
        return fail(ErrorKind::usage, fmt::format("workload {}: {}", id, parsed.error().message));
    }
    request.workload = id;
    request.workloadParameters = std::move(*parsed);
    return {};
}

/// "comparing read, mmap by 1 thread under scan: data.bin is … and lies on …"
std::string preselectionWords(const RunOptions& options, const StudyRequest& request, const FileFacts& file,
                              const std::vector<ArmChoice>& arms, const std::vector<unsigned>& threads,
                              const std::string& why) {
    std::vector<std::string_view> names;
    for (const ArmChoice& arm : arms) {
        names.push_back(arm.source);
    }
    const bool one = threads == std::vector<unsigned>{1};
    return fmt::format(
        "comparing {} by {} thread{} under {}: {} {}{}lies on {} storage ({}). Others: {}--source{}",
        fmt::join(names, ", "), fmt::join(threads, " and "), one ? "" : "s", request.workload,
        printable(options.file), why, why.empty() ? "" : " and ", name(file.storage),
        preselectionFor(file.storage).reason, options.workload.empty() ? "--workload, " : "",
        options.threads.empty() ? ", --threads" : "");
}

/// Where no source is named, the storage decides; `chosen` then says so.
Status preselectArms(const RunOptions& options, StudyRequest& request, const std::string& why,
                     Chosen& chosen) {
    const auto facts = inspectInput(options.file);
    if (!facts) {
        return tl::unexpected(facts.error());
    }
    const WorkloadType& workload = *findWorkload(request.workload);
    const Preselection preselected = preselect(*facts, workload, request.workloadParameters, thisMachine());
    const std::vector<unsigned> threads =
        options.threads.empty() ? std::vector<unsigned>{preselected.threads} : options.threads;
    for (const unsigned count : threads) {
        for (const ArmChoice& arm : preselected.arms) {
            request.arms.push_back({std::string(arm.source),
                                    *parseParameters(findSource(arm.source)->parameters, arm.parameters),
                                    count});
        }
    }
    chosen.because = preselectionWords(options, request, *facts, preselected.arms, threads, why);
    return {};
}

Status fillArms(const RunOptions& options, StudyRequest& request, const std::string& why, Chosen& chosen) {
    const std::vector<unsigned> oneThread{1};
    const auto& counts = options.threads.empty() ? oneThread : options.threads;
    if (options.sources.empty()) {
        if (auto preselected = preselectArms(options, request, why, chosen); !preselected) {
            return preselected;
        }
    } else if (!why.empty()) {
        chosen.because = fmt::format("the workload is {}: {} {}. Others: --workload", request.workload,
                                     printable(options.file), why);
    }
    for (const unsigned threads : counts) {
        for (const auto& source : options.sources) {
            auto arm = armRequest(source, threads);
            if (!arm) {
                return tl::unexpected(arm.error());
            }
            request.arms.push_back(std::move(*arm));
        }
    }
    if (options.baseline.empty()) {
        return {};
    }
    const auto wanted = armRequest(options.baseline, counts.front());
    if (!wanted) {
        return tl::unexpected(wanted.error());
    }
    const auto it = std::find_if(request.arms.begin(), request.arms.end(), [&](const ArmRequest& arm) {
        return arm.source == wanted->source && arm.sourceParameters == wanted->sourceParameters;
    });
    if (it == request.arms.end()) {
        return fail(ErrorKind::usage,
                    fmt::format("--baseline {}: it is not among the sources; add --source {}",
                                printable(options.baseline), printable(options.baseline)));
    }
    request.baseline = static_cast<std::size_t>(it - request.arms.begin());
    return {};
}

constexpr std::array<OutputOption, 6> kOutputs{{{ReportFormat::json, &RunOptions::json},
                                                {ReportFormat::csv, &RunOptions::csv},
                                                {ReportFormat::summaryCsv, &RunOptions::summaryCsv},
                                                {ReportFormat::markdown, &RunOptions::markdown},
                                                {ReportFormat::latex, &RunOptions::latex},
                                                {ReportFormat::html, &RunOptions::html}}};

}  // namespace

std::span<const OutputOption> outputOptions() {
    return kOutputs;
}

std::string optionOf(ReportFormat format) {
    return fmt::format("--{}", factsOf(format).name);
}

bool RunOptions::writesToStandardOutput() const {
    return std::any_of(kOutputs.begin(), kOutputs.end(),
                       [&](const OutputOption& output) { return this->*output.path == "-"; });
}

void RunOptions::addTo(CLI::App& command) {
    command.add_option("FILE", file, "The file to read")->required();
    addCommonTo(command);
    command.add_option("--limit", limit, "Read only this much, such as 64MiB");
    command.add_flag("--in-process", inProcess, "Run inside this process instead of a fresh worker each");
    command.add_flag(
        "--trace-faults", traceFaults,
        "Record every page fault of the inspection runs (time, file offset, minor or major, thread)");
    command.add_option("--host", host,
                       "Measure on this machine over ssh, where FILE is (as ssh takes it; $MMAPSCOPE_SSH is "
                       "the command, such as \"ssh -p 2222\")");
    command.add_option("--remote-program", remoteProgram, "mmapscope-cli there")->capture_default_str();
    command.add_flag("--no-why", noWhy,
                     "Don't take the times apart (it needs further runs after the rounds)");
}

void RunOptions::addCommonTo(CLI::App& command) {
    command.add_option("--workload", workload, "ID[:name=value,…]; default: by the file's kind");
    command
        .add_option("--source", sources,
                    "ID[:name=value,…]; repeat; default: by the storage the file lies on (see `arms FILE`)")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--threads", threads,
                    "Threads; repeat to compare; default 1, or by the storage when no source is named")
        ->take_all()
        ->allow_extra_args(false)
        ->check(CLI::Range(1U, Accounts::kMaxArmThreads));
    command
        .add_option("--rounds", rounds, "Measured rounds; default 15 when a run takes under a second, else 7")
        ->check(CLI::Range(1U, 10000U));
    command.add_option("--warmup", warmups, "Rounds discarded first")
        ->capture_default_str()
        ->check(CLI::Range(0U, 1000U));
    command.add_option("--seed", seed, "Seed of the order within rounds; default: drawn and recorded")
        ->check(checkWhole);
    command.add_option("--cache", cache, "Page-cache state, prepared and verified before every run")
        ->capture_default_str()
        ->check(CLI::IsMember({"warm", "warm-small", "cold", "resident", "asis"}));
    command.add_option(
        "--memory-cap", memoryCap,
        "Most memory each run's worker may use, page cache included, such as 256MiB (control groups)");
    command.add_option("--baseline", baseline, "Source the ratios refer to; default: the first");
    command.add_option("--pin", pin, "CPUs for the arm's threads, such as 0,2-3");
    command.add_flag("--no-samples", noSamples, "No sampler");
    for (const OutputOption& output : outputOptions()) {
        command.add_option(optionOf(output.format), this->*output.path,
                           output.format == ReportFormat::json
                               ? "Write the study file here, after every run (- is standard output)"
                               : fmt::format("Write {}", factsOf(output.format).what));
    }
    command.add_flag("--quiet", quiet, "No progress");
}

Result<StudyRequest> studyRequest(const RunOptions& options, Chosen& chosen) {
    StudyRequest request;
    request.file = options.file;
    std::string why;
    if (auto filled = fillWorkload(options, request, why, chosen); !filled) {
        return tl::unexpected(filled.error());
    }
    if (auto filled = fillArms(options, request, why, chosen); !filled) {
        return tl::unexpected(filled.error());
    }
    request.rounds = options.rounds;
    request.warmups = options.warmups;
    request.orderSeed = options.seed;
    request.cache = cacheStateOf(options.cache).value_or(CacheState::warm);
    request.samples = !options.noSamples;
    request.why = !options.noWhy;
    request.traceFaults = options.traceFaults;
    if (options.memoryCap) {
        const auto cap = parseBytes(*options.memoryCap);
        if (!cap) {
            return fail(ErrorKind::usage, "--memory-cap: " + cap.error().message);
        }
        request.memoryCap = *cap;
    }
    if (!options.limit.empty()) {
        const auto limit = parseBytes(options.limit);
        if (!limit || limit->isZero()) {
            return fail(ErrorKind::usage,
                        "--limit: " + (limit ? "at least one byte is needed" : limit.error().message));
        }
        request.limit = *limit;
    }
    if (!options.pin.empty()) {
        auto cpus = parseCpuList(options.pin);
        if (!cpus) {
            return fail(ErrorKind::usage, "--pin: " + cpus.error().message);
        }
        request.pinCpus = std::move(*cpus);
    }
    request.isolation = options.inProcess ? Isolation::inProcess : Isolation::worker;
    if (!options.inProcess) {
        auto worker = findWorkerProgram();
        if (!worker) {
            return tl::unexpected(worker.error());
        }
        request.workerProgram = std::move(*worker);
    }
    return request;
}

}  // namespace mmapscope::cli
