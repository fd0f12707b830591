#include "workload/csv_input.h"

#include <algorithm>
#include <cstring>

#include "core/accounting.h"
#include "workload/tick_detect.h"

namespace mmapscope {
namespace {

constexpr std::size_t kRoom = CsvEngine::kMostBytes;

}  // namespace

CsvInput::CsvInput(CsvRows& rows, CsvEngine& engine, bool header, Bytes begin)
    : rows_(rows),
      engine_(engine),
      header_(header),
      line_(begin.isZero() ? Line::first : Line::given),
      clean_(std::make_unique<char[]>(kRoom)) {
    rows_.place(begin.count());
    countHeap(kRoom);
    if (line_ == Line::first) {
        first_ = std::make_unique<char[]>(kRoom);
        countHeap(kRoom);
    }
}

Status CsvInput::consume(std::string_view bytes) {
    while (!bytes.empty()) {
        if (line_ == Line::first) {
            if (auto status = first(bytes); !status) {
                return status;
            }
            continue;
        }
        if (line_ != Line::given) {
            const std::size_t feed = bytes.find('\n');
            if (feed == std::string_view::npos) {
                return {};
            }
            bytes.remove_prefix(feed + (line_ == Line::rejected ? 1 : 0));
            line_ = Line::given;
            lineLength_ = 0;
            continue;
        }
        const std::string_view window = bytes.substr(0, kRoom - lineLength_);
        const std::size_t feed = window.rfind('\n');
        const std::size_t length = feed == std::string_view::npos ? window.size() : feed + 1;
        lineLength_ = feed == std::string_view::npos ? lineLength_ + length : 0;
        if (auto status = give(bytes.substr(0, length)); !status) {
            return status;
        }
        bytes.remove_prefix(length);
        if (lineLength_ > kMaxTickRow) {
            line_ = Line::cut;
        }
    }
    return {};
}

Status CsvInput::finish() {
    Status status;
    if (line_ == Line::first && lineLength_ > 0) {
        first_[lineLength_++] = '\n';
        status = completeFirst();
    } else if (line_ == Line::cut || (line_ == Line::given && lineLength_ > 0)) {
        status = give("\n");
    }
    return status ? engine_.finish() : status;
}

Status CsvInput::first(std::string_view& bytes) {
    const std::size_t feed = bytes.find('\n');
    const std::size_t content = std::min(feed, bytes.size());
    if (lineLength_ + content > kMaxTickRow) {
        rows_.rejectTooLong();
        line_ = Line::rejected;
        return {};
    }
    const std::size_t length = content + (feed == std::string_view::npos ? 0 : 1);
    std::memcpy(first_.get() + lineLength_, bytes.data(), length);
    lineLength_ += length;
    bytes.remove_prefix(length);
    return feed == std::string_view::npos ? Status() : completeFirst();
}

/// first_ holds the file's first line with its line feed.
Status CsvInput::completeFirst() {
    std::string_view line(first_.get(), lineLength_);
    line_ = Line::given;
    lineLength_ = 0;
    if (line.starts_with(kUtf8ByteOrderMark)) {
        line.remove_prefix(kUtf8ByteOrderMark.size());
        rows_.place(kUtf8ByteOrderMark.size());
    }
    if (header_) {
        rows_.place(rows_.offset() + line.size());
        return {};
    }
    return give(line);
}

Status CsvInput::give(std::string_view piece) {
    if (piece.find('\0') != std::string_view::npos) [[unlikely]] {
        std::replace_copy(piece.begin(), piece.end(), clean_.get(), '\0', '\1');
        piece = {clean_.get(), piece.size()};
    }
    return engine_.take(piece);
}

}  // namespace mmapscope
