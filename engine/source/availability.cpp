#include "source/availability.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/text.h"
#include "probe/huge_pages.h"
#include "probe/system_facts.h"
#include "source/memory_limits.h"

namespace mmapscope {

Availability alwaysAvailable(const FileFacts&, const Parameters&, Range, unsigned) {
    return Availability::yes();
}

Availability somethingToMap(const FileFacts&, const Parameters&, Range range, unsigned) {
    if (range.length().isZero()) {
        return Availability::no("the file is empty: nothing to map");
    }
    return Availability::yes();
}

Availability fitsInMemory(Range range) {
    for (const auto& limit : {availableMemory(), cgroupMemoryLimit()}) {
        if (limit && range.length() > limit->bytes) {
            return Availability::no(
                fmt::format("{} would have to be in memory at once, and {} allows {}",
                            formatBytes(range.length()), limit->setBy, formatBytes(limit->bytes)),
                fmt::format("--limit {}", formatBytesExact(roundDown(limit->bytes / 2, mib(1)))));
        }
    }
    return Availability::yes();
}

Availability enoughHugePages(std::uint64_t pages) {
    const auto pool = poolOf(kHugePage);
    if (!pool) {
        return Availability::no(pool.error().message);
    }
    if (pages <= pool->available()) {
        Availability enough = Availability::yes();
        enough.hugePages = pages;
        return enough;
    }
    Availability missing = Availability::no(
        fmt::format("{} of {} {} needed, {} available ({} free, {} of them reserved)",
                    pages == 1 ? std::string("1 huge page") : fmt::format("{} huge pages", pages),
                    formatBytes(kHugePage), pages == 1 ? "is" : "are", pool->available(), pool->free,
                    pool->reserved),
        reserveCommand(*pool, pages));
    missing.hugePages = pages;
    return missing;
}

Availability transparentHugePages() {
    const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
    const auto text = readKernelText(file);
    if (!text) {
        return Availability::no("this kernel has no transparent huge pages");
    }
    if (bracketedChoice(*text) == "never") {
        return Availability::no("transparent huge pages are switched off (never)",
                                fmt::format("echo madvise | sudo tee {}", file));
    }
    return Availability::yes();
}

Availability knowsAdvice(int advice, std::string_view name, std::string_view since) {
    if (madvise(nullptr, 0, advice) == 0) {
        return Availability::yes();
    }
    return Availability::no(
        fmt::format("this kernel doesn't know {} (Linux {} or later is needed)", name, since));
}

ParameterSpec bufferParameter(std::string_view defaultValue) {
    return {.name = "buffer",
            .kind = ParameterKind::bytes,
            .defaultValue = defaultValue,
            .help = "Size of the buffer, and so of a read",
            .least = kib(4),
            .most = kMaxSpan};
}

ParameterSpec depthParameter(std::string_view defaultValue) {
    return {.name = "depth",
            .kind = ParameterKind::integer,
            .defaultValue = defaultValue,
            .help = "How many buffers are filled ahead, each thread",
            .least = Bytes(2),
            .most = Bytes(64)};
}

unsigned depthOf(const Parameters& parameters) {
    return static_cast<unsigned>(bytesOf(parameters, "depth").count());
}

Status asStatus(const Availability& availability) {
    if (availability.available) {
        return {};
    }
    return fail(ErrorKind::unavailable,
                availability.unlock.empty()
                    ? availability.reason
                    : fmt::format("{}; {}", availability.reason, availability.unlock));
}

}  // namespace mmapscope
