// libcsv: a callback for each field and one for each row.
#include <csv.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/accounting.h"
#include "workload/csv_engine.h"
#include "workload/pacer.h"

namespace mmapscope {
namespace {

/// Room behind libcsv's buffer for the readers of fields. libcsv grows it by realloc() alone.
void* countedRealloc(void* memory, std::size_t size) {
    countHeap(size + kTickPadding);
    return std::realloc(memory, size + kTickPadding);
}

int noSpace(unsigned char) {
    return 0;
}
int lineFeedOnly(unsigned char c) {
    return c == CSV_LF ? 1 : 0;
}

/// Whether libcsv's own functions for spaces and line ends, which cost a third less time, make of these bytes
/// what ours do: it drops spaces at the ends of fields, and ends a row at a carriage return.
bool isPlain(std::string_view piece) {
    bool plain = true;
    for (const char c : piece) {
        plain &= (c != CSV_SPACE) & (c != CSV_TAB) & (c != CSV_CR);
    }
    return plain;
}

class LibcsvEngine final : public CsvEngine {
  public:
    LibcsvEngine(CsvRows& rows, std::stop_token stop) : rows_(rows), pacer_(std::move(stop)) {}
    ~LibcsvEngine() override { csv_free(&parser_); }

    [[nodiscard]] Status begin() {
        // Empty lines are reported; a zero byte behind each field leaves one that may be overwritten.
        if (csv_init(&parser_, CSV_REPALL_NL | CSV_APPEND_NULL) != 0) {
            return fail(ErrorKind::failed, "csv-library: csv_init() of libcsv failed");
        }
        // A quoted field is a rejected row: a quote is like any other byte. There are no zero bytes.
        csv_set_quote(&parser_, 0);
        csv_set_realloc_func(&parser_, countedRealloc);
        // One allocation, made here and not in the run: no field is longer.
        csv_set_blk_size(&parser_, kMostBytes + 2);
        if (csv_parse(&parser_, "\n", 1, nullptr, nullptr, nullptr) != 1) {
            return error();
        }
        return {};
    }

    [[nodiscard]] Status take(std::string_view piece) override {
        const bool plain = isPlain(piece);
        csv_set_space_func(&parser_, plain ? nullptr : noSpace);
        csv_set_term_func(&parser_, plain ? nullptr : lineFeedOnly);
        const std::size_t done = csv_parse(
            &parser_, piece.data(), piece.size(),
            [](void* field, std::size_t length, void* self) {
                static_cast<LibcsvEngine*>(self)->field(static_cast<char*>(field), length);
            },
            [](int, void* self) { static_cast<LibcsvEngine*>(self)->endRow(); }, this);
        return done == piece.size() ? pacer_.advance(kSlowness * piece.size()) : error();
    }

    [[nodiscard]] Status finish() override { return {}; }

  private:
    [[nodiscard]] tl::unexpected<Error> error() {
        return fail(ErrorKind::unavailable,
                    std::string("csv-library: libcsv: ") + csv_strerror(csv_error(&parser_)));
    }

    void field(char* begin, std::size_t length) {
        if (keptLength_ > 0) [[unlikely]] {
            giveKept(false);
        }
        length_ += length + 1;
        if (length > 0 && begin[length - 1] == CSV_CR) [[unlikely]] {
            // What this carriage return is, the next callback tells; the buffer will be another field's by
            // then.
            std::memcpy(kept_.data(), begin, length);
            keptLength_ = length;
        } else {
            rows_.field(begin, begin + length);
        }
    }

    void endRow() {
        if (length_ == 0) {
            return rows_.emptyLine(0);
        }
        const std::size_t length = length_ - 1;
        length_ = 0;
        if (keptLength_ > 0) [[unlikely]] {
            if (length == 1) {
                keptLength_ = 0;
                return rows_.emptyLine(length);
            }
            giveKept(true);
        }
        rows_.endRow(length);
    }

    void giveKept(bool rowEnds) {
        rows_.fieldWithReturn(kept_.data(), kept_.data() + keptLength_, rowEnds);
        keptLength_ = 0;
    }

    csv_parser parser_{};
    CsvRows& rows_;
    Pacer pacer_;
    std::size_t length_ = 0;  ///< of the row's fields so far, each with a comma or line end
    std::size_t keptLength_ = 0;
    std::array<char, kMostBytes + kTickPadding> kept_{};
};

}  // namespace

Result<std::unique_ptr<CsvEngine>> makeLibcsvEngine(CsvRows& rows, std::stop_token stop) {
    auto engine = std::make_unique<LibcsvEngine>(rows, std::move(stop));
    countHeap(sizeof(LibcsvEngine));
    if (auto status = engine->begin(); !status) {
        return tl::unexpected(status.error());
    }
    return engine;
}

}  // namespace mmapscope
