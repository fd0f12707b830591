// Runs a sweep over sizes, or goes on with one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "app/cli/run_options.h"
#include "core/text.h"
#include "report/study_file.h"
#include "study/sweep_points.h"

namespace mmapscope::cli {
namespace {

struct SweepOptions {
    RunOptions run;
    std::string sizes, from, to, resume;
    unsigned points = 8;
    unsigned morePoints = 8;
};

Result<Bytes> sizeOf(std::string_view option, std::string_view text) {
    const auto size = parseBytes(text);
    return size ? size : fail(ErrorKind::usage, fmt::format("{}: {}", option, size.error().message));
}

Result<std::vector<Bytes>> sizesOf(const SweepOptions& options) {
    std::vector<Bytes> sizes;
    if (!options.sizes.empty()) {
        std::string_view rest = options.sizes;
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            auto size = sizeOf("--sizes", rest.substr(0, comma));
            if (!size) {
                return tl::unexpected(size.error());
            }
            sizes.push_back(*size);
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
        return sizes;
    }
    if (options.from.empty() || options.to.empty()) {
        return fail(ErrorKind::usage,
                    "a sweep needs sizes: --sizes 32MiB,64MiB,… or --from 32MiB --to 1GiB --points 8");
    }
    const auto from = sizeOf("--from", options.from);
    const auto to = sizeOf("--to", options.to);
    if (!from || !to) {
        return tl::unexpected(from ? to.error() : from.error());
    }
    if (from->isZero() || !(*from < *to)) {
        return fail(ErrorKind::usage, "--from must be smaller than --to, and more than nothing");
    }
    return logSizes(*from, *to, options.points);
}

std::string progressText(const Study& sweep, const Progress& p) {
    std::string out = fmt::format("{}, {}", p.size ? formatBytes(*p.size) : "", sweep.arms[p.arm].id);
    if (p.stage == StudyStage::preparingCache) {
        out += ", preparing the page cache";
    } else if (p.phase == Phase::measured) {
        out += fmt::format(", round {} of {}", p.round, p.rounds);
    } else {
        out += fmt::format(", {}", name(p.phase));
    }
    out += fmt::format(", {:.0f} % of the sweep", p.fraction * 100);
    if (!p.remark.empty()) {
        return out + "; " + p.remark;
    }
    return p.left ? out + fmt::format(", {} left", formatDuration(*p.left)) : out;
}

Result<StudyOrder> orderNew(const SweepOptions& options, Host& host, Chosen& chosen) {
    if (options.run.file.empty()) {
        return fail(ErrorKind::usage, "a sweep needs a FILE, or --resume STUDY.json");
    }
    const auto sizes = sizesOf(options);
    if (!sizes) {
        return tl::unexpected(sizes.error());
    }
    auto study = studyRequest(options.run, host, chosen);
    if (!study) {
        return tl::unexpected(study.error());
    }
    return StudyOrder{OrderKind::sweep, {std::move(*study), *sizes, options.morePoints}, nullptr};
}

/// Where it was measured, unless another way there is named.
Result<StudyOrder> orderResumed(SweepOptions& options) {
    auto study = loadStudy(options.resume);
    if (!study) {
        return tl::unexpected(study.error());
    }
    RunOptions& run = options.run;
    run.file = study->plan.file;
    if (run.where.host.empty()) {
        run.where.host = study->plan.host;
    }
    StudyOrder order{OrderKind::resumedSweep, {}, nullptr};
    order.request.study.workload = study->plan.workload;
    if (!study->arms.empty()) {
        order.request.study.workloadParameters = study->arms.front().workloadParameters;
    }
    order.resumed = std::make_shared<Study>(std::move(*study));
    return order;
}

/// The first argument that a resumed sweep would have to ignore; empty: none.
std::string otherThanResume(const CLI::App& command) {
    std::vector<std::string> fine{"--resume", "--quiet", "--help", "--host", "--remote-worker", "--ssh"};
    for (const OutputOption& output : outputOptions()) {
        fine.push_back(optionOf(output.format));
    }
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_single_name();
        const std::string shown = "--" + name;
        if (option->count() > 0 && std::find(fine.begin(), fine.end(), shown) == fine.end()) {
            return option->get_positional() ? "FILE" : shown;
        }
    }
    return {};
}

std::string goOn(const std::string& json) {
    return fmt::format("; go on with: mmapscope-cli sweep --resume {}", printable(json));
}

Exit sweep(SweepOptions options) {
    Chosen chosen;
    if (!options.resume.empty() && options.run.json.empty()) {
        options.run.json = options.resume;
    }
    const bool resumes = !options.resume.empty();
    auto order = resumes ? orderResumed(options) : Result<StudyOrder>();
    if (!order) {
        return report(order.error());
    }
    const auto host = options.run.where.open();
    if (!host) {
        return report(host.error());
    }
    if (!resumes) {
        order = orderNew(options, **host, chosen);
    }
    if (!order) {
        return report(order.error());
    }
    if (const auto outputs = checkOutputs(options.run, order->request.study); !outputs) {
        return report(outputs.error());
    }
    Study names;
    ProgressLine line(options.run.quiet);
    StudyEvents events;
    events.progress = [&](const Progress& p) { line.show(progressText(names, p)); };
    std::optional<Error> saveError;
    const std::string& json = options.run.json;
    events.runEnded = [&](const Study& study) {
        if (json.empty() || json == "-" || !isReplacedWhenWritten(json)) {
            return;
        }
        if (const auto saved = saveStudy(study, json); !saved && !saveError) {
            saveError = saved.error();
            line.end();
            printError(saveError->message + "; the sweep goes on and is written again at its end");
        }
    };
    const auto begin = [&](const Study& planned) {
        names = planned;
        if (!chosen.because.empty() && !options.run.quiet) {
            printError(chosen.because);
        }
    };
    auto measured = (*host)->measure(*order, begin, events, stopToken());
    line.end();
    if (!measured) {
        return report(measured.error());
    }
    const auto study = std::make_shared<const Study>(std::move(measured->study));
    const Exit written = writeAll(options.run, study, chosen.hint);
    if (stopToken().stop_requested()) {
        printError(json.empty() ? "stopped; what was done until then is above" : "stopped" + goOn(json));
        return Exit::cancelled;
    }
    if (!measured->lost.empty()) {
        printError(measured->lost + (json.empty() ? "" : goOn(json)));
        return Exit::runFailed;
    }
    if (written != Exit::done) {
        return written;
    }
    for (const RunStatus status : {RunStatus::failed, RunStatus::unavailable}) {
        for (const RunRecord& run : study->runs) {
            if (run.status == status) {
                printError(fmt::format("{} at {}: {}", study->arms[run.arm].id,
                                       run.limit ? formatBytes(*run.limit) : "", run.error));
                return status == RunStatus::failed ? Exit::runFailed : Exit::unavailable;
            }
        }
    }
    return Exit::done;
}

}  // namespace

