#include "lesson/markdown_rules.h"

#include <cctype>

#include "probe/fields.h"

namespace mmapscope {
namespace {

bool isLetter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// "<b>", "</b>", "<!-- -->"; not "<https://…>" or "a < b".
bool hasHtml(const std::string& line) {
    for (std::size_t at = line.find('<'); at != std::string::npos; at = line.find('<', at + 1)) {
        const std::string rest = line.substr(at + 1);
        if (rest.starts_with("!--")) {
            return true;
        }
        const std::size_t start = rest.starts_with('/') ? 1 : 0;
        std::size_t end = start;
        while (end < rest.size() && (isLetter(rest[end]) || (end > start && std::isdigit(rest[end]) != 0))) {
            ++end;
        }
        if (end > start && (end == rest.size() || rest[end] == '>' || rest[end] == ' ' || rest[end] == '/')) {
            return rest.find('>') != std::string::npos || end == rest.size();
        }
    }
    return false;
}

/// "$x$", "$$", "\(x\)"; not "5 $ or 6 $".
bool hasMath(const std::string& line) {
    if (line.find("$$") != std::string::npos || line.find("\\(") != std::string::npos ||
        line.find("\\[") != std::string::npos) {
        return true;
    }
    const std::size_t open = line.find('$');
    if (open == std::string::npos || open + 1 >= line.size() || line[open + 1] == ' ') {
        return false;
    }
    const std::size_t close = line.find('$', open + 1);
    return close != std::string::npos && line[close - 1] != ' ' &&
           (close + 1 == line.size() || std::isdigit(static_cast<unsigned char>(line[close + 1])) == 0);
}

bool hasAnchor(const std::string& line) {
    return line.find("](#") != std::string::npos || line.find("{#") != std::string::npos;
}

}  // namespace

std::string withoutCode(const std::string& line) {
    std::string out = line;
    std::size_t at = 0;
    while ((at = out.find('`', at)) != std::string::npos) {
        const std::size_t ticks = std::min(out.find_first_not_of('`', at), out.size()) - at;
        const std::size_t close = out.find(std::string(ticks, '`'), at + ticks);
        if (close == std::string::npos) {
            break;
        }
        out.replace(at, close + ticks - at, close + ticks - at, ' ');
        at = close + ticks;
    }
    return out;
}

void checkMarkdown(std::span<const std::string> lines, std::size_t firstLine,
                   std::vector<LessonRemark>& remarks) {
    std::size_t fence = 0;  // line where a block of code began
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t number = firstLine + i;
        const std::string_view words = trimmed(lines[i]);
        if (words.starts_with("```") || words.starts_with("~~~")) {
            fence = fence == 0 ? number : 0;
            continue;
        }
        if (fence != 0) {
            continue;
        }
        const std::string line = withoutCode(lines[i]);
        const auto remark = [&](const char* text) { remarks.push_back({number, true, text}); };
        if (hasHtml(line)) {
            remark("raw HTML is shown as text; use Markdown, or `code` for what is to be read as it stands");
        }
        if (hasMath(line)) {
            remark("mathematics between dollar signs is shown as text; write it in words or as `code`");
        }
        if (hasAnchor(line)) {
            remark("links to a place in the page lead nowhere; name the part in words");
        }
        if (line.find("![") != std::string::npos) {
            remark("a lesson has no pictures beside its plot; describe it, or leave it out");
        }
        if (line.find("[^") != std::string::npos) {
            remark("footnotes are shown as text; put it into the sentence, or under sources");
        }
    }
    if (fence != 0) {
        remarks.push_back({fence, true, "a block of code begins here and has no end; close it with ```"});
    }
}

}  // namespace mmapscope
