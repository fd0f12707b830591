// A reader thread fills a ring of buffers while the workload consumes: overlap without a mapping.
#include <cerrno>

#include "source/availability.h"
#include "source/block_ring.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class ReadThreadSource : public Source, private BlockReader {
  public:
    ReadThreadSource(Bytes buffer, unsigned depth) : buffer_(buffer), depth_(depth) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return BlockRingCursor::start(*this, input_->ranges[index], buffer_, depth_, *input_->accounts);
    }

    void close() noexcept override { file_.close(); }

  private:
    Result<std::span<const std::byte>> read(std::span<std::byte> slot, Range block,
                                            const std::stop_token& stop) const override {
        if (auto status = file_.fill(slot.data(), block, stop); !status) {
            return tl::unexpected(status.error());
        }
        return slot.first(block.length().size());
    }

    Bytes buffer_;
    unsigned depth_;
    OpenFile file_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType readThreadSource{
    .id = "read-thread",
    .summary = "a reader thread fills a ring of buffers by pread(2) while the workload consumes",
    .parameters = {bufferParameter("256KiB"), depthParameter("8")},
    .traits = {.helperThreads = true},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<ReadThreadSource>(bytesOf(p, "buffer"), depthOf(p));
    },
};

}  // namespace mmapscope
