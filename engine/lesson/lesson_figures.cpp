#include "lesson/lesson_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/nearest.h"
#include "core/text.h"
#include "probe/fields.h"
#include "report/summary_table.h"
#include "report/tables.h"
#include "study/arm_figures.h"

namespace mmapscope {
namespace {

std::string asBytes(double value) {
    return formatBytes(Bytes(static_cast<std::uint64_t>(std::llround(value))));
}
std::string asTime(double value) {
    return formatDuration(Nanoseconds(std::llround(value)));
}
std::string asRatio(double value) {
    return fmt::format("{:.2f}", value);
}
std::string asShare(double value) {
    return fmt::format("{:.0f} %", value * 100);
}
std::string asYesNo(double value) {
    return value > 0 ? "1" : "0";
}

LessonFigure none(std::string reason) {
    return {std::nullopt, {}, std::move(reason)};
}

LessonFigure numberOf(const std::optional<double>& value, std::string (*text)(double),
                      std::string_view reason) {
    return value ? LessonFigure{value, text(*value), {}} : none(std::string(reason));
}

constexpr std::string_view kNotTold = "the runs didn't tell it";
constexpr std::string_view kNoDisk = "the kernel doesn't count what this process reads from storage";
constexpr std::string_view kNoMapping = "no mapping of this arm was seen in /proc/PID/smaps";

/// What one arm's figures are computed from.
struct OfArm {
    const Study& study;
    std::uint32_t arm;
    ArmFigures figures;
    const ArmSummary* summary;
    const MappingFacts* mapping;  ///< nullptr: none was seen
    const CacheFacts* cache;

    [[nodiscard]] double bytes() const {
        return static_cast<double>(study.plan.limit.value_or(study.plan.fileBytes).count());
    }
    [[nodiscard]] std::optional<double> bytesPerFault() const {
        return figures.minorFaults && *figures.minorFaults > 0 ? std::optional(bytes() / *figures.minorFaults)
                                                               : std::nullopt;
    }
};

OfArm ofArm(const Study& study, std::uint32_t arm) {
    OfArm of{study, arm, figuresOf(study, arm), nullptr, nullptr, nullptr};
    for (const ArmSummary& summary : study.summary) {
        if (summary.arm == arm) {
            of.summary = &summary;
        }
    }
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && run.status == RunStatus::ok) {
            of.cache = &run.cache;
            if (run.phase == Phase::inspection && run.mapping) {
                of.mapping = &*run.mapping;
            }
        }
    }
    return of;
}

LessonFigure ofSummary(const OfArm& a, std::optional<double> ArmSummary::*member) {
    if (a.summary == nullptr) {
        return none(std::string(kNotTold));
    }
    return numberOf(a.summary->*member, asRatio,
                    a.summary->unrankedReason.empty() ? kNotTold : a.summary->unrankedReason);
}

LessonFigure ofMapping(const OfArm& a, std::optional<Bytes> MappingFacts::*member) {
    const auto value = a.mapping == nullptr ? std::nullopt : a.mapping->*member;
    return numberOf(value ? std::optional(static_cast<double>(value->count())) : std::nullopt, asBytes,
                    kNoMapping);
}

LessonFigure interval(const OfArm& a) {
    if (a.summary == nullptr || !a.summary->ratioLow || !a.summary->ratioHigh) {
        return ofSummary(a, &ArmSummary::ratioLow);
    }
    return {std::nullopt, fmt::format("{:.2f} to {:.2f}", *a.summary->ratioLow, *a.summary->ratioHigh), {}};
}

LessonFigure verdict(const OfArm& a) {
    return a.summary == nullptr ? none(std::string(kNotTold))
                                : LessonFigure{std::nullopt, std::string(name(a.summary->verdict)), {}};
}

