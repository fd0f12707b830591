#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createDCtx_advanced: the one way to see what libzstd allocates
#include "workload/zstd_decoder.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>

#include "workload/zstd_memory.h"

namespace mmapscope {
namespace {

constexpr Bytes kRead = kib(8);

}  // namespace

void FreeDCtx::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

Result<ZstdContext> makeZstdContext(const ZstdOptions& options) {
    ZstdContext context(ZSTD_createDCtx_advanced(countedZstdMemory()));
    if (!context) {
        return fail(ErrorKind::unavailable, "libzstd can't make a decoder: no memory");
    }
    const std::size_t set =
        ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, static_cast<int>(options.windowLog));
    if (ZSTD_isError(set) != 0) {
        return fail(ErrorKind::unavailable, fmt::format("this libzstd takes no window-log={}: {}",
                                                        options.windowLog, ZSTD_getErrorName(set)));
    }
    if (options.dictionary.ready) {
        const std::size_t referred = ZSTD_DCtx_refDDict(context.get(), options.dictionary.ready.get());
        if (ZSTD_isError(referred) != 0) {
            return fail(ErrorKind::unavailable,
                        fmt::format("this libzstd takes no dictionary: {}", ZSTD_getErrorName(referred)));
        }
    }
    return context;
}

ZstdDecoder::ZstdDecoder(ZstdOptions options, const WorkloadInput& input, ZstdContext context)
    : pacer_(input.stop),
      dictionary_(std::move(options.dictionary)),
      context_(std::move(context)),
      windowLog_(options.windowLog),
      read_(options.staging ? kRead.size() : 0),
      output_(input.digest),
      ticks_(std::move(options.ticks)),
      frameBegin_(input.range.begin),
      wholeEmpty_(input.whole.length().isZero()) {
    countHeap(read_.size());
}

Status ZstdDecoder::finish() {
    if (headerLength_ > 0) {
        if (couldBeZstd(header())) {
            return truncated();
        }
        return notZstd();
    }
    if (!sawFrame_ && wholeEmpty_) {
        return fail(ErrorKind::input, "an empty file isn't zstd: even nothing, compressed, has a frame");
    }
    return ticks_ ? ticks_->finish() : Status();
}

Result<Outcome> ZstdDecoder::outcome(std::span<Workload* const> all) const {
    std::vector<const ZstdOutput*> parts;
    std::vector<const ZstdTicks*> ticks;
    parts.reserve(all.size());
    ticks.reserve(all.size());
    for (const Workload* workload : all) {
        const auto& decoder = static_cast<const ZstdDecoder&>(*workload);
        parts.push_back(&decoder.output_);
        ticks.push_back(decoder.ticks_.get());
    }
    Outcome outcome = ZstdOutput::merged(parts);
    if (ticks_) {
        auto rows = ZstdTicks::merged(ticks);
        if (!rows) {
            return rows;
        }
        std::move(rows->fields.begin(), rows->fields.end(), std::back_inserter(outcome.fields));
    }
    return outcome;
}

std::size_t ZstdDecoder::headerNeeds() const {
    if (headerLength_ < kFrameStart) {
        return kFrameStart;
    }
    switch (zstdMagic(header())) {
        case ZstdMagic::skippable:
            return kSkippableHeader;
        case ZstdMagic::frame:
            // The descriptor alone tells the length, so what isn't there yet doesn't matter.
            return parseFrameHeader(header_)->length;
        default:
            return kFrameStart;
    }
}

std::size_t ZstdDecoder::keepHeader(std::span<const std::byte> bytes, std::size_t upTo) {
    const std::size_t taken = std::min(bytes.size(), upTo - headerLength_);
    if (taken != 0) {
        std::memcpy(header_.data() + headerLength_, bytes.data(), taken);
        headerLength_ += taken;
    }
    return taken;
}

