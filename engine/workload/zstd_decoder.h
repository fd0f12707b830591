// What the engines of the zstd workload share: the frame they are in, where the decoded bytes go, and what is
// said when something is wrong.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "workload/pacer.h"
#include "workload/zstd_dictionary.h"
#include "workload/zstd_format.h"
#include "workload/zstd_outcome.h"
#include "workload/zstd_ticks.h"

struct ZSTD_DCtx_s;

namespace mmapscope {

struct ZstdOptions {
    Bytes output;          ///< the buffer the stream engine decodes into
    bool staging = false;  ///< copied out in 8 KiB reads
    unsigned windowLog = 27;
    ZstdDictionary dictionary = {};
    std::unique_ptr<ZstdTicks> ticks = {};  ///< null: the decoded bytes go nowhere
};

struct FreeDCtx {
    void operator()(ZSTD_DCtx_s* context) const;
};
using ZstdContext = std::unique_ptr<ZSTD_DCtx_s, FreeDCtx>;

/// With the window limit set and the dictionary referred to. Error: unavailable.
[[nodiscard]] Result<ZstdContext> makeZstdContext(const ZstdOptions& options);

class ZstdDecoder : public Workload {
  public:
    [[nodiscard]] Status finish() override;
    [[nodiscard]] Result<Outcome> outcome(std::span<Workload* const> all) const override;

  protected:
    /// Magic number and descriptor: from them on the length of the header is known.
    static constexpr std::size_t kFrameStart = 5;

    ZstdDecoder(ZstdOptions options, const WorkloadInput& input, ZstdContext context);

    [[nodiscard]] ZSTD_DCtx_s* context() const { return context_.get(); }
    [[nodiscard]] const ZstdDictionary& dictionary() const { return dictionary_; }
    [[nodiscard]] Pacer& pacer() { return pacer_; }
    [[nodiscard]] Bytes frameBegin() const { return frameBegin_; }

    [[nodiscard]] std::span<const std::byte> header() const {
        return std::span(header_).first(headerLength_);
    }
    /// How many bytes of the frame must be kept until its header is whole, as far as those that are kept
    /// tell.
    [[nodiscard]] std::size_t headerNeeds() const;
    /// Copies from `bytes` until `upTo` bytes of the header are there; returns how many it took.
    std::size_t keepHeader(std::span<const std::byte> bytes, std::size_t upTo);
    /// For engines that read the whole header themselves: of a frame to decode, or why it can't be. A
    /// skippable frame gives nullopt and is passed over by passSkippable.
    [[nodiscard]] Result<std::optional<ZstdFrameHeader>> openFrame();
    [[nodiscard]] bool inSkippable() const { return skippable_ > 0; }
    /// Returns what follows of `bytes`.
    [[nodiscard]] Result<std::span<const std::byte>> passSkippable(std::span<const std::byte> bytes);

    /// `count` more bytes of the frame were used up.
    void used(std::size_t count) { frameBytes_ += count; }
    /// Error: cancelled.
    [[nodiscard]] Status deliver(std::span<const std::byte> decoded);
    void endFrame();

    /// What libzstd's `result` means, in words. Names the frame, not the byte: libzstd doesn't say how far it
    /// came, and spans differ between sources.
    [[nodiscard]] tl::unexpected<Error> decodeError(std::size_t result) const;
    [[nodiscard]] tl::unexpected<Error> corrupt(std::string_view what) const;
    [[nodiscard]] tl::unexpected<Error> noMemory() const;

  private:
    [[nodiscard]] Status hand(std::span<const std::byte> decoded);
    [[nodiscard]] tl::unexpected<Error> truncated() const;
    [[nodiscard]] tl::unexpected<Error> notZstd() const;

    Pacer pacer_;
    ZstdDictionary dictionary_;  ///< outlives the context that refers to it
    ZstdContext context_;
    unsigned windowLog_;
    std::vector<std::byte> read_;
    ZstdOutput output_;
    std::unique_ptr<ZstdTicks> ticks_;
    Bytes frameBegin_;              ///< file offset of the frame being decoded
    std::uint64_t frameBytes_ = 0;  ///< of it, used up
    std::uint64_t skippable_ = 0;   ///< bytes left of a skippable frame's content
    std::array<std::byte, kMaxFrameHeader> header_{};
    std::size_t headerLength_ = 0;
    bool wholeEmpty_;
    bool sawFrame_ = false;
};

/// The engines. Error: unavailable, when libzstd can't be set up.
[[nodiscard]] Result<std::unique_ptr<Workload>> makeZstdStream(ZstdOptions options,
                                                               const WorkloadInput& input);
[[nodiscard]] Result<std::unique_ptr<Workload>> makeZstdRing(ZstdOptions options, const WorkloadInput& input);
[[nodiscard]] Result<std::unique_ptr<Workload>> makeZstdOneshot(ZstdOptions options,
                                                                const WorkloadInput& input);

}  // namespace mmapscope
