// Tables for people: terminal text and Markdown.
#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/fault_lines.h"
#include "report/remarks.h"
#include "report/summary_table.h"
#include "report/sweep_report.h"
#include "report/why_table.h"

namespace mmapscope {
namespace {

constexpr std::size_t kTerminalWidth = 120;
constexpr std::size_t kGap = 2;

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::size_t have = displayWidth(text);
    const std::string fill(width > have ? width - have : 0, ' ');
    return right ? fill + text : text + fill;
}

/// Ids may be longer than fits beside the figures: the first column gets what the others leave.
std::vector<std::size_t> columnWidths(const SummaryTable& table) {
    std::vector<std::size_t> widths;
    std::size_t others = 0;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::size_t width =
            std::max(displayWidth(table.columns[c].title), displayWidth(table.columns[c].unit));
        for (const auto& row : table.rows) {
            width = std::max(width, displayWidth(row[c]));
        }
        widths.push_back(width);
        others += c == 0 ? 0 : width + kGap;
    }
    const std::size_t left = kTerminalWidth > others ? kTerminalWidth - others : 0;
    widths.front() = std::min(widths.front(), std::max<std::size_t>(left, 8));
    return widths;
}

std::string textLine(const SummaryTable& table, const std::vector<std::size_t>& widths,
                     const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        line += c == 0 ? "" : std::string(kGap, ' ');
        line += padded(cells[c], widths[c], table.columns[c].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string textRow(const SummaryTable& table, const std::vector<std::size_t>& widths,
                    std::vector<std::string> row) {
    std::string out;
    if (displayWidth(row.front()) > widths.front()) {
        out = row.front() + "\n";  // on a line of its own rather than cut short
        row.front().clear();
    }
    return out + textLine(table, widths, row);
}

std::vector<std::string> titles(const SummaryTable& table, std::string TableColumn::*member) {
    std::vector<std::string> cells;
    for (const TableColumn& column : table.columns) {
        cells.push_back(column.*member);
    }
    return cells;
}

std::string markdownLine(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) {
        line += " " + cell + " |";
    }
    return line + "\n";
}

}  // namespace

std::string markdownText(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|&~").find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

std::string textTable(const SummaryTable& table) {
    const auto widths = columnWidths(table);
    std::string out = textLine(table, widths, titles(table, &TableColumn::title));
    out += textLine(table, widths, titles(table, &TableColumn::unit));
    for (const auto& row : table.rows) {
        out += textRow(table, widths, row);
    }
    return out;
}

std::string markdownTable(const SummaryTable& table) {
    std::vector<std::string> heads, rules;
    for (const TableColumn& column : table.columns) {
        heads.push_back(markdownText(
            column.unit.empty() ? column.title : fmt::format("{} ({})", column.title, column.unit)));
        rules.emplace_back(column.right ? "---:" : "---");
    }
    std::string out = markdownLine(heads) + markdownLine(rules);
    for (auto row : table.rows) {
        for (std::string& cell : row) {
            cell = markdownText(cell);
        }
        out += markdownLine(row);
    }
    return out;
}

std::string environmentLine(const Study& study) {
    const Environment& e = study.environment;
    std::string line = fmt::format("{}{}{}, {} CPU{}", e.host, e.host.empty() ? "" : ": ", e.cpu, e.cores,
                                   e.cores == 1 ? "" : "s");
    if (e.memory) {
        line += ", " + formatBytes(*e.memory);
    }
    if (e.virtualMachine) {
        line += fmt::format(", {} guest", *e.virtualMachine);
    }
    line += fmt::format("; Linux {}; {} on {} ({})", e.kernel, e.filesystem, e.device, name(e.storage));
    if (e.readAhead) {
        line += fmt::format(", readahead {}", formatBytes(*e.readAhead));
    }
    if (e.thp.enabled) {
        line += fmt::format("; THP {}", *e.thp.enabled);
    }
    return printable(fmt::format("{}; cache {}; mmapscope {}, zstd {}, OpenSSL {}", line,
                                 name(study.plan.cache), e.toolVersion, e.libzstd, e.openssl));
}

namespace {

/// Title and note, line by line.
std::vector<std::string> ownWords(const Study& study) {
    std::vector<std::string> lines;
    if (!study.title.empty()) {
        lines.push_back(printable(study.title));
    }
    std::string_view rest = study.note;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        if (end > 0) {
            lines.push_back(printable(rest.substr(0, end)));
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
}

std::string runsToText(const Study& study) {
    std::string out = planLine(study) + "\n" + environmentLine(study) + "\n\n";
    out += textTable(summaryTable(study));
    const auto lines = remarks(study);
    out += lines.empty() ? "" : "\n";
    for (const std::string& line : lines) {
        out += line + "\n";
    }
    if (const auto faults = faultLines(study); !faults.empty()) {
        out += "\nPage faults of the inspection runs\n\n";
        for (const std::string& line : faults) {
            out += line + "\n";
        }
    }
    if (const SummaryTable why = whyTable(study); !why.rows.empty()) {
        out += "\nWhere the time went\n\n" + textTable(why) + "\n";
        for (const std::string& sentence : whySentences(study)) {
            out += sentence + "\n";
        }
    }
    return out;
}

std::string runsToMarkdown(const Study& study) {
    std::string out = markdownTable(summaryTable(study));
    out += fmt::format("\n{}\n\n{}\n", markdownText(planLine(study)), markdownText(environmentLine(study)));
    const auto lines = remarks(study);
    out += lines.empty() ? "" : "\n";
    for (const std::string& line : lines) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    if (const auto faults = faultLines(study); !faults.empty()) {
        out += "\n### Page faults of the inspection runs\n\n";
        for (const std::string& line : faults) {
            out += fmt::format("- {}\n", markdownText(line));
        }
    }
    if (const SummaryTable why = whyTable(study); !why.rows.empty()) {
        out += "\n### Where the time went\n\n" + markdownTable(why) + "\n";
        for (const std::string& sentence : whySentences(study)) {
            out += fmt::format("- {}\n", markdownText(sentence));
        }
    }
    return out;
}

}  // namespace

std::string studyToText(const Study& study) {
    std::string words;
    for (const std::string& line : ownWords(study)) {
        words += line + "\n";
    }
    words += words.empty() ? "" : "\n";
    return words + (study.sweep ? sweepToText(study) : runsToText(study));
}

std::string studyToMarkdown(const Study& study) {
    std::string words;
    for (const std::string& line : ownWords(study)) {
        words += (words.empty() && !study.title.empty() ? "## " : "") + markdownText(line) + "\n\n";
    }
    return words + (study.sweep ? sweepToMarkdown(study) : runsToMarkdown(study));
}

}  // namespace mmapscope
