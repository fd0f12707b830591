// read(2) or pread(2) into a buffer that lies in one huge page a thread.
#include <utility>

#include "source/availability.h"
#include "source/huge_pages_region.h"
#include "source/read_cursor.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class HugeBufferCursor : public ReadCursor {
  public:
    HugeBufferCursor(const OpenFile& file, ReadBy by, Range range, GuardedMapping scratch, Bytes buffer,
                     std::stop_token stop, UniqueFd own)
        : ReadCursor(file, by, range, std::span(scratch.data(), buffer.size()), std::move(stop),
                     std::move(own)),
          scratch_(std::move(scratch)) {}

    Result<std::span<const std::byte>> next() override {
        auto span = ReadCursor::next();
        // EFAULT: the kernel could not have the huge page that the mapping had reserved.
        if (!span && span.error().kind == ErrorKind::unavailable) {
            return hugePageMissing();
        }
        return span;
    }
    Status intact() const override { return hugePagesIntact(scratch_); }

  private:
    GuardedMapping scratch_;
};

class ReadHugebufSource : public Source {
  public:
    ReadHugebufSource(Bytes buffer, bool positional) : buffer_(buffer), positional_(positional) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        auto scratch = mapHugePages(kHugePage);
        if (!scratch) {
            return tl::unexpected(scratch.error());
        }
        auto own = positional_ ? Result<UniqueFd>(UniqueFd()) : ownDescriptor(file_, *input_, index);
        if (!own) {
            return tl::unexpected(own.error());
        }
        return std::make_unique<HugeBufferCursor>(file_, positional_ ? ReadBy::offset : ReadBy::fileCursor,
                                                  input_->ranges[index], std::move(*scratch), buffer_,
                                                  input_->accounts->stop(), std::move(*own));
    }

    void close() noexcept override { file_.close(); }

  private:
    Bytes buffer_;
    bool positional_;
    OpenFile file_;
    const SourceInput* input_ = nullptr;
};

ParameterSpec bufferInOnePage() {
    ParameterSpec spec = bufferParameter("64KiB");
    spec.most = kHugePage;
    return spec;
}

}  // namespace

const SourceType readHugebufSource{
    .id = "read-hugebuf",
    .summary = "read(2) into a buffer in one 2 MiB huge page a thread: a hypothesis that measured slower",
    .parameters = {bufferInOnePage(),
                   {.name = "positional",
                    .kind = ParameterKind::flag,
                    .defaultValue = "no",
                    .help = "pread(2) on a shared descriptor instead of read(2) by a file cursor"}},
    .traits = {.usesHugePages = true},
    .availability = [](const FileFacts&, const Parameters&, Range,
                       unsigned threads) { return enoughHugePages(threads); },
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<ReadHugebufSource>(bytesOf(p, "buffer"), flagOf(p, "positional"));
    },
};

}  // namespace mmapscope