Result<std::optional<ZstdFrameHeader>> ZstdDecoder::openFrame() {
    used(headerLength_);
    switch (zstdMagic(header())) {
        case ZstdMagic::none:
            return notZstd();
        case ZstdMagic::legacy:
            return fail(ErrorKind::input,
                        fmt::format("the frame at offset {} was written by a zstd older than 0.8: use "
                                    "engine=stream, where libzstd may still know it",
                                    frameBegin_.count()));
        case ZstdMagic::skippable:
            skippable_ = littleEndian(header().subspan(4, 4));
            if (skippable_ == 0) {
                endFrame();
            }
            return std::nullopt;
        case ZstdMagic::frame:
            break;
    }
    if ((header()[4] & std::byte{8}) != std::byte{0}) {
        return corrupt("a reserved bit is set in the frame's header");
    }
    const ZstdFrameHeader parsed = *parseFrameHeader(header());
    if (auto refusal = refusalOf(parsed, frameBegin_, windowLog_, dictionary_.id)) {
        return fail(ErrorKind::input, std::move(*refusal));
    }
    return parsed;
}

Result<std::span<const std::byte>> ZstdDecoder::passSkippable(std::span<const std::byte> bytes) {
    const auto passed =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::min(bytes.size(), Pacer::kSlice), skippable_));
    skippable_ -= passed;
    used(passed);
    if (skippable_ == 0) {
        endFrame();
    }
    if (auto status = pacer_.advance(passed); !status) {
        return tl::unexpected(status.error());
    }
    return bytes.subspan(passed);
}

Status ZstdDecoder::deliver(std::span<const std::byte> decoded) {
    if (read_.empty()) {
        return decoded.empty() ? Status() : hand(decoded);
    }
    for (std::size_t at = 0; at < decoded.size(); at += read_.size()) {
        const auto part = decoded.subspan(at, std::min(read_.size(), decoded.size() - at));
        std::memcpy(read_.data(), part.data(), part.size());
        // The copy is what is measured; nobody may read it, so the compiler must be kept from dropping it.
        asm volatile("" : : "r"(read_.data()) : "memory");
        if (auto status = hand(std::span<const std::byte>(read_).first(part.size())); !status) {
            return status;
        }
    }
    return {};
}

Status ZstdDecoder::hand(std::span<const std::byte> decoded) {
    output_.add(decoded);
    return ticks_ ? ticks_->consume(decoded) : Status();
}

void ZstdDecoder::endFrame() {
    frameBegin_ += Bytes(frameBytes_);
    frameBytes_ = 0;
    headerLength_ = 0;
    sawFrame_ = true;
    output_.endFrame();
}

tl::unexpected<Error> ZstdDecoder::truncated() const {
    return fail(
        ErrorKind::input,
        fmt::format("truncated: the data ends at offset {} inside the frame that begins at offset {}; get "
                    "a whole copy of the file",
                    (frameBegin_ + Bytes(std::max<std::uint64_t>(frameBytes_, headerLength_))).count(),
                    frameBegin_.count()));
}

tl::unexpected<Error> ZstdDecoder::notZstd() const {
    const auto start = header().first(std::min<std::size_t>(headerLength_, kFrameStart));
    std::string message = fmt::format("no zstd frame at offset {}: what stands there looks like {}",
                                      frameBegin_.count(), formatName(start));
    message += sawFrame_ ? fmt::format(
                               "; everything before it decoded: cut the rest off (truncate -s {}) or "
                               "get a good copy of the file",
                               frameBegin_.count())
                         : std::string("; choose a .zst file, or another workload");
    return fail(ErrorKind::input, std::move(message));
}

tl::unexpected<Error> ZstdDecoder::decodeError(std::size_t result) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_prefix_unknown && !couldBeZstd(header())) {
        return notZstd();
    }
    if (code == ZSTD_error_frameParameter_windowTooLarge || code == ZSTD_error_dictionary_wrong) {
        if (const auto parsed = parseFrameHeader(header())) {
            if (auto refusal = refusalOf(*parsed, frameBegin_, windowLog_, dictionary_.id)) {
                return fail(ErrorKind::input, std::move(*refusal));
            }
        }
    }
    if (code == ZSTD_error_memory_allocation) {
        return noMemory();
    }
    return corrupt(ZSTD_getErrorString(code));
}

tl::unexpected<Error> ZstdDecoder::corrupt(std::string_view what) const {
    return fail(ErrorKind::input,
                fmt::format("corrupt zstd data in the frame that begins at offset {}: {}; get "
                            "a good copy of the file",
                            frameBegin_.count(), what));
}

tl::unexpected<Error> ZstdDecoder::noMemory() const {
    return fail(ErrorKind::failed,
                fmt::format("libzstd got no memory for the frame at offset {}: allow a smaller "
                            "window-log, or free memory",
                            frameBegin_.count()));
}

}  // namespace mmapscope
