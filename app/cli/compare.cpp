// Saved studies side by side; fit to stand in a script that refuses what has become slower.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "core/text.h"
#include "report/comparison.h"
#include "report/study_file.h"
#include "study/study_files.h"

namespace mmapscope::cli {
namespace {

struct CompareFormat {
    const char* name;
    std::string (*write)(const SideBySide&);
};
constexpr std::array<CompareFormat, 4> kFormats{{{"table", comparisonToText},
                                                 {"markdown", comparisonToMarkdown},
                                                 {"csv", comparisonToCsv},
                                                 {"json", comparisonToJson}}};

struct CompareOptions {
    std::vector<std::string> studies;
    std::vector<std::string> names;
    std::string format = "table";
    std::string out;
    std::optional<double> failIfSlower;
};

std::vector<std::string> namesOf(const auto& formats) {
    std::vector<std::string> names;
    for (const CompareFormat& format : formats) {
        names.emplace_back(format.name);
    }
    return names;
}

Status check(const CompareOptions& options) {
    if (options.studies.size() < 2) {
        return fail(ErrorKind::usage, "compare needs two studies or more, the one to compare with first");
    }
    if (!options.names.empty() && options.names.size() != options.studies.size()) {
        return fail(
            ErrorKind::usage,
            fmt::format("--names has {} names for {} studies; give one for each, separated by commas, "
                        "the same one for studies of one side",
                        options.names.size(), options.studies.size()));
    }
    if (options.out.empty() || options.out == "-") {
        return {};
    }
    for (const std::string& study : options.studies) {
        if (isSameFile(options.out, study)) {
            return fail(ErrorKind::usage,
                        fmt::format("--out {} is one of the studies and would be overwritten; choose another "
                                    "name",
                                    printable(options.out)));
        }
    }
    const auto writable = checkWritable(options.out);
    return writable ? Status() : fail(ErrorKind::usage, "--out " + writable.error().message);
}

/// Whether any arm got slower by more than that, which is told.
bool anySlower(const std::vector<NamedStudy>& studies, double percent) {
    const auto judged = compareStudies(studies, percent / 100);
    bool any = false;
    for (const ComparedRow& row : judged->rows) {
        for (std::size_t side = 1; side < row.sides.size(); ++side) {
            const auto& change = row.sides[side].change;
            if (change && change->verdict == Verdict::slower) {
                any = true;
                printError(fmt::format(
                    "{} is slower in {} than in {} by more than {} %: {:.3f} [{:.3f}–{:.3f}] times as fast",
                    printable(row.id), printable(judged->sides[side].name),
                    printable(judged->sides.front().name), percent, change->interval.ratio,
                    change->interval.low, change->interval.high));
            }
        }
    }
    return any;
}

Exit compare(const CompareOptions& options) {
    if (const Status fit = check(options); !fit) {
        return report(fit.error());
    }
    const auto names = options.names.empty() ? namesOfStudies(options.studies) : options.names;
    std::vector<NamedStudy> studies;
    for (std::size_t i = 0; i < options.studies.size(); ++i) {
        auto study = loadStudy(options.studies[i]);
        if (!study) {
            return report(study.error());
        }
        studies.push_back({names[i], std::make_shared<const Study>(std::move(*study))});
    }
    const auto compared = compareStudies(studies);
    if (!compared) {
        return report(compared.error());
    }
    const auto* const format = std::find_if(kFormats.begin(), kFormats.end(),
                                            [&](const auto& one) { return options.format == one.name; });
    if (const Exit written = writeTo(options.out.empty() ? "-" : options.out, format->write(*compared));
        written != Exit::done) {
        return written;
    }
    for (const ComparedSide& side : compared->sides) {
        if (!side.refusal.empty()) {
            return report(
                {ErrorKind::usage, fmt::format("{} can't be compared with {}: {}", printable(side.name),
                                               printable(compared->sides.front().name), side.refusal)});
        }
    }
    if (!compared->hasChanges()) {
        return report({ErrorKind::usage, "no arm is in all of these studies with figures to compare"});
    }
    return options.failIfSlower && anySlower(studies, *options.failIfSlower) ? Exit::slower : Exit::done;
}

}  // namespace

void addCompare(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("compare", "Put saved studies side by side, each against the first");
    auto options = std::make_shared<CompareOptions>();
    command
        ->add_option("STUDY", options->studies, "Study files; the first is what the others are held against")
        ->required();
    command
        ->add_option("--names", options->names,
                     "A name for each, separated by commas; studies with one name are taken together as one "
                     "side, and from three a side on what they differ by among themselves is measured")
        ->delimiter(',');
    command->add_option("--format", options->format, "table, markdown, csv or json")
        ->capture_default_str()
        ->check(CLI::IsMember(namesOf(kFormats)));
    command->add_option("--out", options->out, "Write it here; default and -: standard output");
    command
        ->add_option("--fail-if-slower", options->failIfSlower,
                     "End with status 4 when an arm got slower by more than PERCENT, beyond its interval")
        ->check(CLI::Range(0.0, 99.0));
    command->callback([options, &exit] { exit = compare(*options); });
}

}  // namespace mmapscope::cli
