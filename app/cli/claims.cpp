// Runs the studies behind published claims and says whether they hold here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/cli/progress.h"
#include "claims/claims_report.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "report/study_file.h"
#include "run/worker_client.h"

namespace mmapscope::cli {
namespace {

struct Options {
    bool quick = false, quiet = false;
    std::vector<std::string> only;
    std::string folder, keepStudies, json, markdown, csv;
};

struct Output {
    std::string_view option;
    std::string Options::*path;
    std::string (*write)(const ClaimsReport&);
};
constexpr std::array<Output, 3> kOutputs{{{"--json", &Options::json, &claimsToJson},
                                          {"--markdown", &Options::markdown, &claimsToMarkdown},
                                          {"--csv", &Options::csv, &claimsToCsv}}};

Result<std::vector<const Claim*>> wantedClaims(const Options& options) {
    std::vector<const Claim*> claims;
    for (const Claim& claim : publishedClaims()) {
        if (options.only.empty() ||
            std::find(options.only.begin(), options.only.end(), claim.id) != options.only.end()) {
            claims.push_back(&claim);
        }
    }
    for (const std::string& id : options.only) {
        if (findClaim(id) == nullptr) {
            std::vector<std::string_view> known;
            for (const Claim& claim : publishedClaims()) {
                known.push_back(claim.id);
            }
            return fail(ErrorKind::usage, fmt::format("--only: there is no claim {}; there are {}",
                                                      printable(id), fmt::join(known, ", ")));
        }
    }
    return claims;
}

Status checkPlaces(const Options& options) {
    for (const Output& output : kOutputs) {
        const std::string& path = options.*output.path;
        for (const Output& other : kOutputs) {
            if (&other == &output || path.empty()) {
                break;
            }
            const std::string& otherPath = options.*other.path;
            if (!otherPath.empty() &&
                (path == "-" || otherPath == "-" ? path == otherPath : isSameFile(path, otherPath))) {
                return fail(ErrorKind::usage,
                            fmt::format("{} and {} both write to {}; give one another name", other.option,
                                        output.option, path == "-" ? "standard output" : printable(path)));
            }
        }
        if (!path.empty() && path != "-") {
            if (auto writable = checkWritable(path); !writable) {
                return fail(ErrorKind::usage, writable.error().message);
            }
        }
    }
    std::error_code ignored;
    if (!options.keepStudies.empty() && !std::filesystem::is_directory(options.keepStudies, ignored)) {
        return fail(ErrorKind::usage, fmt::format("--keep-studies: {} is not a folder; make it first",
                                                  printable(options.keepStudies)));
    }
    return {};
}

Exit writeReports(const Options& options, const ClaimsReport& done) {
    Exit worst = Exit::done;
    const auto keep = [&](Exit e) { worst = worst == Exit::done ? e : worst; };
    bool printed = false;
    for (const Output& output : kOutputs) {
        if (const std::string& path = options.*output.path; !path.empty()) {
            keep(writeTo(path, output.write(done)));
            printed = printed || path == "-";
        }
    }
    if (!options.keepStudies.empty()) {
        for (const auto& [id, study] : done.studies) {
            if (study.study) {
                const auto saved =
                    saveStudy(*study.study, fmt::format("{}/claims-{}.json", options.keepStudies, id));
                keep(saved ? Exit::done : report(saved.error()));
            }
        }
    }
    if (!printed) {
        keep(print(claimsToText(done)));
    }
    return worst;
}

Exit claims(const Options& options) {
    const auto wanted = wantedClaims(options);
    if (!wanted) {
        return report(wanted.error());
    }
    if (const auto places = checkPlaces(options); !places) {
        return report(places.error());
    }
    auto worker = findWorkerProgram();
    if (!worker) {
        return report(worker.error());
    }
    ProgressLine line(options.quiet);
    const auto done = runClaims(
        {options.quick, *wanted, options.folder, std::move(*worker)},
        [&](const ClaimsProgress& p) {
            line.show(fmt::format("{}: {}, {:.0f} %, at most {} left", p.study, p.doing, p.fraction * 100,
                                  formatDuration(p.left)));
        },
        stopToken());
    line.end();
    if (!done) {
        return report(done.error());
    }
    const Exit written = writeReports(options, *done);
    if (!done->complete) {
        printError("stopped; what was measured until then is told");
        return Exit::cancelled;
    }
    return written;
}

}  // namespace

void addClaims(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand(
        "claims", "Measure published claims about mmap, read and huge pages on this machine");
    auto o = std::make_shared<Options>();
    command->add_flag("--quick", o->quick, "Small samples, few rounds: less than five minutes");
    command->add_option("--only", o->only, "Only these claims, such as Z1,Z4")->delimiter(',');
    command->add_option("--folder", o->folder,
                        "Make the samples here (removed afterwards); default: the user's cache folder");
    command->add_option("--keep-studies", o->keepStudies,
                        "Save the studies behind the claims in this folder");
    command->add_option("--json", o->json, "Write the results here (- is standard output)");
    command->add_option("--markdown", o->markdown, "Write a report to post");
    command->add_option("--csv", o->csv, "Write one row per figure");
    command->add_flag("--quiet", o->quiet, "No progress");
    command->footer("The exit status says whether it could be measured, not whether claims hold.");
    command->callback([o, &exit] { exit = claims(*o); });
}

}  // namespace mmapscope::cli
