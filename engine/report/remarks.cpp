#include "report/remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "report/summary_table.h"
#include "report/sweep_report.h"
#include "study/arm_figures.h"
#include "study/fault_pattern.h"

namespace mmapscope {
namespace {

constexpr const char* kNotToldHere = "not available here";

std::string idOf(const Study& study, const ArmSummary& summary) {
    return printable(study.arms[summary.arm].id);
}

/// "1.31× (95 % interval 1.27–1.35)"
std::string ratioText(const ArmSummary& summary) {
    return fmt::format("{:.2f}× (95 % interval {:.2f}–{:.2f})", *summary.ratio,
                       summary.ratioLow.value_or(*summary.ratio), summary.ratioHigh.value_or(*summary.ratio));
}

using Group = std::vector<const ArmSummary*>;

Group thoseWith(const Study& study, Verdict verdict) {
    Group group;
    for (const ArmSummary& summary : study.summary) {
        if (summary.verdict == verdict && (summary.ratio || verdict == Verdict::baseline)) {
            group.push_back(&summary);
        }
    }
    std::stable_sort(group.begin(), group.end(), [](const ArmSummary* a, const ArmSummary* b) {
        return a->ratio.value_or(1) > b->ratio.value_or(1);
    });
    return group;
}

std::string list(const Study& study, const Group& group) {
    std::vector<std::string> parts;
    for (const ArmSummary* summary : group) {
        parts.push_back(fmt::format("{} {}", idOf(study, *summary), ratioText(*summary)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Whether the best of the faster ones is the fastest of all, as far as intervals lie apart.
std::string fastestText(const Study& study, const Group& faster, const Group& tied) {
    const ArmSummary& best = *faster.front();
    std::vector<std::string> rivals;
    for (const Group& group : {Group(faster.begin() + 1, faster.end()), tied}) {
        for (const ArmSummary* other : group) {
            if (other->ratioHigh.value_or(*other->ratio) >= best.ratioLow.value_or(*best.ratio)) {
                rivals.push_back(idOf(study, *other));
            }
        }
    }
    if (rivals.empty()) {
        return fmt::format("{} is the fastest: {} the baseline's throughput.", idOf(study, best),
                           ratioText(best));
    }
    return fmt::format(
        "{} has the highest ratio: {} the baseline's throughput. The interval{} of {} reach{} into its own, "
        "so whether it is faster than {} is not told here.",
        idOf(study, best), ratioText(best), rivals.size() == 1 ? "" : "s", fmt::join(rivals, ", "),
        rivals.size() == 1 ? "es" : "", rivals.size() == 1 ? "that one" : "those");
}

std::string baselineText(const Study& study, const ArmSummary& baseline) {
    const std::string rate =
        baseline.medianBytesPerSecond ? formatRate(*baseline.medianBytesPerSecond) : std::string();
    return fmt::format("The baseline is {}{}{}.", idOf(study, baseline), rate.empty() ? "" : ", " + rate,
                       rate.empty()                ? ""
                       : countsDecodedBytes(study) ? " of decoded bytes (median)"
                                                   : " of the file (median)");
}

template <class T, class Text>
std::string orNot(const std::optional<T>& value, Text text) {
    return value ? printable(text(*value)) : std::string(kNotToldHere);
}

std::string orNot(const std::optional<std::string>& value) {
    return orNot(value, [](const std::string& text) { return text; });
}

std::string orNot(const std::string& value) {
    return value.empty() ? std::string(kNotToldHere) : printable(value);
}

}  // namespace

std::vector<std::string> remarks(const Study& study) {
    std::vector<std::string> lines;
    if (std::string outcome = outcomeLine(study); !outcome.empty()) {
        lines.push_back(std::move(outcome));
    }
    for (const std::string& line : unrankedLines(study)) {
        lines.push_back("Not ranked: " + line);
    }
    for (const std::string& warning : study.warnings) {
        lines.push_back("Warning: " + printable(warning));
    }
    for (const std::string& line : faultDisagreements(study)) {
        lines.push_back("Note: " + printable(line));
    }
    std::vector<ArmFigures> figures;
    for (const ArmSummary& summary : study.summary) {
        figures.push_back(figuresOf(study, summary.arm));
    }
    if (const std::string note = splitNote(figures); !note.empty()) {
        lines.push_back("Note: " + note);
    }
    return lines;
}

std::vector<std::string> findingsInWords(const Study& study) {
    if (study.sweep) {
        return sweepFindings(study);
    }
    std::vector<std::string> lines;
    for (const ArmSummary* baseline : thoseWith(study, Verdict::baseline)) {
        lines.push_back(baselineText(study, *baseline));
    }
    const Group faster = thoseWith(study, Verdict::faster);
    const Group tied = thoseWith(study, Verdict::tied);
    const Group slower = thoseWith(study, Verdict::slower);
    if (!faster.empty()) {
        lines.push_back(fastestText(study, faster, tied));
        if (faster.size() > 1) {
            lines.push_back(fmt::format("Also faster than the baseline: {}.",
                                        list(study, Group(faster.begin() + 1, faster.end()))));
        }
    } else if (!tied.empty() || !slower.empty()) {
        lines.push_back("No arm is faster than the baseline.");
    }
    if (!tied.empty()) {
        lines.push_back(fmt::format("Tied with the baseline: {}.", list(study, tied)));
    }
    if (!slower.empty()) {
        lines.push_back(fmt::format("Slower than the baseline: {}.", list(study, slower)));
    }
    if (lines.empty()) {
        lines.emplace_back(study.runs.empty() ? "Nothing was measured." : "No arm has figures to rank.");
    }
    return lines;
}

std::vector<std::string> methodInWords(const Study& study) {
    const Plan& plan = study.plan;
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "{} measured round{}{}, {} warm-up round{} discarded; every round runs each arm once, in an order "
        "shuffled with seed {}; {}.",
        plan.rounds, plan.rounds == 1 ? "" : "s", study.sweep ? " at each size" : "", plan.warmups,
        plan.warmups == 1 ? "" : "s", plan.orderSeed,
        plan.isolation == Isolation::worker ? "each run is a fresh worker process"
                                            : "all runs are in one process"));
    lines.push_back(fmt::format(
        "Page-cache state asked for and verified before every run: {}{}.", name(plan.cache),
        plan.memoryCap ? fmt::format(", under a memory cap of {} on each run", formatBytes(*plan.memoryCap))
                       : ""));
    lines.emplace_back(
        "Wall time is from before open(2) to after close(2): open, map, copy, work, unmap. The ratio is the "
        "throughput over the baseline's: the median over rounds of the paired log-ratio of wall times, with "
        "its 95 % percentile-bootstrap interval.");
    lines.emplace_back(
        "faster: the whole interval lies above 1.01; slower: below 0.99; else tied; unranked: fewer than "
        "five good rounds, an error, or outcomes that differ.");
    lines.emplace_back(
        "Figures of the table are medians over good measured runs; what a system does not tell is – and "
        "never 0.");
    return lines;
}

std::vector<NamedFact> environmentFacts(const Study& study) {
    const Environment& e = study.environment;
    const auto bytes = [](Bytes value) { return formatBytes(value); };
    const auto number = [](int value) { return fmt::format("{}", value); };
    std::vector<NamedFact> facts{
        {"mmapscope", orNot(e.toolVersion)},
        {"kernel", e.kernel.empty() ? kNotToldHere : "Linux " + printable(e.kernel)},
        {"CPU", orNot(e.cpu)},
        {"CPUs", e.cores == 0 ? kNotToldHere : fmt::format("{}", e.cores)},
        {"memory", orNot(e.memory, bytes)},
        {"base page", e.page.isZero() ? kNotToldHere : formatBytes(e.page)},
        {"virtual machine", e.virtualMachine ? printable(*e.virtualMachine) + " guest" : "none seen"},
        {"filesystem", orNot(e.filesystem)},
        {"device", orNot(e.device)},
        {"mount options", orNot(e.mountOptions)},
        {"storage", std::string(name(e.storage))},
        {"readahead", orNot(e.readAhead, bytes)},
        {"THP", orNot(e.thp.enabled)},
        {"THP defrag", orNot(e.thp.defrag)},
        {"THP shmem", orNot(e.thp.shmemEnabled)},
        {"huge-page pool", orNot(e.hugePages,
                                 [](const HugePagePool& pool) {
                                     return fmt::format("{} of {}, {} free, {} reserved, {} surplus",
                                                        pool.total, formatBytes(pool.size), pool.free,
                                                        pool.reserved, pool.surplus);
                                 })},
        {"governor", orNot(e.governor)},
        {"swappiness", orNot(e.swappiness, number)},
        {"MGLRU", orNot(e.mglru)},
        {"cgroup version", orNot(e.cgroupVersion, number)},
        {"libzstd", orNot(e.libzstd)},
        {"OpenSSL", orNot(e.openssl)},
    };
    for (const auto& [counter, there] : e.counters) {
        facts.push_back({"counter " + printable(counter), there ? "yes" : kNotToldHere});
    }
    return facts;
}

}  // namespace mmapscope
