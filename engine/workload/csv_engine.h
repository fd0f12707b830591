// A CSV library at work: bytes in, split rows out.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/result.h"
#include "workload/csv_rows.h"

namespace mmapscope {

class CsvEngine {
  public:
    /// Longest piece, and one more than the longest line without its line feed: see CsvInput.
    static constexpr std::size_t kMostBytes = kMaxTickRow + 1;
    /// For Pacer: a byte takes about this many times as long as elsewhere.
    static constexpr std::size_t kSlowness = 4;

    CsvEngine() = default;
    CsvEngine(const CsvEngine&) = delete;
    CsvEngine& operator=(const CsvEngine&) = delete;
    virtual ~CsvEngine() = default;

    /// The next 1 to kMostBytes bytes, none of them 0; needed until it returns. Error: cancelled,
    /// unavailable.
    [[nodiscard]] virtual Status take(std::string_view piece) = 0;
    /// After the last line, whose line feed has been given. Error: as take().
    [[nodiscard]] virtual Status finish() = 0;
};

/// fast-cpp-csv-parser's CSVReader, which knows its number of columns when it is compiled: here up to
/// kMostFccpColumns. Error: unavailable (more columns, no memory).
inline constexpr std::size_t kMostFccpColumns = 16;
[[nodiscard]] Result<std::unique_ptr<CsvEngine>> makeFccpEngine(CsvRows& rows, std::stop_token stop);

/// libcsv's csv_parse(). Error: unavailable (no memory).
[[nodiscard]] Result<std::unique_ptr<CsvEngine>> makeLibcsvEngine(CsvRows& rows, std::stop_token stop);

}  // namespace mmapscope