std::optional<double> ratioOf(const std::optional<double>& part, const std::optional<double>& whole) {
    return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

struct ArmFigureName {
    FigureName name;
    LessonFigure (*get)(const OfArm&);
};

const std::vector<ArmFigureName>& armFigureNames() {
    static const std::vector<ArmFigureName> kNames{
        {{"ratio", "throughput over the baseline's; above 1 is faster"},
         [](const OfArm& a) { return ofSummary(a, &ArmSummary::ratio); }},
        {{"ratio_low", "lower end of its 95 % interval"},
         [](const OfArm& a) { return ofSummary(a, &ArmSummary::ratioLow); }},
        {{"ratio_high", "upper end of its 95 % interval"},
         [](const OfArm& a) { return ofSummary(a, &ArmSummary::ratioHigh); }},
        {{"interval", "both ends, in words", true, false}, interval},
        {{"verdict", "baseline, faster, slower, tied or unranked", true, false}, verdict},
        {{"wall", "median time of a run, ns"},
         [](const OfArm& a) { return numberOf(a.figures.wallNs, asTime, kNotTold); }},
        {{"setup", "median time to the first byte delivered, ns"},
         [](const OfArm& a) { return numberOf(a.figures.setupNs, asTime, kNotTold); }},
        {{"setup_share", "setup over wall, 0 to 1"},
         [](const OfArm& a) {
             return numberOf(ratioOf(a.figures.setupNs, a.figures.wallNs), asShare, kNotTold);
         }},
        {{"cpu", "median CPU time of the arm's threads, ns"},
         [](const OfArm& a) { return numberOf(a.figures.cpuNs, asTime, kNotTold); }},
        {{"rate", "median throughput, bytes a second"},
         [](const OfArm& a) {
             return numberOf(a.summary == nullptr ? std::nullopt : a.summary->medianBytesPerSecond,
                             formatRate, kNotTold);
         }},
        {{"minor_faults", "median minor faults of the arm's threads a run"},
         [](const OfArm& a) { return numberOf(a.figures.minorFaults, countWords, kNotTold); }},
        {{"major_faults", "median major faults of the arm's threads a run"},
         [](const OfArm& a) { return numberOf(a.figures.majorFaults, countWords, kNotTold); }},
        {{"bytes_per_fault", "bytes of the file over minor faults"},
         [](const OfArm& a) { return numberOf(a.bytesPerFault(), asBytes, "a run took no minor fault"); }},
        {{"pages_per_fault", "pages of the file over minor faults"},
         [](const OfArm& a) {
             return numberOf(
                 ratioOf(a.bytesPerFault(), static_cast<double>(a.study.environment.page.count())),
                 countWords, "a run took no minor fault");
         }},
        {{"switches", "median context switches a run"},
         [](const OfArm& a) { return numberOf(a.figures.switches, countWords, kNotTold); }},
        {{"storage_read", "median bytes read from storage a run"},
         [](const OfArm& a) { return numberOf(a.figures.storageReadBytes, asBytes, kNoDisk); }},
        {{"private_peak", "most private memory, bytes"},
         [](const OfArm& a) { return numberOf(a.figures.peakPrivateBytes, asBytes, kNotTold); }},
        {{"hugetlb_peak", "most memory in huge pages of the pool, bytes"},
         [](const OfArm& a) { return numberOf(a.figures.peakHugetlbBytes, asBytes, kNotTold); }},
        {{"mapped_cache_peak", "most page cache mapped at once, bytes"},
         [](const OfArm& a) { return numberOf(a.figures.peakMappedCacheBytes, asBytes, kNotTold); }},
        {{"thp_eligible", "THPeligible in smaps: 1 or 0"},
         [](const OfArm& a) {
             const bool known = a.mapping != nullptr && a.mapping->thpEligible.has_value();
             return numberOf(known ? std::optional(*a.mapping->thpEligible ? 1.0 : 0.0) : std::nullopt,
                             asYesNo, kNoMapping);
         }},
        {{"file_pmd_mapped", "FilePmdMapped in smaps, bytes"},
         [](const OfArm& a) { return ofMapping(a, &MappingFacts::filePmdMapped); }},
        {{"anon_huge", "AnonHugePages in smaps, bytes"},
         [](const OfArm& a) { return ofMapping(a, &MappingFacts::anonHuge); }},
        {{"page_tables", "page tables of the process, bytes"},
         [](const OfArm& a) { return ofMapping(a, &MappingFacts::pageTables); }},
        {{"cached_before", "share of the file in the page cache before the last run, 0 to 1"},
         [](const OfArm& a) {
             return numberOf(a.cache == nullptr ? std::nullopt : a.cache->residentBefore, asShare, kNotTold);
         }},
    };
    return kNames;
}

LessonFigure words(std::string text) {
    return text.empty() ? none("this system doesn't tell it")
                        : LessonFigure{std::nullopt, std::move(text), {}};
}
LessonFigure amount(std::optional<Bytes> bytes, std::string_view reason) {
    return numberOf(bytes ? std::optional(static_cast<double>(bytes->count())) : std::nullopt, asBytes,
                    reason);
}

struct StudyFigureName {
    FigureName name;
    LessonFigure (*get)(const Study&);
};

const std::vector<StudyFigureName>& studyFigureNames() {
    static const std::vector<StudyFigureName> kNames{
        {{"bytes", "size of the sample, bytes", false},
         [](const Study& s) { return amount(s.plan.limit.value_or(s.plan.fileBytes), kNotTold); }},
        {{"pages", "pages of the sample", false},
         [](const Study& s) {
             const double bytes = static_cast<double>(s.plan.limit.value_or(s.plan.fileBytes).count());
             return numberOf(std::ceil(bytes / static_cast<double>(s.environment.page.count())), countWords,
                             kNotTold);
         }},
        {{"page", "size of a page, bytes", false},
         [](const Study& s) { return amount(s.environment.page, kNotTold); }},
        {{"rounds", "measured runs of each arm", false},
         [](const Study& s) { return numberOf(static_cast<double>(s.plan.rounds), countWords, kNotTold); }},
        {{"memory_cap", "the cap on each run, bytes", false},
         [](const Study& s) { return amount(s.plan.memoryCap, "this study has no memory cap"); }},
        {{"read_ahead", "readahead of the sample's device, bytes", false},
         [](const Study& s) {
             return amount(s.environment.readAhead, "the filesystem has no device that tells it");
         }},
        {{"filesystem", "the sample's filesystem", false, false},
         [](const Study& s) { return words(s.environment.filesystem); }},
        {{"storage", "what the sample lies on", false, false},
         [](const Study& s) { return words(std::string(name(s.environment.storage))); }},
        {{"cpu", "the CPU", false, false}, [](const Study& s) { return words(s.environment.cpu); }},
        {{"kernel", "the kernel", false, false}, [](const Study& s) { return words(s.environment.kernel); }},
        {{"cache", "the state of the page cache that was prepared", false, false},
         [](const Study& s) { return words(std::string(name(s.plan.cache))); }},
    };
    return kNames;
}

/// "RUN.arm.ARM.NAME" in its parts; an arm's name may hold dots.
struct FigurePath {
    std::string_view run, arm, last;
    bool ofArm = false;
};

std::optional<FigurePath> pathOf(std::string_view text) {
    FigurePath path;
    if (!text.starts_with("arm.") && !text.starts_with("study.")) {
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos) {
            return std::nullopt;
        }
        path.run = text.substr(0, dot);
        text.remove_prefix(dot + 1);
    }
    const std::size_t last = text.rfind('.');
    if (last == std::string_view::npos) {
        return std::nullopt;
    }
    path.last = text.substr(last + 1);
    path.ofArm = text.starts_with("arm.");
    if (path.ofArm) {
        if (last < 5) {
            return std::nullopt;
        }
        path.arm = text.substr(4, last - 4);
        return path;
    }
    return text.substr(0, last) == "study" ? std::optional(path) : std::nullopt;
}

