#include "workload/zstd_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/text.h"

namespace mmapscope {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr std::uint32_t kSkippableMagic = 0x184D2A50;  // to …5F
constexpr std::uint32_t kLegacyMagic = 0xFD2FB522;  // 0.2; one more a version, until 0.8 reached kFrameMagic
constexpr std::uint32_t kOldestMagic = 0x1EB52FFD;  // 0.1 wrote it the other way round
constexpr unsigned kMaxWindowLog = 31;              // ZSTD_WINDOWLOG_MAX of a 64-bit libzstd

struct Signature {
    std::size_t offset;
    std::string_view bytes;
    std::string_view name;
};

using namespace std::string_view_literals;

constexpr std::array kSignatures = {
    Signature{0, "\x1F\x8B"sv, "gzip"},
    Signature{0,
              "\xFD"
              "7zXZ\0"sv,
              "xz"},
    Signature{0, "BZh"sv, "bzip2"},
    Signature{0, "\x04\x22\x4D\x18"sv, "lz4"},
    Signature{0, "\x02\x21\x4C\x18"sv, "lz4 (legacy frame)"},
    Signature{0, "PK\x03\x04"sv, "zip"},
    Signature{0, "PK\x05\x06"sv, "zip (empty)"},
    Signature{0, "7z\xBC\xAF\x27\x1C"sv, "7z"},
    Signature{0, "Rar!\x1A\x07"sv, "rar"},
    Signature{0, "LZIP"sv, "lzip"},
    Signature{0, "\x89LZO"sv, "lzop"},
    Signature{0, "\xFF\x06\x00\x00sNaPpY"sv, "snappy (framed)"},
    Signature{0, "\x5D\x00\x00"sv, "lzma"},
    Signature{0, "\x37\xA4\x30\xEC"sv, "a zstd dictionary"},
    Signature{0,
              "\x7F"
              "ELF"sv,
              "an ELF program"},
    Signature{0, "%PDF-"sv, "PDF"},
    Signature{257, "ustar"sv, "tar"},
};

bool looksLikeText(std::span<const std::byte> bytes) {
    // Bytes from 0x80 on are let through: they are UTF-8 or a Latin alphabet in every text that has them.
    return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](std::byte b) {
        const auto c = static_cast<unsigned char>(b);
        return (c >= 0x20 && c != 0x7F) || (c >= '\t' && c <= '\r');
    });
}

}  // namespace

std::uint64_t littleEndian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return value;
}

ZstdMagic zstdMagic(std::span<const std::byte> bytes) {
    if (bytes.size() < 4) {
        return ZstdMagic::none;
    }
    const auto magic = static_cast<std::uint32_t>(littleEndian(bytes.first(4)));
    if (magic == kFrameMagic) {
        return ZstdMagic::frame;
    }
    if (magic >= kSkippableMagic && magic <= kSkippableMagic + 15) {
        return ZstdMagic::skippable;
    }
    if (magic == kOldestMagic || (magic >= kLegacyMagic && magic < kFrameMagic)) {
        return ZstdMagic::legacy;
    }
    return ZstdMagic::none;
}

bool couldBeZstd(std::span<const std::byte> bytes) {
    if (bytes.size() >= 4) {
        return zstdMagic(bytes) != ZstdMagic::none;
    }
    const std::uint32_t mask = (1U << (8 * bytes.size())) - 1;
    const auto start = static_cast<std::uint32_t>(littleEndian(bytes));
    for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t legacyOrFrame = kLegacyMagic + std::min(i, kFrameMagic - kLegacyMagic);
        if (start == (legacyOrFrame & mask) || start == ((kSkippableMagic + i) & mask)) {
            return true;
        }
    }
    return start == (kOldestMagic & mask);
}

