// fast-cpp-csv-parser: CSVReader::read_row() on its own LineReader. It fetches its bytes itself, 16 MiB at a
// time into a buffer of 48 MiB, so it runs on a stack of its own, which is left when the bytes it has been
// given are used up. Its reader thread is not used: the arm decides how bytes are read.
#define CSV_IO_NO_THREAD
#include <csv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "core/accounting.h"
#include "core/process_limits.h"
#include "workload/csv_engine.h"
#include "workload/fiber.h"
#include "workload/pacer.h"

namespace mmapscope {
namespace {

/// Where the line that is being split begins, and its fields so far. The library tells neither when a row has
/// too few or too many, but asks its policies, which are types without a state.
struct Trace {
    char* line = nullptr;
    std::size_t fields = 0;
    std::array<char*, kMostFccpColumns> begins{};
    std::array<char*, kMostFccpColumns> ends{};
};

class FccpEngine;
constinit thread_local FccpEngine* running = nullptr;
constinit thread_local Trace trace;

class FccpEngine final : public CsvEngine {
  public:
    FccpEngine(CsvRows& rows, std::stop_token stop) : rows_(rows), pacer_(std::move(stop)) {}
    ~FccpEngine() override {
        if (fiber_ && fiber_->begun() && !fiber_->ended()) {
            abandoned_ = true;
            resume();
        }
    }

    [[nodiscard]] Status begin() {
        auto fiber = Fiber::make([this] { work(); });
        if (!fiber) {
            return tl::unexpected(fiber.error());
        }
        fiber_ = std::move(*fiber);
        return {};
    }

    [[nodiscard]] Status take(std::string_view piece) override {
        // Anything but a byte-order mark, which the library drops from its first line.
        constexpr std::string_view ahead = "\n";
        if (!fiber_->begun()) {
            end_ = rows_.offset();
            given_ = ahead;
            resume();
        }
        given_ = piece;
        end_ += piece.size();
        return resume();
    }

    [[nodiscard]] Status finish() override {
        if (!fiber_->begun()) {
            return {};
        }
        // One line more, so that what is behind the last row is known to the code that looks for its return.
        constexpr std::string_view behind = "\n";
        over_ = true;
        given_ = behind;
        return resume();
    }

    /// For the policies. True: not a row.
    [[nodiscard]] bool beginLine(char* line) {
        trace.line = line;
        trace.fields = 0;
        if (*line != '\0') [[likely]] {
            return false;
        }
        if (ahead_) {
            ahead_ = false;
        } else if (!over_ || rows_.offset() != end_) {
            rows_.emptyLine(hadReturn(line) ? 1 : 0);
            // The library looks for the next row without coming back.
            if (status_ = pacer_.advance(kSlowness); !status_) {
                throw Abandoned{};
            }
        }
        return true;
    }

  private:
    /// Leaves the library.
    struct Abandoned {};
    /// For Pacer: what an exception takes, as long as so many bytes elsewhere; 3 µs were measured.
    static constexpr std::size_t kException = std::size_t{16} << 10U;

    class Source final : public io::ByteSourceBase {
      public:
        explicit Source(FccpEngine& engine) : engine_(engine) {}
        int read(char* buffer, int size) override {
            return static_cast<int>(engine_.read(buffer, static_cast<std::size_t>(size)));
        }

      private:
        FccpEngine& engine_;
    };
    struct LinePolicy {
        static bool is_comment(char* line) { return running->beginLine(line); }
    };
    struct FieldPolicy {
        static void trim(char*& begin, char*& end) {
            *end = '\0';
            trace.begins[trace.fields] = begin;
            trace.ends[trace.fields] = end;
            ++trace.fields;
        }
    };

    Status resume() {
        running = this;
        if (!fiber_->ended()) {
            fiber_->resume();
        }
        return status_;
    }

    /// Less than `size` only at the end, as the library takes it.
    std::size_t read(char* buffer, std::size_t size) {
        if (std::exchange(firstRead_, false)) {
            countHeap(size / 2 * 3);
        }
        std::size_t done = 0;
        while (done < size) {
            if (given_.empty()) {
                if (over_) {
                    break;
                }
                fiber_->pause();
                if (abandoned_) {
                    throw Abandoned{};
                }
            }
            const std::size_t length = std::min(given_.size(), size - done);
            std::memcpy(buffer + done, given_.data(), length);
            given_.remove_prefix(length);
            done += length;
        }
        return done;
    }

