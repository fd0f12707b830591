// O_DIRECT reads by a thread of their own into aligned buffers, double-buffered: nothing goes through the
// page cache but the file's last, partial block.
#include <algorithm>
#include <cerrno>

#include "source/availability.h"
#include "source/block_ring.h"
#include "source/direct_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class DirectSource : public Source, private BlockReader {
  public:
    DirectSource(Bytes buffer, unsigned depth) : buffer_(buffer), depth_(depth) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return BlockRingCursor::start(*this, input_->ranges[index], buffer_, depth_, *input_->accounts);
    }

    void close() noexcept override { file_.close(); }

  private:
    Bytes alignment() const override { return file_.alignment(); }

    Result<std::span<const std::byte>> read(std::span<std::byte> slot, Range block,
                                            const std::stop_token& stop) const override {
        const Range direct = file_.directPart(block);
        Bytes done;
        while (done < direct.length()) {
            if (auto status = checkpoint(stop); !status) {
                return tl::unexpected(status.error());
            }
            const Bytes step = std::min(kStopStep, direct.length() - done);
            const ssize_t got = preadSome(file_.fd(), slot.data() + done.size(), step, direct.begin + done);
            if (got < 0) {
                return file_.buffered().readError(errno);
            }
            done += Bytes(static_cast<std::uint64_t>(got));
            // Short at the file's end: if the file is shorter than planned, the buffered read says so.
            if (Bytes(static_cast<std::uint64_t>(got)) < step) {
                break;
            }
        }
        if (auto status = file_.readTail(slot.data(), block, done); !status) {
            return tl::unexpected(status.error());
        }
        return slot.subspan((block.begin - direct.begin).size(), block.length().size());
    }

    Bytes buffer_;
    unsigned depth_;
    DirectFile file_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType directSource{
    .id = "direct",
    .summary = "O_DIRECT reads into aligned buffers, the next ones under way while the workload consumes",
    .parameters = {bufferParameter("1MiB"), depthParameter("2")},
    .traits = {.bypassesCache = true},
    .availability = [](const FileFacts& file, const Parameters&, Range,
                       unsigned) { return directReads(file); },
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<DirectSource>(bytesOf(p, "buffer"), depthOf(p));
    },
};

}  // namespace mmapscope
