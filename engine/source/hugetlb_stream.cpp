// The file mapped with base pages, copied window by window into a fixed scratch of huge pages a thread.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "source/availability.h"
#include "source/huge_pages_region.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class StreamCursor : public Cursor {
  public:
    StreamCursor(const MappedFile& mapped, Range range, GuardedMapping scratch, std::stop_token stop)
        : mapped_(mapped), rest_(range), scratch_(std::move(scratch)), stop_(std::move(stop)) {}

    Result<std::span<const std::byte>> next() override {
        if (window_.empty() && !rest_.length().isZero()) {
            const Range filled{rest_.begin, std::min(rest_.end, rest_.begin + scratch_.length())};
            if (auto status = copyGuarded(scratch_, Bytes(0), mapped_.bytes(filled), stop_); !status) {
                return tl::unexpected(status.error());
            }
            window_ = scratch_.bytes(Bytes(0), filled.length());
            rest_.begin = filled.end;
        }
        const auto span = window_.first(std::min(window_.size(), kMaxSpan.size()));
        window_ = window_.subspan(span.size());
        return span;
    }

    Status intact() const override {
        auto status = mapped_.intact();
        return status ? hugePagesIntact(scratch_) : status;
    }

  private:
    const MappedFile& mapped_;
    Range rest_;                         // not yet copied
    std::span<const std::byte> window_;  // copied, not yet handed out
    GuardedMapping scratch_;
    std::stop_token stop_;
};

// With nothing for a second window there is no point in a scratch.
bool holdsAll(Bytes window, Range range) {
    return window >= range.length();
}

class HugetlbStreamSource : public Source {
  public:
    explicit HugetlbStreamSource(Bytes window) : window_(roundUp(window, kHugePage)) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        if (holdsAll(window_, input.whole())) {
            whole_ = hugetlbMemfdSource.create({});
            return whole_->open(input);
        }
        return mapped_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        if (whole_) {
            return whole_->cursor(index);
        }
        auto scratch = mapHugePages(window_);
        if (!scratch) {
            return tl::unexpected(scratch.error());
        }
        if (input_->splitTime) {
            allocateAhead(scratch->data(), scratch->length());
        }
        return std::make_unique<StreamCursor>(mapped_, input_->ranges[index], std::move(*scratch),
                                              input_->accounts->stop());
    }

    void close() noexcept override {
        if (whole_) {
            whole_->close();
        }
        mapped_.close();
    }

    std::vector<std::string> notes() const override {
        if (!whole_) {
            return {};
        }
        return {fmt::format("a window of {} holds all {}: done as hugetlb-memfd", formatBytes(window_),
                            formatBytes(input_->whole().length()))};
    }

  private:
    Bytes window_;
    MappedFile mapped_;
    std::unique_ptr<Source> whole_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType hugetlbStreamSource{
    .id = "hugetlb-stream",
    .summary =
        "map the file with base pages and copy it, window by window, into a scratch of huge pages a thread",
    .parameters = {{.name = "window",
                    .kind = ParameterKind::bytes,
                    .defaultValue = "8MiB",
                    .help = "Size of each thread's scratch, rounded up to whole huge pages of 2 MiB",
                    .least = kHugePage}},
    .traits = {.usesHugePages = true},
    .availability =
        [](const FileFacts&, const Parameters& parameters, Range range, unsigned threads) {
            const Bytes window = roundUp(bytesOf(parameters, "window"), kHugePage);
            return enoughHugePages(holdsAll(window, range) ? hugePagesFor(range.length())
                                                           : window / kHugePage * threads);
        },
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<HugetlbStreamSource>(bytesOf(p, "window"));
    },
};

}  // namespace mmapscope
