// Prints a saved study.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/cli.h"
#include "core/text.h"
#include "report/study_file.h"
#include "report/tables.h"

namespace mmapscope::cli {
namespace {

struct Format {
    const char* name;
    std::string (*write)(const Study&);
    bool severalInARow;  ///< whether one after the other is still that format
};
constexpr Format kFormats[] = {{"table", studyToText, true},
                               {"markdown", studyToMarkdown, true},
                               {"csv", runsToCsv, false},
                               {"summary-csv", summaryToCsv, false},
                               {"json", studyToJson, false}};

Exit show(const std::vector<std::string>& paths, const std::string& formatName) {
    const Format& format = *std::find_if(std::begin(kFormats), std::end(kFormats),
                                         [&](const Format& f) { return formatName == f.name; });
    if (paths.size() > 1 && !format.severalInARow) {
        return report({ErrorKind::usage,
                       fmt::format("--format {} takes one study; {} were given", formatName, paths.size())});
    }
    std::string out;
    for (const auto& path : paths) {
        const auto study = loadStudy(path);
        if (!study) {
            return report(study.error());
        }
        if (paths.size() > 1) {
            out += fmt::format("{}{}:\n\n", out.empty() ? "" : "\n", printable(path));
        }
        out += format.write(*study);
    }
    return print(out);
}

}  // namespace

void addShow(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("show", "Print saved studies");
    auto paths = std::make_shared<std::vector<std::string>>();
    auto format = std::make_shared<std::string>("table");
    std::vector<std::string> names;
    for (const auto& f : kFormats) {
        names.emplace_back(f.name);
    }
    command->add_option("STUDY", *paths, "Study files")->required();
    command
        ->add_option("--format", *format,
                     "table, markdown, csv (a row per run), summary-csv (a row per arm), json")
        ->capture_default_str()
        ->check(CLI::IsMember(names));
    command->callback([paths, format, &exit] { exit = show(*paths, *format); });
}

}  // namespace mmapscope::cli