void addSweep(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand(
        "sweep", "Compare sources over sizes: where does one become slower than the other?");
    auto options = std::make_shared<SweepOptions>();
    command->add_option("FILE", options->run.file, "The file to read; of it, the first so much");
    options->run.rounds = 7;
    options->run.warmups = 0;
    options->run.addCommonTo(*command);
    command->add_option("--sizes", options->sizes, "Sizes, such as 32MiB,128MiB,512MiB");
    command->add_option("--from", options->from, "Smallest size of an even grid (on a log scale)");
    command->add_option("--to", options->to, "Its largest size");
    command->add_option("--points", options->points, "Its sizes")
        ->capture_default_str()
        ->check(CLI::Range(2U, 200U));
    command
        ->add_option("--more-points", options->morePoints,
                     "Most sizes added where verdicts change, until crossovers are known to ±10 %")
        ->capture_default_str()
        ->check(CLI::Range(0U, 200U));
    command->add_option("--resume", options->resume, "Go on with this sweep's study file");
    command->callback([options, command, &exit] {
        if (!options->resume.empty()) {
            if (const std::string other = otherThanResume(*command); !other.empty()) {
                exit = report({ErrorKind::usage,
                               fmt::format("{} can't be changed in a sweep that goes on: leave it out, or "
                                           "begin a new one without --resume",
                                           other)});
                return;
            }
        }
        exit = sweep(*options);
    });
}

}  // namespace mmapscope::cli
