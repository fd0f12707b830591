#include "app/cli/plain_markdown.h"

#include <algorithm>
#include <vector>

#include "report/summary_table.h"

namespace mmapscope::cli {
namespace {

constexpr std::size_t kColumns = 90;

/// Without `*`, backticks and the backslashes that stand before marks; "[words](link)" → "words (link)".
std::string plainLine(std::string_view line) {
    std::string out;
    bool code = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\\' && !code && i + 1 < line.size() &&
            std::string_view("\\`*_{}[]<>#|&~").find(line[i + 1]) != std::string_view::npos) {
            out += line[++i];
        } else if (c == '`') {
            code = !code;
        } else if (c != '*' || code) {
            out += c;
        }
    }
    return out;
}

std::vector<std::string> cellsOf(std::string_view row) {
    std::vector<std::string> cells;
    std::string cell;
    for (std::size_t i = 1; i < row.size(); ++i) {
        if (row[i] == '|' && row[i - 1] != '\\') {
            const std::size_t first = std::min(cell.find_first_not_of(' '), cell.size());
            cell.erase(0, first);
            cell.erase(cell.find_last_not_of(' ') + 1);
            cells.push_back(plainLine(cell));
            cell.clear();
        } else {
            cell += row[i];
        }
    }
    return cells;
}

bool isRule(const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
}

std::string table(const std::vector<std::string>& rows) {
    std::vector<std::vector<std::string>> cells;
    std::vector<std::size_t> widths;
    for (const std::string& row : rows) {
        auto line = cellsOf(row);
        if (line.empty() || std::all_of(line.begin(), line.end(), isRule)) {
            continue;
        }
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], displayWidth(line[i]));
        }
        cells.push_back(std::move(line));
    }
    std::string out;
    for (const auto& line : cells) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string blanks(widths[i] - displayWidth(line[i]), ' ');
            text += (i == 0 ? line[i] + blanks : "  " + blanks + line[i]);
        }
        out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
}

std::string wrapped(const std::string& text, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = text.find_first_not_of(' ', at);
        if (start == std::string::npos) {
            break;
        }
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        if (column > 0 && column + 1 + displayWidth(word) > kColumns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += displayWidth(word);
        at = end;
    }
    return out + '\n';
}

class Writer {
  public:
    void take(const std::string& line) {
        if (line.starts_with("```")) {
            flush();
            code_ = !code_;
        } else if (code_) {
            out_ += "    " + line + '\n';
        } else if (line.starts_with('|')) {
            endParagraph();
            rows_.push_back(line);
        } else if (line.find_first_not_of(' ') == std::string::npos) {
            flush();
            out_ += out_.ends_with("\n\n") || out_.empty() ? "" : "\n";
        } else if (line.starts_with('#')) {
            flush();
            const std::string title = plainLine(line.substr(line.find_first_not_of("# ")));
            out_ +=
                title + '\n' + std::string(displayWidth(title), line.starts_with("# ") ? '=' : '-') + '\n';
        } else {
            takeWords(line);
        }
    }

    std::string text() {
        flush();
        return std::move(out_);
    }

  private:
    void takeWords(const std::string& line) {
        endTable();
        const std::size_t first = line.find_first_not_of(' ');
        const bool item = line.compare(first, 2, "- ") == 0 ||
                          (std::isdigit(static_cast<unsigned char>(line[first])) != 0 &&
                           line.find(". ") == line.find_first_not_of("0123456789", first));
        if (item) {
            endParagraph();
            indent_ = line.find(' ', first) + 1;
        }
        paragraph_ += (paragraph_.empty() ? "" : " ") + plainLine(line);
    }
    void endParagraph() {
        if (!paragraph_.empty()) {
            out_ += wrapped(paragraph_, indent_);
        }
        paragraph_.clear();
        indent_ = 0;
    }
    void endTable() {
        if (!rows_.empty()) {
            out_ += table(rows_);
        }
        rows_.clear();
    }
    void flush() {
        endParagraph();
        endTable();
    }

    std::string out_, paragraph_;
    std::vector<std::string> rows_;
    std::size_t indent_ = 0;
    bool code_ = false;
};

}  // namespace

std::string plainMarkdown(std::string_view markdown) {
    Writer writer;
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        writer.take(std::string(markdown.substr(0, end)));
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    return writer.text();
}

}  // namespace mmapscope::cli
