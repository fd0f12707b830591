// The summary of a study as text cells, for every format that prints a table.
#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

struct TableColumn {
    std::string title;
    std::string unit;   ///< under the title; the same for all rows
    bool right = true;  ///< numbers
};

struct SummaryTable {
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;  ///< first cell: the arm's id, made printable
};

/// What a format puts between two parts of a cell or in an empty one.
inline constexpr const char* kNoFigure = "–";

[[nodiscard]] SummaryTable summaryTable(const Study& study);

/// "All arms computed the same: bytes_out=268435456, xxh64=…", or which differ; empty while no run was good.
/// Says what was compared: all arms, those that ran, or the runs of one.
[[nodiscard]] std::string outcomeLine(const Study& study);

/// One line an arm that has no rank: "hugetlb-memfd: not available: needs 65 huge pages, …".
[[nodiscard]] std::vector<std::string> unrankedLines(const Study& study);

/// The workload with those of its parameters that are not the default: "zstd:engine=ring".
[[nodiscard]] std::string workloadText(const Study& study);

/// "MiB/s", or "decoded MiB/s" where the throughput is of what comes out.
[[nodiscard]] std::string rateUnit(const Study& study);

/// What was measured and how: file, size, workload, cache state, rounds, isolation.
[[nodiscard]] std::string planText(const Study& study);

/// planText, and the arms that were compared.
[[nodiscard]] std::string planLine(const Study& study);

/// Columns a terminal needs for it.
[[nodiscard]] std::size_t displayWidth(const std::string& text);

}  // namespace mmapscope
