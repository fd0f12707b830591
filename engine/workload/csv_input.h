// What a CSV library is given, so that it sees the rows `ticks` sees.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "core/result.h"
#include "core/units.h"
#include "workload/csv_engine.h"

namespace mmapscope {

/// Hands spans on as they come, in pieces of at most CsvEngine::kMostBytes, but for this:
///   the byte-order mark and the header at the file's begin are left out;
///   of a line that is too long, only so much is given as shows it (libraries grow their buffers with it, or
///   stop);
///   zero bytes, which end a C string, become another control character, which is as wrong in a row;
///   a last line without a line feed gets one.
class CsvInput {
  public:
    /// `begin` is the range's place in the file.
    CsvInput(CsvRows& rows, CsvEngine& engine, bool header, Bytes begin);

    /// Error: the engine's.
    [[nodiscard]] Status consume(std::string_view bytes);
    [[nodiscard]] Status finish();

  private:
    enum class Line : unsigned char {
        first,    ///< at the file's begin: kept until it is complete
        given,    ///< goes to the engine
        cut,      ///< too long: only its line feed still goes to the engine
        rejected  ///< too long before the engine saw any of it
    };

    [[nodiscard]] Status first(std::string_view& bytes);
    [[nodiscard]] Status completeFirst();
    [[nodiscard]] Status give(std::string_view piece);

    CsvRows& rows_;
    CsvEngine& engine_;
    bool header_;
    Line line_;
    std::size_t lineLength_ = 0;  ///< of the line that isn't complete
    std::unique_ptr<char[]> first_;
    std::unique_ptr<char[]> clean_;  ///< a piece without its zero bytes
};

}  // namespace mmapscope