std::optional<ZstdFrameHeader> parseFrameHeader(std::span<const std::byte> bytes) {
    if (bytes.size() < 5) {
        return std::nullopt;
    }
    const auto descriptor = static_cast<unsigned>(bytes[4]);
    const bool singleSegment = (descriptor & 0x20U) != 0;
    const unsigned contentFlag = descriptor >> 6U;
    const std::size_t windowBytes = singleSegment ? 0 : 1;
    const std::size_t dictionaryBytes = std::array<std::size_t, 4>{0, 1, 2, 4}[descriptor & 3U];
    const std::size_t contentBytes =
        contentFlag == 0 ? (singleSegment ? 1 : 0) : std::size_t{1} << contentFlag;

    ZstdFrameHeader header;
    header.length = 5 + windowBytes + dictionaryBytes + contentBytes;
    header.checksum = (descriptor & 4U) != 0;
    if (bytes.size() < header.length) {
        return std::nullopt;
    }
    header.dictionary =
        static_cast<std::uint32_t>(littleEndian(bytes.subspan(5 + windowBytes, dictionaryBytes)));
    if (contentBytes != 0) {
        // The two-byte form starts where the one-byte form ends.
        header.content = littleEndian(bytes.subspan(5 + windowBytes + dictionaryBytes, contentBytes)) +
                         (contentBytes == 2 ? 256 : 0);
    }
    if (singleSegment) {
        header.window = header.content.value_or(0);
    } else {
        const auto window = static_cast<unsigned>(bytes[5]);
        const std::uint64_t base = std::uint64_t{1} << ((window >> 3U) + 10U);
        header.window = base + base / 8 * (window & 7U);
    }
    // libzstd's word for "unknown", so that is what a decoder makes of it.
    if (header.content == UINT64_MAX) {
        header.content.reset();
    }
    return header;
}

std::optional<std::string> refusalOf(const ZstdFrameHeader& header, Bytes frameBegin, unsigned windowLog,
                                     std::uint32_t dictionary) {
    if (header.dictionary != 0 && header.dictionary != dictionary) {
        return fmt::format(
            "the frame at offset {} needs dictionary ID {}{}: name its file with dictionary=PATH",
            frameBegin.count(), header.dictionary,
            dictionary == 0 ? "" : fmt::format(", and the one given has ID {}", dictionary));
    }
    const std::uint64_t allowed = std::uint64_t{1} << windowLog;
    if (header.window <= allowed) {
        return std::nullopt;
    }
    const Bytes window(header.window);
    if (header.window > (std::uint64_t{1} << kMaxWindowLog)) {
        return fmt::format(
            "the frame at offset {} needs a window of {}; libzstd decodes at most {} (window-log={})",
            frameBegin.count(), formatBytes(window), formatBytes(gib(2)), kMaxWindowLog);
    }
    return fmt::format(
        "the frame at offset {} needs a window of {} and {} is allowed: allow it with window-log={}",
        frameBegin.count(), formatBytes(window), formatBytes(Bytes(allowed)),
        std::bit_width(header.window - 1));
}

std::string formatName(std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return "nothing";
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& signature : kSignatures) {
        if (text.size() >= signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
            return std::string(signature.name);
        }
    }
    if (looksLikeText(bytes)) {
        return "plain text";
    }
    std::string hex;
    for (const std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 4))) {
        fmt::format_to(std::back_inserter(hex), " {:02X}", static_cast<unsigned>(b));
    }
    return fmt::format("no format known here (first bytes{})", hex);
}

Result<std::optional<FirstFrame>> findFirstFrame(const InputFile& file) {
    FirstFrame frame;
    for (int skipped = 0; skipped <= 64; ++skipped) {
        auto got = file.readAt(frame.begin, frame.bytes);
        if (!got) {
            return tl::unexpected(got.error());
        }
        frame.length = *got;
        if (frame.length == 0 && skipped > 0) {
            return std::nullopt;
        }
        if (zstdMagic(frame.head()) != ZstdMagic::skippable) {
            return frame;
        }
        if (frame.length < kSkippableHeader) {
            return std::nullopt;
        }
        frame.begin += Bytes(kSkippableHeader + littleEndian(frame.head().subspan(4, 4)));
    }
    return std::nullopt;
}

bool beginsLikeZstd(const FileFacts& file) {
    const auto opened = InputFile::open(file.path);
    if (!opened) {
        return false;
    }
    const auto first = findFirstFrame(*opened);
    if (!first) {
        return false;
    }
    const auto magic = *first ? zstdMagic((*first)->head()) : ZstdMagic::skippable;
    return magic != ZstdMagic::none;
}

}  // namespace mmapscope
