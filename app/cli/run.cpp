// Runs a study and prints its table.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "app/cli/run_options.h"
#include "core/text.h"
#include "report/study_file.h"
#include "report/tables.h"
#include "study/statistics.h"
#include "study/study_files.h"
#include "study/study_runner.h"

namespace mmapscope::cli {
namespace {

std::string progressText(const Study& study, const Progress& p) {
    std::string out;
    if (p.stage == StudyStage::explaining) {
        out = fmt::format("finding out where the time went, round {} of {}", p.round, p.rounds);
    } else if (p.stage == StudyStage::preparingCache) {
        out = fmt::format("preparing the page cache ({}) for {}: {:.0f} %; the study", name(study.plan.cache),
                          study.arms[p.arm].id, p.prepared * 100);
    } else if (p.phase == Phase::measured) {
        out = fmt::format("round {} of {}, {}", p.round, p.rounds, study.arms[p.arm].id);
    } else {
        out = fmt::format("{}, {}", name(p.phase), study.arms[p.arm].id);
    }
    const bool preparing = p.stage == StudyStage::preparingCache;
    out += fmt::format("{}{:.0f} %", preparing ? " " : ", ", p.fraction * 100);
    if (!p.remark.empty()) {
        return out + "; " + p.remark;
    }
    if (p.left) {
        out += fmt::format(", {} left", formatDuration(*p.left));
    }
    return out;
}

/// Whether what is printed on either stream is read in one place, such as a terminal.
bool streamsAreOne() {
    struct stat out {};
    struct stat error {};
    return ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &error) == 0 &&
           out.st_dev == error.st_dev && out.st_ino == error.st_ino;
}

/// What is shown and saved while a study runs, wherever it runs.
class Watching {
  public:
    explicit Watching(const RunOptions& options) : options_(options), line_(options.quiet) {
        events_.progress = [this](const Progress& p) { show(p); };
        events_.runEnded = [this](const Study& study) { save(study); };
        events_.roundsDone = events_.runEnded;
    }

    /// What will be measured, and why that.
    void begin(const Study& planned, const Chosen& chosen) {
        names_ = planned;
        if (!chosen.because.empty() && !options_.quiet) {
            printError(chosen.because);
        }
    }
    [[nodiscard]] const StudyEvents& events() const { return events_; }
    void end() { line_.end(); }

  private:
    void show(const Progress& p) {
        line_.show(progressText(names_, p));
        // Trouble is told once to those who want no progress.
        if (options_.quiet && !p.remark.empty() && lastTrouble_.empty()) {
            printError(p.remark);
        }
        if (options_.quiet) {
            lastTrouble_ = p.remark;
        }
    }

    void save(const Study& study) {
        if (options_.json.empty() || options_.json == "-" || !isReplacedWhenWritten(options_.json)) {
            return;
        }
        if (const auto saved = saveStudy(study, options_.json); !saved && !saveError_) {
            saveError_ = saved.error();
            line_.end();
            printError(saveError_->message + "; the study goes on and is written again at its end");
        }
    }

    const RunOptions& options_;
    ProgressLine line_;
    StudyEvents events_;
    Study names_;
    std::optional<Error> saveError_;
    std::string lastTrouble_;
};

Exit finish(const RunOptions& options, Study done, const std::string& hint) {
    const auto study = std::make_shared<const Study>(std::move(done));
    const Exit written = writeAll(options, study, hint);
    if (stopToken().stop_requested()) {
        printError("stopped; what was done until then is above");
        return Exit::cancelled;
    }
    const bool tableIsAbove = !options.writesToStandardOutput() && streamsAreOne();
    return written != Exit::done ? written : reportOutcome(*study, tableIsAbove);
}

Exit run(const RunOptions& options) {
    const auto host = options.where.open();
    if (!host) {
        return report(host.error());
    }
    Chosen chosen;
    auto request = studyRequest(options, **host, chosen);
    if (!request) {
        return report(request.error());
    }
    if (const auto outputs = checkOutputs(options, *request); !outputs) {
        return report(outputs.error());
    }
    Watching watching(options);
    auto measured = (*host)->measure(
        {OrderKind::study, {std::move(*request), {}, 0}, nullptr},
        [&](const Study& planned) { watching.begin(planned, chosen); }, watching.events(), stopToken());
    watching.end();
    if (!measured) {
        return report(measured.error());
    }
    const Exit finished = finish(options, std::move(measured->study), chosen.hint);
    if (!measured->lost.empty() && finished != Exit::cancelled) {
        printError(measured->lost);
        return Exit::runFailed;
    }
    return finished;
}

}  // namespace

void addRun(CLI::App& app, Exit& exit) {
    auto* command =
        app.add_subcommand("run", "Compare sources on a file: interleaved rounds, verified cache state");
    auto options = std::make_shared<RunOptions>();
    options->addTo(*command);
    command->footer(
        "A study has one workload, with one set of its parameters. To compare workloads, or engines of one\n"
        "(zstd:engine=stream with zstd:engine=ring), make a run for each and lay their tables side by side.");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace mmapscope::cli
