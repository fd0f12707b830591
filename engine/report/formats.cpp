#include "report/formats.h"

#include <algorithm>
#include <array>

#include "report/latex.h"
#include "report/study_file.h"
#include "report/tables.h"

namespace mmapscope {
namespace {

constexpr std::array<ReportFormatFacts, 7> kFormats{{
    {ReportFormat::table, "table", "text for a terminal", "txt", true, studyToText},
    {ReportFormat::markdown, "markdown", "the tables as Markdown", "md", true, studyToMarkdown},
    {ReportFormat::csv, "csv", "a row per run", "csv", false, runsToCsv},
    {ReportFormat::summaryCsv, "summary-csv", "a row per arm (of a sweep, per size and arm)", "csv", false,
     summaryToCsv},
    {ReportFormat::latex, "latex", "the tables for a LaTeX document", "tex", true, studyToLatex},
    {ReportFormat::html, "html", "a page with plots, complete in itself", "html", false, nullptr},
    {ReportFormat::json, "json", "the study file", "json", false, studyToJson},
}};

}  // namespace

std::span<const ReportFormatFacts> reportFormats() {
    return kFormats;
}

const ReportFormatFacts& factsOf(ReportFormat format) {
    return *std::find_if(kFormats.begin(), kFormats.end(),
                         [&](const ReportFormatFacts& facts) { return facts.format == format; });
}

const ReportFormatFacts* findReportFormat(std::string_view name) {
    const auto* const found = std::find_if(
        kFormats.begin(), kFormats.end(), [&](const ReportFormatFacts& facts) { return facts.name == name; });
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace mmapscope