    void work() noexcept {
        try {
            byColumns(std::make_index_sequence<kMostFccpColumns>());
        } catch (const Abandoned&) {
        } catch (const std::bad_alloc&) {
            status_ = fail(ErrorKind::unavailable,
                           "csv-library: no memory for the 48 MiB of fast-cpp-csv-parser's line reader; " +
                               addressSpaceAdvice("library=libcsv needs less"));
        } catch (const std::exception& error) {
            status_ =
                fail(ErrorKind::failed, std::string("csv-library: fast-cpp-csv-parser: ") + error.what());
        }
    }

    template <std::size_t... kColumns>
    void byColumns(std::index_sequence<kColumns...>) {
        using Loop = void (FccpEngine::*)();
        constexpr std::array<Loop, sizeof...(kColumns)> loops{
            &FccpEngine::loop<std::make_index_sequence<kColumns + 1>>...};
        (this->*loops[rows_.plan().columns - 1])();
    }

    template <class Columns>
    void loop() {
        readRows(Columns());
    }

    template <std::size_t... kColumns>
    void readRows(std::index_sequence<kColumns...>) {
        constexpr std::size_t count = sizeof...(kColumns);
        io::CSVReader<count, FieldPolicy, io::no_quote_escape<','>, io::throw_on_overflow, LinePolicy> reader(
            "", std::unique_ptr<io::ByteSourceBase>(new Source(*this)));
        std::array<char*, count> columns{};
        while (status_) {
            std::size_t worked = 0;
            try {
                if (!reader.read_row(columns[kColumns]...)) {
                    return;
                }
                worked = kSlowness * endRow(columns);
            } catch (const io::error::too_few_columns&) {
                worked = kSlowness * endRow(std::span(trace.begins).first(trace.fields)) + kException;
            } catch (const io::error::too_many_columns&) {
                worked = kSlowness * endLongRow() + kException;
            }
            status_ = pacer_.advance(worked);
        }
    }

    /// Both end characters are zero bytes now, and what follows a line isn't: the next line, or the one
    /// behind the last.
    static bool hadReturn(const char* end) { return end[1] == '\0'; }

    std::size_t endRow(std::span<char* const> fields) {
        char* end = nullptr;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            end = trace.ends[i];
            rows_.field(fields[i], end);
        }
        return endRow(end);
    }
    std::size_t endRow(const char* end) {
        const auto length = static_cast<std::size_t>(end - trace.line) + (hadReturn(end) ? 1 : 0);
        rows_.endRow(length);
        return length;
    }
    std::size_t endLongRow() {
        char* const rest = trace.ends[trace.fields - 1] + 1;
        for (std::size_t i = 0; i < trace.fields; ++i) {
            rows_.field(trace.begins[i], trace.ends[i]);
        }
        char* const end = rest + std::strlen(rest);
        rows_.field(rest, end);
        return endRow(end);
    }

    CsvRows& rows_;
    Pacer pacer_;
    Status status_;
    std::unique_ptr<Fiber> fiber_;
    std::string_view given_;
    std::uint64_t end_ = 0;  ///< of what was given, counted as rows_ counts
    bool firstRead_ = true;
    bool ahead_ = true;  ///< the line before the first isn't read yet
    bool over_ = false;
    bool abandoned_ = false;
};

}  // namespace

Result<std::unique_ptr<CsvEngine>> makeFccpEngine(CsvRows& rows, std::stop_token stop) {
    if (rows.plan().columns > kMostFccpColumns) {
        return fail(
            ErrorKind::unavailable,
            "csv-library: fast-cpp-csv-parser is built in for up to 16 columns and the schema has more; "
            "library=libcsv takes any number");
    }
    auto engine = std::make_unique<FccpEngine>(rows, std::move(stop));
    if (auto status = engine->begin(); !status) {
        return tl::unexpected(status.error());
    }
    return engine;
}

}  // namespace mmapscope
