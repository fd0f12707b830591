#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/tables.h"
#include "study/arm_figures.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

constexpr double kMib = 1U << 20U;

const char* sign(Verdict verdict) {
    switch (verdict) {
        case Verdict::faster:
            return "▲";
        case Verdict::slower:
            return "▼";
        case Verdict::tied:
            return "=";
        default:
            return "";
    }
}

std::string rate(const std::optional<double>& bytesPerSecond) {
    if (!bytesPerSecond) {
        return kNoFigure;
    }
    const double rate = *bytesPerSecond / kMib;
    return rate < 9.95 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

void addSizeColumns(const Study& sweep, SummaryTable& table) {
    table.columns.push_back({"size", "MiB"});
    if (sweep.plan.memoryCap) {
        table.columns.push_back({"of room", "×"});
    }
}

std::vector<std::string> sizeCells(const Study& sweep, Bytes size) {
    std::vector<std::string> cells{fmt::format("{:.1f}", static_cast<double>(size.count()) / kMib)};
    if (const auto room = roomUnderCap(sweep, static_cast<std::uint32_t>(sweep.plan.baseline), size)) {
        cells.push_back(
            fmt::format("{:.2f}", static_cast<double>(size.count()) / static_cast<double>(room->count())));
    }
    return cells;
}

}  // namespace

std::vector<std::string> sweepFindings(const Study& sweep) {
    std::vector<std::string> lines = crossoverSentences(sweep);
    const auto done = sizesOf(sweep).size();
    if (sweep.sweep->complete && sweep.sweep->runsSaved > 0) {
        lines.push_back(
            fmt::format("{} sizes measured; a grid as fine as ±10 % everywhere would have taken {} runs "
                        "more",
                        done, sweep.sweep->runsSaved));
    }
    const auto outcomes = [&](bool agree) {
        return std::any_of(sweep.summary.begin(), sweep.summary.end(),
                           [&](const ArmSummary& summary) { return summary.outcomesAgree == agree; });
    };
    if (outcomes(true) && !outcomes(false)) {
        lines.emplace_back("At no size did an arm compute something else than the others.");
    }
    if (!sweep.sweep->complete) {
        lines.push_back(fmt::format("Not finished: {} sizes measured; go on with --resume", done));
    }
    for (const std::string& warning : sweep.warnings) {
        lines.push_back("Warning: " + printable(warning));
    }
    return lines;
}

SummaryTable sweepTable(const Study& sweep) {
    SummaryTable table;
    addSizeColumns(sweep, table);
    for (std::uint32_t arm = 0; arm < sweep.arms.size(); ++arm) {
        const bool base = arm == sweep.plan.baseline;
        const std::string unit = rateUnit(sweep);
        table.columns.push_back({printable(sweep.arms[arm].id), base ? unit : unit + " (× baseline)"});
    }
    for (const Bytes size : sizesOf(sweep)) {
        const Study point = pointOf(sweep, size);
        auto cells = sizeCells(sweep, size);
        for (const ArmSummary& summary : point.summary) {
            std::string cell = rate(summary.medianBytesPerSecond);
            if (summary.arm != sweep.plan.baseline && summary.ratio) {
                cell += fmt::format(" ({:.2f} {})", *summary.ratio, sign(summary.verdict));
            }
            cells.push_back(std::move(cell));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

SummaryTable sweepFaultTable(const Study& sweep) {
    SummaryTable table;
    addSizeColumns(sweep, table);
    const bool refaults = std::any_of(sweep.runs.begin(), sweep.runs.end(), [](const RunRecord& run) {
        return run.counters.contains(std::string(kGroupRefaults));
    });
    for (const Arm& arm : sweep.arms) {
        table.columns.push_back(
            {printable(arm.id), refaults ? "minor/major/refaults/read MiB" : "minor/major/read MiB"});
    }
    const auto whole = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.0f}", *value) : std::string(kNoFigure);
    };
    for (const Bytes size : sizesOf(sweep)) {
        const Study point = pointOf(sweep, size);
        auto cells = sizeCells(sweep, size);
        for (std::uint32_t arm = 0; arm < sweep.arms.size(); ++arm) {
            const ArmFigures f = figuresOf(point, arm);
            const auto read = f.storageReadBytes ? std::optional(*f.storageReadBytes / kMib) : std::nullopt;
            std::string cell = fmt::format("{}/{}/", whole(f.minorFaults), whole(f.majorFaults));
            if (refaults) {
                cell += whole(medianCounter(point, arm, kGroupRefaults)) + "/";
            }
            cells.push_back(f.runs == 0 ? std::string(kNoFigure) : cell + whole(read));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string sweepToText(const Study& sweep) {
    std::string out = planLine(sweep) + "\n" + environmentLine(sweep) +
                      "\n\nThroughput by size (▲ faster, ▼ slower, = tied)\n\n";
    out += textTable(sweepTable(sweep));
    out += "\nFaults and reading from storage\n\n" + textTable(sweepFaultTable(sweep)) + "\n";
    for (const std::string& line : sweepFindings(sweep)) {
        out += line + "\n";
    }
    return out;
}

std::string sweepToMarkdown(const Study& sweep) {
    std::string out = markdownTable(sweepTable(sweep)) + "\n" + markdownTable(sweepFaultTable(sweep));
    out += fmt::format("\n{}\n\n{}\n\n", markdownText(planLine(sweep)), markdownText(environmentLine(sweep)));
    for (const std::string& line : sweepFindings(sweep)) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    return out;
}

}  // namespace mmapscope
