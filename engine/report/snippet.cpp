#include "report/snippet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/text.h"
#include "report/snippet_texts.h"
#include "report/summary_table.h"
#include "source/source.h"
#include "study/arm_figures.h"

namespace mmapscope {
namespace {

constexpr Bytes kUsualReadAhead = kib(128);

/// What each source's program is made of, between head and main.
struct Recipe {
    std::string_view source;
    std::vector<std::string_view> parts;
    std::string_view includes, libraries;
};

const std::vector<Recipe>& recipes() {
    constexpr std::string_view kThreads = "#include <pthread.h>\n";
    static const std::vector<Recipe> all{
        {"read", {"read.c"}, "", ""},
        {"pread", {"read_at.txt", "pread.c"}, "", ""},
        {"read-hugebuf",
         {"round_up.txt", "huge.txt", "?positional=yes read_at.txt", "read-hugebuf.c"},
         "",
         ""},
        {"mmap", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-sequential", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-willneed", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-populate", {"?how=advise map_file.txt", "mmap.c"}, "", ""},
        {"mmap-hugepage", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-collapse", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-random", {"map_file.txt", "mmap.c"}, "", ""},
        {"mmap-retire", {"map_file.txt", "mmap-retire.c"}, "", ""},
        {"mmap-window", {"round_up.txt", "read_at.txt", "mmap-window.c"}, "", ""},
        {"mmap-prefetch", {"map_file.txt", "prefetch.txt", "mmap-prefetch.c"}, kThreads, " -pthread"},
        {"pread-prefetch", {"read_at.txt", "prefetch.txt", "pread-prefetch.c"}, kThreads, " -pthread"},
        {"read-thread", {"read_at.txt", "ring.txt", "read-thread.c"}, kThreads, " -pthread"},
        {"hugetlb-copy", {"round_up.txt", "huge.txt", "read_at.txt", "hugetlb-copy.c"}, "", ""},
        {"hugetlb-memfd", {"round_up.txt", "huge_size.txt", "read_at.txt", "hugetlb-memfd.c"}, "", ""},
        {"hugetlb-stream", {"round_up.txt", "huge.txt", "map_file.txt", "hugetlb-stream.c"}, "", ""},
        {"thp-copy", {"round_up.txt", "read_at.txt", "thp-copy.c"}, "", ""},
        {"direct", {"read_at.txt", "ring.txt", "direct.c"}, kThreads, " -pthread"},
        {"io-uring", {"read_at.txt", "io-uring.c"}, "#include <liburing.h>\n", " -luring"},
        {"memory", {"?huge=yes round_up.txt", "?huge=yes huge.txt", "read_at.txt", "memory.c"}, "", ""},
    };
    return all;
}

using Values = std::map<std::string, std::string, std::less<>>;

/// "?name=value rest" is its rest where that holds, "?name!=value rest" where it doesn't; a line without is
/// itself. nullopt: left out.
std::optional<std::string_view> chosen(std::string_view line, const Values& values) {
    if (!line.starts_with('?')) {
        return line;
    }
    const auto equals = line.find('=');
    const auto end = line.find(' ', equals);
    const bool negated = line[equals - 1] == '!';
    const auto name = line.substr(1, equals - 1 - (negated ? 1 : 0));
    const auto value = values.find(name);
    const bool holds = value != values.end() && value->second == line.substr(equals + 1, end - equals - 1);
    if (holds == negated) {
        return std::nullopt;
    }
    return line.substr(end);
}

std::string filled(std::string_view text, const Values& values) {
    std::string out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        auto line = chosen(text.substr(0, end), values);
        text.remove_prefix(end);
        while (line && !line->empty()) {
            const auto mark = line->find('@');
            const auto close = mark == std::string_view::npos ? mark : line->find('@', mark + 1);
            const auto value = close == std::string_view::npos
                                   ? values.end()
                                   : values.find(line->substr(mark + 1, close - mark - 1));
            if (value == values.end()) {
                out += *line;
                break;
            }
            out += line->substr(0, mark);
            out += value->second;
            line->remove_prefix(close + 1);
        }
    }
    return out;
}

std::string_view textOf(std::string_view name) {
    const auto texts = snippetTexts();
    return std::find_if(texts.begin(), texts.end(),
                        [&](const SnippetText& text) { return text.name == name; })
        ->text;
}

/// A comment's text can neither end it nor begin another.
std::string commentText(std::string text) {
    for (const char* mark : {"*/", "/*"}) {
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
            text.insert(at + 1, 1, ' ');
        }
    }
    return text;
}

std::string wrappedComment(const std::string& text) {
    constexpr std::size_t kWidth = 104;
    std::string out;
    std::size_t column = 0;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = std::min(rest.find_first_of(" \n"), rest.size());
        const bool newLine = column == 0 || column + end + 1 > kWidth;
        out += newLine ? (out.empty() ? " * " : "\n * ") : " ";
        out += rest.substr(0, end);
        column = newLine ? end + 3 : column + end + 1;
        if (end < rest.size() && rest[end] == '\n') {
            column = 0;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out.empty() ? out : out + "\n";
}

}  // namespace

Result<std::string> snippetOf(const std::string& source, const Parameters& parameters,
                              std::optional<Bytes> readAhead, const std::string& measured) {
    const SourceType* const type = findSource(source);
    const auto recipe = std::find_if(recipes().begin(), recipes().end(),
                                     [&](const Recipe& one) { return one.source == source; });
    if (type == nullptr || recipe == recipes().end()) {
        return fail(ErrorKind::usage, fmt::format("no source \"{}\" that a program could be made of; "
                                                  "mmapscope-cli arms lists them",
                                                  printable(source)));
    }
    Values values{{"source", source},
                  {"readahead", fmt::format("{}", readAhead.value_or(kUsualReadAhead).count())},
                  {"summary", commentText(std::string(type->summary))},
                  {"includes", std::string(recipe->includes)},
                  {"libraries", std::string(recipe->libraries)},
                  {"measured", wrappedComment(commentText(measured))}};
    std::string title = source;
    for (const ParameterSpec& spec : type->parameters) {
        const auto given = parameters.find(std::string(spec.name));
        std::string value = given == parameters.end() ? std::string(spec.defaultValue) : given->second;
        title += fmt::format("{}{}={}", title == source ? ":" : ",", spec.name, value);
        // What a file says becomes program text only where it is of the kind.
        const auto fits = parseParameters(type->parameters, fmt::format("{}={}", spec.name, value));
        if (!fits) {
            return tl::unexpected(fits.error());
        }
        if (spec.kind == ParameterKind::bytes) {
            value =
                fmt::format("{}", parseBytes(fits->at(std::string(spec.name))).value_or(Bytes(1)).count());
        }
        values[std::string(spec.name)] = value;
    }
    values["title"] = commentText(printable(title));
    std::string out = filled(textOf("head.txt"), values);
    for (const std::string_view part : recipe->parts) {
        if (auto name = chosen(part, values)) {
            name->remove_prefix(name->find_first_not_of(' '));
            out += filled(textOf(*name), values);
        }
    }
    return out + std::string(textOf("main.txt"));
}

Result<std::string> snippetOfStudy(const Study& study, const std::string& id) {
    std::optional<std::uint32_t> arm;
    double best = 0;
    for (const ArmSummary& summary : study.summary) {
        const Arm& one = study.arms[summary.arm];
        const double rate =
            summary.verdict == Verdict::unranked ? 0 : summary.medianBytesPerSecond.value_or(0);
        // Whose bytes are in memory before the clock starts is no way to get them.
        const bool wins = id.empty() && one.source != "memory" && rate > best;
        if (one.id == id || wins) {
            arm = summary.arm;
            best = rate;
        }
    }
    if (!arm) {
        return fail(ErrorKind::usage,
                    id.empty() ? std::string("no arm of this study has figures; name one with --arm")
                               : fmt::format("the study has no arm \"{}\"; mmapscope-cli show lists them",
                                             printable(id)));
    }
    const Arm& one = study.arms[*arm];
    std::string measured;
    if (const auto rate = study.summary[*arm].medianBytesPerSecond) {
        measured =
            fmt::format("Measured: {} with {} ({}), {} on Linux {}; cache {}.", formatRate(*rate),
                        workloadText(study), formatBytes(study.plan.limit.value_or(study.plan.fileBytes)),
                        printable(study.environment.filesystem), printable(study.environment.kernel),
                        name(study.plan.cache));
        if (one.threads > 1) {
            measured += fmt::format(" There by {} threads, each with a part of the file.", one.threads);
        }
    }
    return snippetOf(one.source, one.sourceParameters, study.environment.readAhead, measured);
}

}  // namespace mmapscope
