// The zstd container as RFC 8878 describes it: magic numbers and frame headers, without decoding anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"
#include "workload/input_file.h"

namespace mmapscope {

/// The longest frame header: magic number, descriptor, window, dictionary ID, content size (RFC
/// 8878, 3.1.1.1).
inline constexpr std::size_t kMaxFrameHeader = 18;
/// Magic number and length of a skippable frame (RFC 8878, 3.1.2).
inline constexpr std::size_t kSkippableHeader = 8;

/// Precondition: at most 8 bytes.
[[nodiscard]] std::uint64_t littleEndian(std::span<const std::byte> bytes);

enum class ZstdMagic {
    frame,
    skippable,
    legacy,  ///< zstd 0.1 to 0.7, which libzstd decodes only where it was built to
    none
};
/// Fewer than 4 bytes are `none`.
[[nodiscard]] ZstdMagic zstdMagic(std::span<const std::byte> bytes);
/// Whether these first bytes, be they fewer than 4, agree with one of the magic numbers.
[[nodiscard]] bool couldBeZstd(std::span<const std::byte> bytes);

struct ZstdFrameHeader {
    std::size_t length = 0;                ///< of the header itself
    std::uint64_t window = 0;              ///< bytes a decoder must keep; up to 3.75 TiB as written
    std::uint32_t dictionary = 0;          ///< 0: none
    std::optional<std::uint64_t> content;  ///< as the header claims: never to be allocated from
    bool checksum = false;
};
/// Reads the header of a zstd frame (not skippable, not legacy). nullopt when `bytes` ends within it.
[[nodiscard]] std::optional<ZstdFrameHeader> parseFrameHeader(std::span<const std::byte> bytes);

/// Why a decoder that allows windows up to 2^windowLog and has the dictionary of this ID (0: none, or one
/// that has no ID) can't take this frame, in words; nullopt when it can.
[[nodiscard]] std::optional<std::string> refusalOf(const ZstdFrameHeader& header, Bytes frameBegin,
                                                   unsigned windowLog, std::uint32_t dictionary);

/// What the first bytes of something that isn't zstd look like: "gzip", "plain text" …
[[nodiscard]] std::string formatName(std::span<const std::byte> bytes);

/// Where the first frame that isn't skippable begins, with its first bytes; none when there is no such frame.
struct FirstFrame {
    Bytes begin;
    std::array<std::byte, 512> bytes{};
    std::size_t length = 0;

    [[nodiscard]] std::span<const std::byte> head() const { return std::span(bytes).first(length); }
};
/// Follows at most 64 skippable frames. nullopt: nothing but skippable frames (or more of them than that).
[[nodiscard]] Result<std::optional<FirstFrame>> findFirstFrame(const InputFile& file);

/// A zstd frame at the start, or skippable frames and then one (or nothing more).
[[nodiscard]] bool beginsLikeZstd(const FileFacts& file);

}  // namespace mmapscope