LessonFigure figureIn(const Study& study, const FigurePath& path) {
    if (!path.ofArm) {
        for (const auto& known : studyFigureNames()) {
            if (known.name.name == path.last) {
                return known.get(study);
            }
        }
        return none("there is no such figure of a study");
    }
    const auto arm =
        std::find_if(study.arms.begin(), study.arms.end(), [&](const Arm& a) { return a.id == path.arm; });
    if (arm == study.arms.end()) {
        return none("the study has no such arm");
    }
    const auto index = static_cast<std::uint32_t>(arm - study.arms.begin());
    for (const RunRecord& run : study.runs) {
        if (run.arm == index && run.status == RunStatus::unavailable) {
            return none(run.error);
        }
    }
    for (const auto& known : armFigureNames()) {
        if (known.name.name == path.last) {
            return known.get(ofArm(study, index));
        }
    }
    return none("there is no such figure of an arm");
}

}  // namespace

const std::vector<FigureName>& figureNames() {
    static const std::vector<FigureName> kNames = [] {
        std::vector<FigureName> names;
        for (const auto& known : studyFigureNames()) {
            names.push_back(known.name);
        }
        for (const auto& known : armFigureNames()) {
            names.push_back(known.name);
        }
        return names;
    }();
    return kNames;
}

Status checkFigure(const std::vector<LessonRun>& runs, std::string_view text, bool asNumber) {
    const auto path = pathOf(text);
    if (!path) {
        return fail(ErrorKind::usage,
                    fmt::format("\"{}\" is no figure; write study.NAME or arm.ARM.NAME, such "
                                "as arm.mmap.ratio (`mmapscope-cli lesson figures` lists the "
                                "names)",
                                printable(text)));
    }
    const auto run =
        std::find_if(runs.begin(), runs.end(), [&](const LessonRun& r) { return r.name == path->run; });
    if (run == runs.end()) {
        return fail(ErrorKind::usage, fmt::format("{}: no run of this lesson is named \"{}\"",
                                                  printable(text), printable(path->run)));
    }
    if (path->ofArm) {
        const auto& labels = run->study.labels;
        const std::vector<std::string_view> known(labels.begin(), labels.end());
        if (std::find(known.begin(), known.end(), path->arm) == known.end()) {
            return fail(ErrorKind::usage,
                        fmt::format("{}: the run has no arm \"{}\"; it has {}", printable(text),
                                    printable(path->arm), fmt::join(known, ", ")));
        }
    }
    std::vector<std::string_view> names;
    for (const FigureName& known : figureNames()) {
        if (known.ofArm != path->ofArm) {
            continue;
        }
        if (known.name == path->last) {
            return known.isNumber || !asNumber
                       ? Status()
                       : fail(ErrorKind::usage,
                              fmt::format("{} is not a number, so nothing can be compared with it",
                                          printable(text)));
        }
        names.push_back(known.name);
    }
    return fail(ErrorKind::usage,
                fmt::format("{}: {} has no figure \"{}\"{} (`mmapscope-cli lesson figures` lists them)",
                            printable(text), path->ofArm ? "an arm" : "a study", printable(path->last),
                            didYouMean(path->last, names)));
}

