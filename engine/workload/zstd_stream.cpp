#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createDCtx_advanced: the one way to see what libzstd allocates
#include "workload/zstd_stream.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "workload/pacer.h"
#include "workload/zstd_format.h"
#include "workload/zstd_outcome.h"

namespace mmapscope {
namespace {

constexpr Bytes kStage = kib(128);
constexpr Bytes kRead = kib(8);
/// What is handed to libzstd at the start of each frame by itself: magic number and descriptor.
constexpr std::size_t kFrameStart = 5;

void* countedAlloc(void*, std::size_t size) {
    countHeap(size);
    return std::malloc(size);
}

void countedFree(void*, void* memory) {
    std::free(memory);
}

struct FreeDCtx {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using DCtx = std::unique_ptr<ZSTD_DCtx, FreeDCtx>;

class ZstdStream final : public Workload {
  public:
    ZstdStream(const ZstdOptions& options, const WorkloadInput& input, DCtx context)
        : pacer_(input.stop),
          context_(std::move(context)),
          windowLog_(options.windowLog),
          decoded_((options.staging ? kStage : options.output).size()),
          read_(options.staging ? kRead.size() : 0),
          output_(input.digest),
          frameBegin_(input.range.begin),
          wholeEmpty_(input.whole.length().isZero()) {
        countHeap(decoded_.size() + read_.size());
    }

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            // libzstd decodes a frame in one go when all of it happens to lie in one span, without the window
            // check and without the flush copy. Handing over the first bytes by themselves makes it take the
            // same path whatever the source's spans are, so that arms differ by their sources alone.
            if (headerLength_ < kFrameStart) {
                bytes = bytes.subspan(keepHeader(bytes, kFrameStart));
                if (headerLength_ < kFrameStart) {
                    return {};
                }
                ZSTD_inBuffer start{header_.data(), kFrameStart, 0};
                if (auto status = decode(start); !status) {
                    return status;
                }
                continue;
            }
            if (headerLength_ < kMaxFrameHeader) {
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

    Status finish() override {
        if (headerLength_ > 0) {
            return couldBeZstd(header()) ? truncated() : notZstd();
        }
        if (!sawFrame_ && wholeEmpty_) {
            return fail(ErrorKind::input, "an empty file isn't zstd: even nothing, compressed, has a frame");
        }
        return {};
    }

    Result<Outcome> outcome(std::span<Workload* const> all) const override {
        std::vector<const ZstdOutput*> parts;
        parts.reserve(all.size());
        for (const Workload* workload : all) {
            parts.push_back(&static_cast<const ZstdStream&>(*workload).output_);
        }
        return ZstdOutput::merged(parts);
    }

  private:
    [[nodiscard]] std::span<const std::byte> header() const {
        return std::span(header_).first(headerLength_);
    }

    /// Copies from `bytes` until `upTo` bytes of the header are there; returns how many it took.
    std::size_t keepHeader(std::span<const std::byte> bytes, std::size_t upTo) {
        const std::size_t taken = std::min(bytes.size(), upTo - headerLength_);
        if (taken != 0) {
            std::memcpy(header_.data() + headerLength_, bytes.data(), taken);
            headerLength_ += taken;
        }
        return taken;
    }

    /// Until `in` is used up and its output flushed, or the frame ends.
    Status decode(ZSTD_inBuffer& in) {
        for (;;) {
            ZSTD_outBuffer out{decoded_.data(), decoded_.size(), 0};
            const std::size_t before = in.pos;
            const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
            if (ZSTD_isError(result) != 0) {
                return decodeError(result);
            }
            frameBytes_ += in.pos - before;
            deliver(out.pos);
            if (result == 0) {
                endFrame();
                return {};
            }
            if (auto status = pacer_.advance(out.pos + (in.pos - before)); !status) {
                return status;
            }
            if (in.pos == in.size && out.pos < out.size) {
                return {};
            }
        }
    }

    void deliver(std::size_t count) {
        const std::span<const std::byte> bytes = std::span<const std::byte>(decoded_).first(count);
        if (read_.empty()) {
            if (count != 0) {
                output_.add(bytes);
            }
            return;
        }
        for (std::size_t at = 0; at < count; at += read_.size()) {
            const auto part = bytes.subspan(at, std::min(read_.size(), count - at));
            std::memcpy(read_.data(), part.data(), part.size());
            // The copy is what is measured; nobody reads it, so the compiler must be kept from dropping it.
            asm volatile("" : : "r"(read_.data()) : "memory");
            output_.add(std::span<const std::byte>(read_).first(part.size()));
        }
    }

    void endFrame() {
        frameBegin_ += Bytes(frameBytes_);
        frameBytes_ = 0;
        headerLength_ = 0;
        sawFrame_ = true;
        output_.endFrame();
    }

    Status truncated() const {
        return fail(
            ErrorKind::input,
            fmt::format(
                "truncated: the data ends at offset {} inside the frame that begins at offset {}; get "
                "a whole copy of the file",
                (frameBegin_ + Bytes(std::max<std::uint64_t>(frameBytes_, headerLength_))).count(),
                frameBegin_.count()));
    }

    Status notZstd() const {
        const auto start = header().first(std::min<std::size_t>(headerLength_, kFrameStart));
        return fail(
            ErrorKind::input,
            fmt::format("no zstd frame at offset {}: what stands there looks like {}{}", frameBegin_.count(),
                        formatName(start), sawFrame_ ? "; everything before it decoded" : ""));
    }

    /// Names the frame, not the byte: libzstd doesn't say how far it came, and spans differ between sources.
    Status decodeError(std::size_t result) const {
        const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
        if (code == ZSTD_error_prefix_unknown && !couldBeZstd(header())) {
            return notZstd();
        }
        if (code == ZSTD_error_frameParameter_windowTooLarge || code == ZSTD_error_dictionary_wrong) {
            if (const auto parsed = parseFrameHeader(header())) {
                if (auto refusal = refusalOf(*parsed, frameBegin_, windowLog_)) {
                    return fail(ErrorKind::input, std::move(*refusal));
                }
            }
        }
        if (code == ZSTD_error_memory_allocation) {
            return fail(
                ErrorKind::failed,
                fmt::format("libzstd got no memory for the frame at offset {}: allow a smaller window-log, "
                            "or free memory",
                            frameBegin_.count()));
        }
        return fail(
            ErrorKind::input,
            fmt::format("corrupt zstd data in the frame that begins at offset {}: {}; get a good copy of the "
                        "file",
                        frameBegin_.count(), ZSTD_getErrorString(code)));
    }

    Pacer pacer_;
    DCtx context_;
    unsigned windowLog_;
    std::vector<std::byte> decoded_;
    std::vector<std::byte> read_;
    ZstdOutput output_;
    Bytes frameBegin_;              ///< file offset of the frame being decoded
    std::uint64_t frameBytes_ = 0;  ///< of it, used up by libzstd
    std::array<std::byte, kMaxFrameHeader> header_{};
    std::size_t headerLength_ = 0;
    bool wholeEmpty_;
    bool sawFrame_ = false;
};

}  // namespace

Result<std::unique_ptr<Workload>> makeZstdStream(const ZstdOptions& options, const WorkloadInput& input) {
    DCtx context(ZSTD_createDCtx_advanced({countedAlloc, countedFree, nullptr}));
    if (!context) {
        return fail(ErrorKind::unavailable, "libzstd can't make a decoder: no memory");
    }
    const std::size_t set =
        ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, static_cast<int>(options.windowLog));
    if (ZSTD_isError(set) != 0) {
        return fail(ErrorKind::unavailable, fmt::format("this libzstd takes no window-log={}: {}",
                                                        options.windowLog, ZSTD_getErrorName(set)));
    }
    return std::make_unique<ZstdStream>(options, input, std::move(context));
}

}  // namespace mmapscope
