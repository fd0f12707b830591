// Every form a study can be taken away in: the one list that commands, menus and tests share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "study/study.h"

namespace mmapscope {

enum class ReportFormat { table, markdown, csv, summaryCsv, latex, html, json };

struct ReportFormatFacts {
    ReportFormat format;
    std::string_view name;    ///< as `--format` takes it; `--NAME FILE` of run and sweep but for `table`
    std::string_view what;    ///< in a few words
    std::string_view suffix;  ///< of a file in it
    bool severalInARow;       ///< whether one after the other is still that format
    std::string (*write)(const Study&);  ///< nullptr: html, whose pictures are drawn in app/publish
};

[[nodiscard]] std::span<const ReportFormatFacts> reportFormats();
[[nodiscard]] const ReportFormatFacts& factsOf(ReportFormat format);
/// nullptr: there is none of that name.
[[nodiscard]] const ReportFormatFacts* findReportFormat(std::string_view name);

}  // namespace mmapscope
