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

Status fillWorkload(const RunOptions& options, StudyRequest& request) {
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
std::string preselectionWords(const RunOptions& options, const FileAnswer& file,
                              const std::vector<unsigned>& threads) {
    std::vector<std::string_view> names;
    for (const ArmRequest& arm : file.arms) {
        names.push_back(arm.source);
    }
    const bool one = threads == std::vector<unsigned>{1};
    return fmt::format(
        "comparing {} by {} thread{} under {}: {} {}{}lies on {} storage ({}). Others: {}--source{}",
        fmt::join(names, ", "), fmt::join(threads, " and "), one ? "" : "s", file.workload,
        printable(options.file), file.whyWorkload, file.whyWorkload.empty() ? "" : " and ",
        name(file.file.storage), preselectionFor(file.file.storage).reason,
        options.workload.empty() ? "--workload, " : "", options.threads.empty() ? ", --threads" : "");
}

/// What isn't named follows the file and its storage; `chosen` then says so.
Status choose(const RunOptions& options, Host& host, StudyRequest& request, Chosen& chosen) {
    auto file = host.look({options.file, request.workload, request.workloadParameters}, stopToken());
    if (!file) {
        return tl::unexpected(file.error());
    }
    const WorkloadType* const type = findWorkload(file->workload);
    if (type == nullptr) {
        return unknown("workload", file->workload, allWorkloads());
    }
    if (options.workload.empty()) {
        request.workload = file->workload;
        request.workloadParameters = *parseParameters(type->parameters, "");
        chosen.hint = file->workloadHint;
        chosen.because = fmt::format("the workload is {}: {} {}. Others: --workload", request.workload,
                                     printable(options.file), file->whyWorkload);
    }
    if (!options.sources.empty()) {
        return {};
    }
    const std::vector<unsigned> threads =
        options.threads.empty() ? std::vector<unsigned>{file->threads} : options.threads;
    for (const unsigned count : threads) {
        for (ArmRequest arm : file->arms) {
            arm.threads = count;
            request.arms.push_back(std::move(arm));
        }
    }
    chosen.because = preselectionWords(options, *file, threads);
    return {};
}

Status fillArms(const RunOptions& options, StudyRequest& request) {
    const std::vector<unsigned> oneThread{1};
    const auto& counts = options.threads.empty() ? oneThread : options.threads;
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
    where.addTo(command, "Measure on this machine over ssh, where FILE is");
}

Result<StudyRequest> studyRequest(const RunOptions& options, Host& host, Chosen& chosen) {
    StudyRequest request;
    request.file = options.file;
    Status filled = options.workload.empty() ? Status() : fillWorkload(options, request);
    if (filled && (options.workload.empty() || options.sources.empty())) {
        filled = choose(options, host, request, chosen);
    }
    if (filled) {
        filled = fillArms(options, request);
    }
    if (!filled) {
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
    return request;
}

}  // namespace mmapscope::cli
