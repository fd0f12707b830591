#include "report/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/text.h"
#include "report/fault_lines.h"
#include "report/remarks.h"
#include "report/summary_table.h"
#include "report/sweep_report.h"
#include "report/tables.h"
#include "report/why_table.h"

namespace mmapscope {
namespace {

/// TeX's own characters, and those its old font encoding (OT1) has something else for.
constexpr std::array<std::pair<char, const char*>, 17> kAscii{
    {{'\\', "\\textbackslash{}"},
     {'{', "\\{"},
     {'}', "\\}"},
     {'$', "\\$"},
     {'&', "\\&"},
     {'#', "\\#"},
     {'%', "\\%"},
     {'_', "\\_"},
     {'~', "\\textasciitilde{}"},
     {'^', "\\textasciicircum{}"},
     {'<', "\\textless{}"},
     {'>', "\\textgreater{}"},
     {'|', "\\textbar{}"},
     {'"', "{''}"},
     {'`', "\\textquoteleft{}"},
     {'[', "{[}"},  // after \\\\ both would be taken for arguments
     {'*', "{*}"}}};

/// Signs of our own texts, and a few that are common in names.
constexpr std::array<std::pair<std::uint32_t, const char*>, 26> kSigns{{{0xa0, "~"},
                                                                        {0xa7, "\\S{}"},
                                                                        {0xa9, "\\copyright{}"},
                                                                        {0xb0, "$^{\\circ}$"},
                                                                        {0xb1, "$\\pm$"},
                                                                        {0xb2, "$^{2}$"},
                                                                        {0xb3, "$^{3}$"},
                                                                        {0xb5, "$\\mu$"},
                                                                        {0xb7, "$\\cdot$"},
                                                                        {0xd7, "$\\times$"},
                                                                        {0x3bc, "$\\mu$"},
                                                                        {0x2013, "--"},
                                                                        {0x2014, "---"},
                                                                        {0x2018, "\\textquoteleft{}"},
                                                                        {0x2019, "\\textquoteright{}"},
                                                                        {0x201c, "\\textquotedblleft{}"},
                                                                        {0x201d, "\\textquotedblright{}"},
                                                                        {0x2022, "$\\bullet$"},
                                                                        {0x2026, "\\ldots{}"},
                                                                        {0x2190, "$\\leftarrow$"},
                                                                        {0x2192, "$\\rightarrow$"},
                                                                        {0x2212, "$-$"},
                                                                        {0x2248, "$\\approx$"},
                                                                        {0x2265, "$\\geq$"},
                                                                        {0x25b2, "$\\uparrow$"},
                                                                        {0x25bc, "$\\downarrow$"}}};

/// Letters of Latin-1 that every encoding composes.
bool isLatinLetter(std::uint32_t c) {
    constexpr std::array<std::uint32_t, 6> kOthers{0xd0, 0xd7, 0xde, 0xf0, 0xf7, 0xfe};
    return c >= 0xc0 && c <= 0xff && std::find(kOthers.begin(), kOthers.end(), c) == kOthers.end();
}

struct Decoded {
    std::uint32_t point = 0;
    std::size_t bytes = 0;  ///< 0: no UTF-8
};

Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t bytes = first < 0x80U              ? 1
                              : (first & 0xe0U) == 0xc0U ? 2
                              : (first & 0xf0U) == 0xe0U ? 3
                              : (first & 0xf8U) == 0xf0U ? 4
                                                         : 0;
    if (bytes < 2 || text.size() < bytes) {
        return {first, bytes == 1 ? std::size_t{1} : std::size_t{0}};
    }
    std::uint32_t point = first & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return {};
        }
        point = (point << 6U) | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point < kLeast[bytes] || surrogate || point > 0x10ffff ? Decoded{} : Decoded{point, bytes};
}

std::string escaped(std::uint32_t point, std::string_view asWritten) {
    for (const auto& [c, tex] : kAscii) {
        if (point == static_cast<unsigned char>(c)) {
            return tex;
        }
    }
    for (const auto& [sign, tex] : kSigns) {
        if (point == sign) {
            return tex;
        }
    }
    if ((point >= 0x20 && point < 0x7f) || isLatinLetter(point)) {
        return std::string(asWritten);
    }
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ? fmt::format("\\textbackslash{{}}x{:02x}", point)
                                                           : fmt::format("{{[}}U+{:04X}]", point);
}

/// Prose, whose long parameters ("ticks:schema=generic,columns=5") may go on in the next line.
std::string breakable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t sign = text.find_first_of(",=:/");
        if (sign == std::string_view::npos || sign + 1 == text.size()) {
            break;
        }
        out += latexText(text.substr(0, sign + 1));
        out += text[sign + 1] == ' ' || text[sign + 1] == text[sign] ? "" : "\\allowbreak{}";
        text.remove_prefix(sign + 1);
    }
    return out + latexText(text);
}

