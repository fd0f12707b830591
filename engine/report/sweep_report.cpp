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

/// What page cache can have of the cap: without the arm's own memory.
double roomOf(const Study& sweep) {
    double own = 0;
    for (const RunRecord& run : sweep.runs) {
        own = std::max(own, static_cast<double>(run.peakPrivate.value_or(Bytes(0)).count()));
    }
    const auto limit = static_cast<double>(sweep.plan.memoryCap->count());
    return std::max(limit / 2, limit - own);
}

void addSizeColumns(const Study& sweep, SummaryTable& table) {
    table.columns.push_back({"size", "MiB"});
    if (sweep.plan.memoryCap) {
        table.columns.push_back({"of cap", "×"});
    }
}

std::vector<std::string> sizeCells(const Study& sweep, Bytes size) {
    std::vector<std::string> cells{fmt::format("{:.1f}", static_cast<double>(size.count()) / kMib)};
    if (sweep.plan.memoryCap) {
        cells.push_back(fmt::format("{:.2f}", static_cast<double>(size.count()) / roomOf(sweep)));
    }
    return cells;
}

std::vector<std::string> findings(const Study& sweep) {
    std::vector<std::string> lines = crossoverSentences(sweep);
    const auto done = sizesOf(sweep).size();
    if (sweep.sweep->complete && sweep.sweep->runsSaved > 0) {
        lines.push_back(
            fmt::format("{} sizes measured; a grid as fine as ±10 % everywhere would have taken {} runs "
                        "more",
                        done, sweep.sweep->runsSaved));
    }
    if (!sweep.sweep->complete) {
        lines.push_back(fmt::format("Not finished: {} sizes measured; go on with --resume", done));
    }
    for (const std::string& warning : sweep.warnings) {
        lines.push_back("Warning: " + printable(warning));
    }
    return lines;
}

}  // namespace

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
    for (const Arm& arm : sweep.arms) {
        table.columns.push_back({printable(arm.id), "minor/major/read MiB"});
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
            cells.push_back(f.runs == 0 ? std::string(kNoFigure)
                                        : fmt::format("{}/{}/{}", whole(f.minorFaults), whole(f.majorFaults),
                                                      whole(read)));
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
    for (const std::string& line : findings(sweep)) {
        out += line + "\n";
    }
    return out;
}

std::string sweepToMarkdown(const Study& sweep) {
    std::string out = markdownTable(sweepTable(sweep)) + "\n" + markdownTable(sweepFaultTable(sweep));
    out += fmt::format("\n{}\n\n{}\n\n", markdownText(planLine(sweep)), markdownText(environmentLine(sweep)));
    for (const std::string& line : findings(sweep)) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    return out;
}

}  // namespace mmapscope
