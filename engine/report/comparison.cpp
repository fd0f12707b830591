#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/remarks.h"
#include "report/tables.h"

namespace mmapscope {
namespace {

constexpr double kMib = 1U << 20U;
constexpr std::size_t kTerminalWidth = 120;

std::string nameOf(const ComparedSide& side) {
    return printable(side.name);
}

std::string machineOf(const Study& study) {
    const std::string& asked = study.plan.host;
    const std::string& own = study.environment.host;
    if (asked.empty()) {
        return "the one at hand";
    }
    return own.empty() || own == asked ? printable(asked) : printable(fmt::format("{} ({})", asked, own));
}

/// What was set and found for a study, fact by fact, the machine's last.
std::vector<NamedFact> factsOf(const Study& study) {
    const Plan& plan = study.plan;
    std::vector<NamedFact> facts{
        {"machine", machineOf(study)},
        {"file", printable(plan.file)},
        {"rounds", fmt::format("{}", plan.rounds)},
        {"warm-ups", fmt::format("{}", plan.warmups)},
    };
    const auto machine = environmentFacts(study);
    facts.insert(facts.end(), machine.begin(), machine.end());
    return facts;
}

/// Values of a side's studies, each once.
std::string valueOf(const ComparedSide& side, const std::string& fact) {
    std::vector<std::string> values;
    for (const auto& study : side.sittings) {
        const auto facts = factsOf(*study);
        const auto found =
            std::find_if(facts.begin(), facts.end(), [&](const NamedFact& one) { return one.name == fact; });
        const std::string value = found == facts.end() ? "not recorded" : found->value;
        if (std::find(values.begin(), values.end(), value) == values.end()) {
            values.push_back(value);
        }
    }
    return fmt::format("{}", fmt::join(values, " / "));
}

std::vector<std::string> namesOfFacts(const SideBySide& compared) {
    std::vector<std::string> names;
    for (const ComparedSide& side : compared.sides) {
        for (const auto& study : side.sittings) {
            for (const NamedFact& fact : factsOf(*study)) {
                if (std::find(names.begin(), names.end(), fact.name) == names.end()) {
                    names.push_back(fact.name);
                }
            }
        }
    }
    return names;
}

std::string rateText(const ComparedArm& arm) {
    if (!arm.bytesPerSecond) {
        return kNoFigure;
    }
    const double rate = *arm.bytesPerSecond / kMib;
    return rate < 9.95 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

std::string ratioText(const RatioInterval& interval) {
    return fmt::format("{:.2f} [{:.2f}–{:.2f}]", interval.ratio, interval.low, interval.high);
}

std::string verdictText(const ComparedArm& arm) {
    return std::string(name(arm.change ? arm.change->verdict : Verdict::unranked));
}

/// Arms of a side with one verdict: "mmap 1.12 [1.05–1.19] times, read …".
std::vector<std::string> armsWith(const SideBySide& compared, std::size_t side, Verdict verdict) {
    std::vector<std::string> arms;
    for (const ComparedRow& row : compared.rows) {
        const ComparedArm& arm = row.sides[side];
        if (arm.change && arm.change->verdict == verdict) {
            arms.push_back(
                fmt::format("{} ({} times as fast)", printable(row.id), ratioText(arm.change->interval)));
        }
    }
    return arms;
}

void addVerdicts(const SideBySide& compared, std::size_t at, std::vector<std::string>& lines) {
    const std::string name = nameOf(compared.sides[at]);
    const std::string first = nameOf(compared.sides.front());
    std::vector<std::string> tied;
    for (const auto& [verdict, word] : {std::pair(Verdict::slower, "Slower"), {Verdict::faster, "Faster"}}) {
        if (const auto arms = armsWith(compared, at, verdict); !arms.empty()) {
            lines.push_back(
                fmt::format("{} in {} than in {}: {}.", word, name, first, fmt::join(arms, ", ")));
        }
    }
    for (const ComparedRow& row : compared.rows) {
        if (row.sides[at].change && row.sides[at].change->verdict == Verdict::tied) {
            tied.push_back(printable(row.id));
        }
    }
    if (!tied.empty()) {
        lines.push_back(fmt::format("No change that the intervals tell between {} and {}: {}.", first, name,
                                    fmt::join(tied, ", ")));
    }
    const auto& together = compared.together[at];
    if (together && std::abs(std::log(*together)) > std::log(1.05)) {
        lines.push_back(
            fmt::format("Taken together (median), the arms are {:.2f} times as fast in {} as in {}: one "
                        "study a side can't "
                        "tell whether that is a lasting difference or what the machine did just then.",
                        *together, name, first));
    }
}

/// Where the intervals come from: what is measured, and what is assumed.
std::string basis(const SideBySide& compared) {
    std::size_t least = compared.sides.front().sittings.size();
    for (const ComparedSide& side : compared.sides) {
        least = std::min(least, side.refusal.empty() ? side.sittings.size() : least);
    }
    std::size_t arms = 0;
    double level = 0;
    for (const ComparedRow& row : compared.rows) {
        for (const ComparedArm& arm : row.sides) {
            arms += arm.change ? 1 : 0;
            level = std::max(level, arm.change ? arm.change->level : 0);
        }
    }
    const std::string corrected =
        arms > 1 ? fmt::format("corrected for {} comparisons (Holm), so of up to {:.1f} %", arms, 100 * level)
                 : "of 95 %";
    if (least >= kEnoughSittings) {
        return fmt::format(
            "Intervals hold what studies of one side differ by, as {} or more of them show, and are {}.",
            kEnoughSittings, corrected);
    }
    return fmt::format(
        "How much two studies of the same thing differ on these machines is not known from so few: intervals "
        "assume as much as the rounds of each scatter, at least {:.1f} %, and are {}. Give {} or more "
        "studies a "
        "side, with one name, to have it measured.",
        100 * kLeastSpread, corrected, kEnoughSittings);
}

}  // namespace

SummaryTable differencesTable(const SideBySide& compared) {
    SummaryTable table;
    table.columns.push_back({"differs", "", false});
    for (const ComparedSide& side : compared.sides) {
        table.columns.push_back({nameOf(side), "", false});
    }
    for (const std::string& fact : namesOfFacts(compared)) {
        std::vector<std::string> row{fact};
        for (const ComparedSide& side : compared.sides) {
            row.push_back(valueOf(side, fact));
        }
        if (std::any_of(row.begin() + 2, row.end(), [&](const auto& value) { return value != row[1]; })) {
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

SummaryTable comparisonTable(const SideBySide& compared) {
    SummaryTable table;
    table.columns.push_back({"arm", "", false});
    const std::string first = nameOf(compared.sides.front());
    for (std::size_t side = 0; side < compared.sides.size(); ++side) {
        table.columns.push_back({nameOf(compared.sides[side]), "MiB/s"});
        if (side > 0) {
            table.columns.push_back({"× " + first, "[interval]"});
            table.columns.push_back({"verdict", "", false});
        }
    }
    for (const ComparedRow& row : compared.rows) {
        std::vector<std::string> cells{printable(row.id)};
        for (std::size_t side = 0; side < row.sides.size(); ++side) {
            const ComparedArm& arm = row.sides[side];
            cells.push_back(rateText(arm));
            if (side > 0) {
                cells.push_back(arm.change ? ratioText(arm.change->interval) : kNoFigure);
                cells.push_back(verdictText(arm));
            }
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::vector<std::string> comparisonSentences(const SideBySide& compared) {
    std::vector<std::string> lines;
    if (const ComparedSide& first = compared.sides.front(); !first.refusal.empty()) {
        lines.push_back(
            fmt::format("The studies of {} can't be taken together: {}.", nameOf(first), first.refusal));
    }
    for (std::size_t at = 1; at < compared.sides.size(); ++at) {
        const ComparedSide& side = compared.sides[at];
        if (!side.refusal.empty()) {
            lines.push_back(fmt::format("{} can't be compared with {}: {}.", nameOf(side),
                                        nameOf(compared.sides.front()), side.refusal));
            continue;
        }
        addVerdicts(compared, at, lines);
        for (const ComparedRow& row : compared.rows) {
            if (!row.sides[at].change && !row.sides[at].reason.empty()) {
                lines.push_back(
                    fmt::format("{} has no verdict: {}.", printable(row.id), row.sides[at].reason));
            }
        }
    }
    if (compared.hasChanges()) {
        lines.push_back(basis(compared));
    }
    for (const ComparedSide& side : compared.sides) {
        lines.push_back(fmt::format("{}: {}; {}.", nameOf(side), planText(*side.sittings.front()),
                                    environmentLine(*side.sittings.front())));
    }
    for (const ComparedSide& side : compared.sides) {
        for (const auto& study : side.sittings) {
            if (!study->complete) {
                lines.push_back(fmt::format("{} was stopped before its end.", nameOf(side)));
            }
            for (const std::string& warning : study->warnings) {
                lines.push_back(fmt::format("Warning in {}: {}", nameOf(side), printable(warning)));
            }
        }
    }
    return lines;
}

namespace {

/// A table too wide for a terminal has its cells below each other instead.
std::string fittingTable(const SummaryTable& table) {
    const std::string text = textTable(table);
    std::size_t widest = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        widest = std::max(widest, displayWidth(text.substr(from, end - from)));
        from = end + 1;
    }
    if (widest <= kTerminalWidth) {
        return text;
    }
    std::string out;
    for (const auto& row : table.rows) {
        out += row.front() + "\n";
        for (std::size_t c = 1; c < row.size(); ++c) {
            const TableColumn& column = table.columns[c];
            out += fmt::format("  {}{}{}: {}\n", column.title, column.unit.empty() ? "" : " ", column.unit,
                               row[c]);
        }
    }
    return out;
}

}  // namespace

std::string comparisonToText(const SideBySide& compared) {
    const SummaryTable differences = differencesTable(compared);
    std::string out = differences.rows.empty()
                          ? "Machines, settings and versions are the same as far as known.\n"
                          : fittingTable(differences);
    out += "\n" + fittingTable(comparisonTable(compared)) + "\n";
    for (const std::string& line : comparisonSentences(compared)) {
        out += line + "\n";
    }
    return out;
}

std::string comparisonToMarkdown(const SideBySide& compared) {
    const SummaryTable differences = differencesTable(compared);
    std::string out = differences.rows.empty()
                          ? "Machines, settings and versions are the same as far as known.\n"
                          : markdownTable(differences);
    out += "\n" + markdownTable(comparisonTable(compared)) + "\n";
    for (const std::string& line : comparisonSentences(compared)) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    return out;
}

}  // namespace mmapscope