LessonFigure figureOf(const LessonResults& results, std::string_view name) {
    const auto path = pathOf(name);
    if (!path) {
        return none("there is no such figure");
    }
    for (const LessonMeasured& measured : results.measured) {
        if (measured.name == path->run) {
            return measured.study ? figureIn(*measured.study, *path) : none(measured.reason);
        }
    }
    return none("it was not run");
}

std::string countWords(double value) {
    const bool whole = std::abs(value) >= 100 || value == std::round(value);
    std::string text = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
    const std::size_t digits = std::min(text.find('.'), text.size());
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    for (std::size_t at = digits; at > sign + 3; at -= 3) {
        text.insert(at - 3, 1, ',');
    }
    return text;
}

std::vector<std::string> placeholdersOf(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
        const std::size_t end = text.find("}}", at);
        if (end == std::string_view::npos) {
            break;
        }
        names.emplace_back(trimmed(text.substr(at + 2, end - at - 2)));
        at = end + 2;
    }
    return names;
}

std::string filledText(std::string_view text, const LessonResults& results) {
    std::string out;
    std::vector<std::string> said, untold;
    std::size_t at = 0;
    while (true) {
        const std::size_t open = text.find("{{", at);
        const std::size_t end = open == std::string_view::npos ? open : text.find("}}", open);
        if (end == std::string_view::npos) {
            break;
        }
        out.append(text.substr(at, open - at));
        at = end + 2;
        const LessonFigure figure = figureOf(results, trimmed(text.substr(open + 2, end - open - 2)));
        if (!figure.text.empty()) {
            out += markdownText(figure.text);
            continue;
        }
        // A reason once, and not in a table's cell: there it would hide all else.
        const bool inTable = out.compare(out.rfind('\n') + 1, 1, "|") == 0;
        const bool known = std::find(said.begin(), said.end(), figure.reason) != said.end();
        if (inTable || known) {
            out += inTable ? kNoFigure : "(not available here)";
            untold.push_back(figure.reason);
        } else {
            out += fmt::format("(not available here: {})", markdownText(figure.reason));
            said.push_back(figure.reason);
        }
    }
    out.append(text.substr(at));
    for (const std::string& reason : untold) {
        if (std::find(said.begin(), said.end(), reason) == said.end()) {
            out += fmt::format("\n\n{}: not available here: {}", kNoFigure, markdownText(reason));
            said.push_back(reason);
        }
    }
    return out;
}

}  // namespace mmapscope
