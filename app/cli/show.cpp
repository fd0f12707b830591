// Prints a saved study, writes it in another format, or draws one of its plots.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/publish/publish.h"
#include "core/text.h"
#include "report/snippet.h"
#include "report/study_file.h"
#include "study/study_files.h"

namespace mmapscope::cli {
namespace {

struct ShowOptions {
    std::vector<std::string> studies;
    std::string format = "table";
    std::string out;
    std::string plot, size, theme = "light";
    std::string snippet, arm;
    double scale = 1;
};

/// "1200x700", or "1200" where the height is left to the picture.
Status readSize(const std::string& text, PlotOptions& options) {
    const char* const end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, options.width);
    if (error == std::errc() && rest != end && *rest == 'x') {
        const auto second = std::from_chars(rest + 1, end, options.height);
        rest = second.ptr;
        error = options.height == 0 ? std::errc::invalid_argument : second.ec;
    }
    if (error != std::errc() || rest != end) {
        return fail(
            ErrorKind::usage,
            fmt::format("--size {}: give WIDTHxHEIGHT, such as 1200x700, or a WIDTH alone and the height "
                        "is what suits the picture",
                        printable(text)));
    }
    return {};
}

/// What is written can be, and overwrites nothing that is read.
Status checkOut(const std::string& out, const std::vector<std::string>& studies) {
    if (out.empty() || out == "-") {
        return {};
    }
    for (const std::string& study : studies) {
        if (isSameFile(out, study)) {
            return fail(ErrorKind::usage, fmt::format("--out {} is the study that is read and would be "
                                                      "overwritten; choose another name",
                                                      printable(out)));
        }
    }
    const auto writable = checkWritable(out);
    return writable ? Status() : fail(ErrorKind::usage, writable.error().message);
}

using SharedStudy = std::shared_ptr<const Study>;

Result<SharedStudy> load(const std::string& path, const std::string& out) {
    auto study = loadStudy(path);
    if (!study) {
        return tl::unexpected(study.error());
    }
    auto shared = std::make_shared<const Study>(std::move(*study));
    if (!out.empty() && out != "-") {
        if (const Status keeps = checkKeepsRead(out, *shared); !keeps) {
            return tl::unexpected(keeps.error());
        }
    }
    return shared;
}

Exit showPlot(const ShowOptions& options) {
    if (options.studies.size() > 1) {
        return report(
            {ErrorKind::usage, fmt::format("--plot takes one study; {} were given", options.studies.size())});
    }
    if (options.out.empty()) {
        return report(
            {ErrorKind::usage,
             "--plot needs --out FILE: where to, and by its suffix (.svg, .png, .pdf) in what form"});
    }
    PlotOptions plot;
    plot.kind = std::find_if(plotKinds().begin(), plotKinds().end(), [&](const PlotKindFacts& kind) {
                    return kind.name == options.plot;
                })->kind;
    plot.scale = options.scale;
    plot.dark = options.theme == "dark";
    if (!options.size.empty()) {
        if (const Status read = readSize(options.size, plot); !read) {
            return report(read.error());
        }
    }
    const auto format = plotFormatOf(options.out);
    if (!format) {
        return report({ErrorKind::usage, "--out " + format.error().message});
    }
    plot.format = *format;
    for (const Status& status :
         {checkPlotOptions(plot), checkDrawing(), checkOut(options.out, options.studies)}) {
        if (!status) {
            return report(status.error());
        }
    }
    const auto study = load(options.studies.front(), options.out);
    if (!study) {
        return report(study.error());
    }
    const auto content = plotOf(*study, plot);
    if (!content) {
        return report({content.error().kind,
                       fmt::format("{}: {}", printable(options.studies.front()), content.error().message)});
    }
    return writeTo(options.out, *content);
}

Exit showReport(const ShowOptions& options) {
    const auto& studies = options.studies;
    const ReportFormatFacts& format = *findReportFormat(options.format);
    if (studies.size() > 1 && !format.severalInARow) {
        return report({ErrorKind::usage, fmt::format("--format {} takes one study; {} were given",
                                                     format.name, studies.size())});
    }
    for (const Status& status :
         {format.write == nullptr ? checkDrawing() : Status(), checkOut(options.out, studies)}) {
        if (!status) {
            return report(status.error());
        }
    }
    std::string out;
    for (const std::string& path : studies) {
        const auto study = load(path, options.out);
        if (!study) {
            return report(study.error());
        }
        auto content = reportOf(*study, format.format);
        if (content && format.format == ReportFormat::json) {
            content = asStudyFile(std::move(*content), options.out);
        }
        if (!content) {
            return report(content.error());
        }
        if (studies.size() > 1) {
            const bool latex = format.format == ReportFormat::latex;
            out += fmt::format("{}{}{}:\n\n", out.empty() ? "" : "\n", latex ? "% " : "", printable(path));
        }
        out += *content;
    }
    return writeTo(options.out.empty() ? "-" : options.out, out);
}

Exit showSnippet(const ShowOptions& options) {
    if (options.studies.size() > 1) {
        return report({ErrorKind::usage,
                       fmt::format("--snippet takes one study; {} were given", options.studies.size())});
    }
    if (const Status fit = checkOut(options.out, options.studies); !fit) {
        return report(fit.error());
    }
    const auto study = load(options.studies.front(), options.out);
    if (!study) {
        return report(study.error());
    }
    const auto program = snippetOfStudy(**study, options.arm);
    return program ? writeTo(options.out.empty() ? "-" : options.out, *program) : report(program.error());
}

template <class Facts>
std::vector<std::string> namesOf(std::span<const Facts> all) {
    std::vector<std::string> names;
    for (const Facts& facts : all) {
        names.emplace_back(facts.name);
    }
    return names;
}

template <class Facts>
std::string helpOf(std::span<const Facts> all) {
    std::vector<std::string> parts;
    for (const Facts& facts : all) {
        parts.push_back(fmt::format("{} ({})", facts.name, facts.what));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void addShow(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("show", "Print saved studies, or draw one");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("STUDY", options->studies, "Study files")->required();
    auto* const format = command->add_option("--format", options->format, helpOf(reportFormats()))
                             ->capture_default_str()
                             ->check(CLI::IsMember(namesOf(reportFormats())));
    command->add_option("--out", options->out, "Write it here; default and -: standard output");
    auto* const plot = command->add_option("--plot", options->plot, "Draw instead: " + helpOf(plotKinds()))
                           ->check(CLI::IsMember(namesOf(plotKinds())))
                           ->excludes(format);
    command
        ->add_option("--size", options->size,
                     "WIDTHxHEIGHT of the plot in 1/96 inch, or the WIDTH alone; default 1200")
        ->needs(plot);
    command->add_option("--scale", options->scale, "Pixels of a PNG for each of those, or how much larger")
        ->capture_default_str()
        ->needs(plot);
    command->add_option("--theme", options->theme, "light or dark")
        ->capture_default_str()
        ->check(CLI::IsMember({"light", "dark"}))
        ->needs(plot);
    auto* const snippet = command
                              ->add_option("--snippet", options->snippet,
                                           "The fastest arm as a program to start from, in that language: c")
                              ->check(CLI::IsMember({"c"}))
                              ->excludes(format)
                              ->excludes(plot);
    command->add_option("--arm", options->arm, "Another arm for --snippet, by its id")->needs(snippet);
    command->callback([options, &exit] {
        if (!options->snippet.empty()) {
            exit = showSnippet(*options);
            return;
        }
        exit = options->plot.empty() ? showReport(*options) : showPlot(*options);
    });
}

}  // namespace mmapscope::cli
