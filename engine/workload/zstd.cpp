// zstd: decodes every frame of a file; skippable ones are skipped, checksums are verified.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "core/wide.h"
#include "workload/registry.h"
#include "workload/tick_detect.h"
#include "workload/tick_scanner.h"
#include "workload/zstd_decoder.h"
#include "workload/zstd_frames.h"
#include "workload/zstd_head.h"

namespace mmapscope {
namespace {

/// Reads of a description: about 2 GiB of content, a few milliseconds when cached.
constexpr std::uint64_t kDescribeBudget = 16384;

#if MMAPSCOPE_ZSTD_RING
constexpr bool kRing = true;
#else
constexpr bool kRing = false;
#endif

unsigned windowLogOf(const Parameters& parameters) {
    const std::string& text = textOf(parameters, "window-log");
    unsigned log = 27;
    std::from_chars(text.data(), text.data() + text.size(), log);
    return log;
}

bool toTicks(const Parameters& parameters) {
    return textOf(parameters, "then") == "ticks";
}

/// What is wrong with the frame that decoding starts with, as far as its header tells.
Status checkFirstFrame(const FirstFrame& first, const Parameters& parameters, std::uint32_t dictionary) {
    const auto head = first.head();
    const ZstdMagic magic = zstdMagic(head);
    if (head.size() < 4) {
        return fail(ErrorKind::input,
                    fmt::format("{} byte{} at offset {} can't be a zstd frame: choose a whole .zst file",
                                head.size(), head.size() == 1 ? "" : "s", first.begin.count()));
    }
    if (magic == ZstdMagic::none) {
        return fail(ErrorKind::input,
                    fmt::format("not zstd: this looks like {}; the zstd workload needs a .zst file",
                                formatName(head)));
    }
    const auto header = magic == ZstdMagic::frame ? parseFrameHeader(head) : std::nullopt;
    if (!header) {
        return {};
    }
    if (auto refusal = refusalOf(*header, first.begin, windowLogOf(parameters), dictionary)) {
        return fail(ErrorKind::input, std::move(*refusal));
    }
    if (textOf(parameters, "engine") == "oneshot" && !header->content) {
        return fail(ErrorKind::unavailable,
                    fmt::format("the frame at offset {} doesn't state its content size, which engine=oneshot "
                                "needs: use engine=stream or engine=ring",
                                first.begin.count()));
    }
    return {};
}

std::vector<ParameterSpec> zstdParameters();

/// What only the parser takes must not be ignored in silence.
Status refuseUnusedTickParameters(const Parameters& parameters) {
    static const std::vector<ParameterSpec> specs = zstdParameters();
    for (const ParameterSpec& spec : specs) {
        const bool ofTicks = spec.name == "scanner" || spec.name == "header" || spec.name == "columns" ||
                             spec.name == "schema";
        if (ofTicks && textOf(parameters, spec.name) != spec.defaultValue) {
            return fail(
                ErrorKind::usage,
                fmt::format("{0}={1} is for parsing what is decoded: add then=ticks, or leave {0} out",
                            spec.name, printable(textOf(parameters, spec.name))));
        }
    }
    return {};
}

Result<Parameters> resolveZstd(const FileFacts& file, const Parameters& asked) {
    if (file.bytes.isZero()) {
        return fail(ErrorKind::input, "an empty file isn't zstd: even nothing, compressed, has a frame");
    }
    const auto opened = InputFile::open(file.path);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    const auto dictionary = loadZstdDictionary(textOf(asked, "dictionary"));
    if (!dictionary) {
        return tl::unexpected(dictionary.error());
    }
    const auto first = findFirstFrame(*opened);
    if (!first) {
        return tl::unexpected(first.error());
    }
    if (*first) {
        if (auto status = checkFirstFrame(**first, asked, dictionary->id); !status) {
            return tl::unexpected(status.error());
        }
    }
    Parameters parameters = asked;
    if (!kRing && textOf(parameters, "engine") == "ring") {
        parameters["engine"] = "stream";
    }
    if (!toTicks(parameters)) {
        if (auto unused = refuseUnusedTickParameters(parameters); !unused) {
            return tl::unexpected(unused.error());
        }
        return parameters;
    }
    const auto head = decodeZstdHead(*opened, windowLogOf(parameters), *dictionary, kTickHead);
    if (!head) {
        return tl::unexpected(head.error());
    }
    return resolveTicks({head->bytes, head->whole}, parameters);
}

Result<std::unique_ptr<Workload>> createZstd(const Parameters& parameters, const WorkloadInput& input) {
    auto dictionary = loadZstdDictionary(textOf(parameters, "dictionary"));
    if (!dictionary) {
        return tl::unexpected(dictionary.error());
    }
    ZstdOptions options{bytesOf(parameters, "output"), flagOf(parameters, "staging"), windowLogOf(parameters),
                        std::move(*dictionary)};
    if (toTicks(parameters)) {
        auto ticks = ZstdTicks::make(parameters, input);
        if (!ticks) {
            return tl::unexpected(ticks.error());
        }
        options.ticks = std::move(*ticks);
    }
    const std::string& engine = textOf(parameters, "engine");
    const auto make = engine == "ring"      ? makeZstdRing
                      : engine == "oneshot" ? makeZstdOneshot
                                            : makeZstdStream;
    return make(std::move(options), input);
}

std::vector<ParameterSpec> zstdParameters() {
    std::vector<ParameterSpec> specs{
        {.name = "engine",
         .kind = ParameterKind::choice,
         .defaultValue = "stream",
         .help =
             kRing
                 ? "How libzstd is driven. stream: ZSTD_decompressStream; ring: block by block into a ring "
                   "of one window and one block, which saves a copy; oneshot: a frame in one call "
                   "(ZSTD_decompressDCtx; it can't be cancelled within the frame), which needs its content "
                   "size, memory for all of it, and memory for all of its compressed bytes unless a span "
                   "holds the whole frame."
                 : "How libzstd is driven. stream: ZSTD_decompressStream; ring: not available here, the "
                   "libzstd this was built with has no ZSTD_decompressContinue, so stream is used; oneshot: "
                   "a frame in one call (ZSTD_decompressDCtx; it can't be cancelled within the frame), which "
                   "needs its content size, memory for all of it, and memory for all of its compressed bytes "
                   "unless a span holds the whole frame.",
         .choices = {"stream", "ring", "oneshot"}},
        {.name = "output",
         .kind = ParameterKind::bytes,
         .defaultValue = "128KiB",
         .help = "The buffer that engine=stream decodes into, again and again.",
         .least = kib(1),
         .most = mib(4)},
        {.name = "staging",
         .kind = ParameterKind::flag,
         .defaultValue = "no",
         .help =
             "Copies what is decoded out in 8 KiB reads (engine=stream then decodes into 128 KiB, whatever "
             "output says): a copy too many, to see what it costs."},
        {.name = "window-log",
         .kind = ParameterKind::integer,
         .defaultValue = "27",
         .help = "The largest window allowed, as a power of two: 27 is 128 MiB, 31 is 2 GiB. A decoder "
                 "needs that much memory for such a frame.",
         .least = Bytes(10),
         .most = Bytes(31)},
        {.name = "then",
         .kind = ParameterKind::choice,
         .defaultValue = "null",
         .help =
             "What is done with the decoded bytes. null: nothing; ticks: they are parsed as tick CSV in the "
             "same pass.",
         .choices = {"null", "ticks"}},
        {.name = "dictionary",
         .kind = ParameterKind::text,
         .defaultValue = "",
         .help = "The file of the dictionary that the frames were compressed with (at most 32 MiB).",
         .file = FileRole::reads}};
    specs.push_back(tickScannerSpec());
    // schema last: its value may hold commas, which only the last parameter's may.
    for (const std::string_view name : {"header", "columns", "schema"}) {
        for (const ParameterSpec& spec : tickParameterSpecs()) {
            if (spec.name == name) {
                specs.push_back(spec);
            }
        }
    }
    return specs;
}

Result<Bytes> fitZstd(const FileFacts& file, const Parameters&, Bytes limit) {
    if (limit >= file.bytes) {
        return file.bytes;
    }
    const auto opened = InputFile::open(file.path);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    bool content = false;
    Bytes beyond;  // end of the first frame past the limit
    const auto walk = walkFrames(*opened, file.bytes, [&](const ZstdFrame& frame) {
        if (frame.end > limit) {
            beyond = frame.end;
            // Before any content, on to the first frame that has some: that is what the limit must reach.
            return !content && frame.skippable;
        }
        content |= !frame.skippable;
        return true;
    });
    if (!walk) {
        return tl::unexpected(walk.error());
    }
    if (!content && walk->broken) {
        return fail(ErrorKind::input, fmt::format("no whole zstd frame ends before the limit of {}: {}",
                                                  formatBytes(limit), *walk->broken));
    }
    if (!content) {
        return fail(
            ErrorKind::input,
            fmt::format("zstd can only stop at a frame's end, and the first one ends at {} ({} bytes), past "
                        "the limit of {}: raise the limit",
                        formatBytes(beyond), beyond.count(), formatBytes(limit)));
    }
    return walk->end;
}

/// Whether the frames of [0, limit) can be shared out, and by what.
struct Shares {
    std::uint64_t frames = 0;
    Uint128 content = 0;
    bool sizesKnown = true;
};

/// A forged size must not outweigh the whole file.
std::uint64_t weightOf(const ZstdFrame& frame) {
    return std::min(frame.header.content.value_or(0), gib(1024).count());
}

Result<std::vector<Range>> splitZstd(const FileFacts& file, const Parameters&, Bytes limit,
                                     unsigned threads) {
    if (threads == 1) {
        return std::vector<Range>{{Bytes(0), limit}};
    }
    const auto opened = InputFile::open(file.path);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    Shares shares;
    // A broken tail stays in the last range: decoding it says what is wrong there.
    const auto counted = walkFrames(*opened, limit, [&](const ZstdFrame& frame) {
        if (!frame.skippable) {
            ++shares.frames;
            shares.content += weightOf(frame);
            shares.sizesKnown &= frame.header.content.has_value();
        }
        return true;
    });
    if (!counted) {
        return tl::unexpected(counted.error());
    }
    if (shares.frames < 2) {
        return fail(
            ErrorKind::unavailable,
            fmt::format("zstd decodes a frame from its start on one thread, and this file has {}: use "
                        "threads=1, or compress it in several frames (pzstd)",
                        shares.frames == 1 ? "one frame" : "no whole frame"));
    }
    if (!shares.sizesKnown) {
        return fail(
            ErrorKind::unavailable,
            "not every frame states its content size, so the work can't be shared out: use threads=1, or "
            "compress with sizes (zstd --stream-size, or from a file instead of a pipe)");
    }
    std::vector<Range> ranges;
    ranges.reserve(threads);
    Bytes begin;
    Uint128 before = 0;
    const auto cut = walkFrames(*opened, limit, [&](const ZstdFrame& frame) {
        // As many cuts as the content before this frame completes shares; some ranges may stay empty.
        while (ranges.size() + 1 < threads && !frame.begin.isZero() && shares.content > 0 &&
               before * threads >= shares.content * (ranges.size() + 1)) {
            ranges.push_back({begin, frame.begin});
            begin = frame.begin;
        }
        before += frame.skippable ? 0 : weightOf(frame);
        return ranges.size() + 1 < threads;
    });
    if (!cut) {
        return tl::unexpected(cut.error());
    }
    while (ranges.size() + 1 < threads) {
        ranges.push_back({begin, begin});
    }
    ranges.push_back({begin, limit});
    return ranges;
}

std::string describeZstd(const FileFacts& file, const Parameters&) {
    const auto opened = InputFile::open(file.path);
    if (!opened || file.bytes.isZero()) {
        return {};
    }
    std::uint64_t frames = 0;
    std::uint64_t skippable = 0;
    std::uint64_t window = 0;
    Uint128 content = 0;
    bool sizesKnown = true;
    bool checksums = false;
    const auto walk = walkFrames(
        *opened, file.bytes,
        [&](const ZstdFrame& frame) {
            if (frame.skippable) {
                ++skippable;
                return true;
            }
            ++frames;
            window = std::max(window, frame.header.window);
            content += frame.header.content.value_or(0);
            sizesKnown &= frame.header.content.has_value();
            checksums |= frame.header.checksum;
            return true;
        },
        kDescribeBudget);
    if (!walk || (frames == 0 && skippable == 0)) {
        return {};
    }
    std::string text =
        fmt::format("zstd, {}{} frame{}", walk->exhausted ? "at least " : "", frames, frames == 1 ? "" : "s");
    if (skippable != 0) {
        text += fmt::format(" and {} skippable", skippable);
    }
    if (frames != 0) {
        text += fmt::format(", window {}", formatBytes(Bytes(window)));
    }
    text += fmt::format(", {}", formatBytes(file.bytes));
    if (frames != 0 && sizesKnown && content <= UINT64_MAX && !walk->exhausted && !walk->broken) {
        const auto decoded = static_cast<std::uint64_t>(content);
        text += fmt::format(" → {} ({:.1f}:1)", formatBytes(Bytes(decoded)),
                            static_cast<double>(decoded) / static_cast<double>(file.bytes.count()));
    }
    if (checksums) {
        text += ", with checksums";
    }
    if (walk->broken) {
        text += fmt::format("; {}", *walk->broken);
    }
    return text;
}

}  // namespace

const WorkloadType zstdWorkload = {
    .id = "zstd",
    .summary = "Decodes all zstd frames, verifying checksums; throughput counts the bytes that come out.",
    .parameters = zstdParameters(),
    .producesOutput = true,
    .resolve = resolveZstd,
    .fitLimit = fitZstd,
    .split = splitZstd,
    .create = createZstd,
    .describe = describeZstd,
};

}  // namespace mmapscope
