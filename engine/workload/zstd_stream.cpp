// engine=stream: ZSTD_decompressStream over the spans as they come.
#include <zstd.h>

#include <algorithm>

#include "workload/zstd_decoder.h"

namespace mmapscope {
namespace {

constexpr Bytes kStage = kib(128);

class ZstdStream final : public ZstdDecoder {
  public:
    ZstdStream(Bytes room, ZstdOptions options, const WorkloadInput& input, ZstdContext made)
        : ZstdDecoder(std::move(options), input, std::move(made)), decoded_(room.size()) {
        countHeap(decoded_.size());
    }

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            // libzstd decodes a frame in one go when all of it happens to lie in one span, without the window
            // check and without the flush copy. Handing over the first bytes by themselves makes it take the
            // same path whatever the source's spans are, so that arms differ by their sources alone.
            if (header().size() < kFrameStart) {
                bytes = bytes.subspan(keepHeader(bytes, kFrameStart));
                if (header().size() < kFrameStart) {
                    return {};
                }
                ZSTD_inBuffer start{header().data(), kFrameStart, 0};
                if (auto status = decode(start); !status) {
                    return status;
                }
                continue;
            }
            if (header().size() < kMaxFrameHeader) {
                keepHeader(bytes, kMaxFrameHeader);
            }
            // In slices, because blocks without content cost time and give no output to count.
            ZSTD_inBuffer in{bytes.data(), std::min(bytes.size(), Pacer::kSlice), 0};
            if (auto status = decode(in); !status) {
                return status;
            }
            bytes = bytes.subspan(in.pos);
        }
        return {};
    }

  private:
    /// Until `in` is used up and its output flushed, or the frame ends.
    Status decode(ZSTD_inBuffer& in) {
        for (;;) {
            ZSTD_outBuffer out{decoded_.data(), decoded_.size(), 0};
            const std::size_t before = in.pos;
            const std::size_t result = ZSTD_decompressStream(context(), &out, &in);
            if (ZSTD_isError(result) != 0) {
                return decodeError(result);
            }
            used(in.pos - before);
            if (auto status = deliver(std::span<const std::byte>(decoded_).first(out.pos)); !status) {
                return status;
            }
            if (result == 0) {
                endFrame();
                return {};
            }
            if (auto status = pacer().advance(out.pos + (in.pos - before)); !status) {
                return status;
            }
            if (in.pos == in.size && out.pos < out.size) {
                return {};
            }
        }
    }

    std::vector<std::byte> decoded_;
};

}  // namespace

Result<std::unique_ptr<Workload>> makeZstdStream(ZstdOptions options, const WorkloadInput& input) {
    auto made = makeZstdContext(options);
    if (!made) {
        return tl::unexpected(made.error());
    }
    const Bytes room = options.staging ? kStage : options.output;
    return std::make_unique<ZstdStream>(room, std::move(options), input, std::move(*made));
}

}  // namespace mmapscope