std::string row(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
        line += (line.empty() ? "  " : " & ") + latexText(cell);
    }
    return line + " \\\\\n";
}

std::string tabular(const SummaryTable& table) {
    std::string columns;
    std::vector<std::string> titles, units;
    for (const TableColumn& column : table.columns) {
        columns += column.right ? 'r' : 'l';
        titles.push_back(column.title);
        units.push_back(column.unit);
    }
    std::string out = fmt::format("\\begin{{tabular}}{{@{{}}{}@{{}}}}\n  \\toprule\n", columns);
    out += row(titles) + row(units) + "  \\midrule\n";
    for (const auto& cells : table.rows) {
        out += row(cells);
    }
    return out + "  \\bottomrule\n\\end{tabular}%\n";
}

/// One floating table with what is to be said of it below.
std::string floating(const SummaryTable& table, const std::string& caption,
                     const std::vector<std::string>& notes) {
    constexpr std::size_t kFewColumns = 8;
    std::string out = "\\begin{table}[htbp]\n\\centering\n";
    out += table.columns.size() > kFewColumns ? "\\scriptsize\n" : "\\footnotesize\n";
    out += fmt::format("\\setlength{{\\tabcolsep}}{{3pt}}\n\\caption{{{}}}\n", breakable(caption));
    // Wider than the text it reaches into both margins alike.
    out += "\\makebox[\\linewidth][c]{%\n" + tabular(table) + "}\n";
    if (!notes.empty()) {
        out += "\n\\medskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\n";
        for (const std::string& note : notes) {
            out += breakable(note) + "\\par\n";
        }
        out += "\\end{minipage}\n";
    }
    return out + "\\end{table}\n";
}

constexpr const char* kHead =
    "% Tables by mmapscope. To use them: \\usepackage{booktabs} in the preamble, and \\input this file "
    "(UTF-8)\n"
    "% in the document. Nothing else is needed; \\usepackage[T1]{fontenc} sets < > | and quotes more "
    "nicely.\n";

std::vector<std::string> joined(std::vector<std::string> lines, const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
    return lines;
}

/// A unit that all arms' columns share is taken out of them: it is wider than their figures.
std::string takeUnit(const Study& sweep, SummaryTable& table) {
    std::string unit;
    for (std::size_t i = table.columns.size() - sweep.arms.size(); i < table.columns.size(); ++i) {
        unit = std::exchange(table.columns[i].unit, {});
    }
    return unit;
}

std::string sweepTables(const Study& sweep) {
    SummaryTable faults = sweepFaultTable(sweep);
    const std::string counted = takeUnit(sweep, faults);
    return floating(sweepTable(sweep),
                    fmt::format("Throughput by size (▲ faster, ▼ slower, = tied). {}.", planLine(sweep)),
                    joined(sweepFindings(sweep), {environmentLine(sweep)})) +
           "\n" +
           floating(faults, fmt::format("Faults and reading from storage by size: {} a run.", counted), {});
}

std::string studyTables(const Study& study) {
    std::string out =
        floating(summaryTable(study), planLine(study) + ".",
                 joined(joined(findingsInWords(study), remarks(study)), {environmentLine(study)}));
    if (const SummaryTable why = whyTable(study); !why.rows.empty()) {
        out += "\n" + floating(why, "Where the time went.", whySentences(study));
    }
    if (const auto faults = faultSentences(study); !faults.empty()) {
        out += "\n\\begin{itemize}\n";
        for (const std::string& line : faults) {
            out += "\\item " + breakable(line) + "\n";
        }
        out += "\\end{itemize}\n";
    }
    return out;
}

}  // namespace

std::string latexText(std::string_view text) {
    std::string out;
    char before = 0;
    while (!text.empty()) {
        const Decoded next = decode(text);
        if (next.bytes == 0) {
            out += fmt::format("\\textbackslash{{}}x{:02x}", static_cast<unsigned char>(text.front()));
            before = 0;
            text.remove_prefix(1);
            continue;
        }
        const char c = next.bytes == 1 ? text.front() : '\0';
        if (c == before && (c == '-' || c == '\'' || c == ',')) {
            out += "{}";  // two of them would become another sign
        }
        out += escaped(next.point, text.substr(0, next.bytes));
        before = c;
        text.remove_prefix(next.bytes);
    }
    return out;
}

std::string studyToLatex(const Study& study) {
    return kHead + (study.sweep ? sweepTables(study) : studyTables(study));
}

}  // namespace mmapscope
