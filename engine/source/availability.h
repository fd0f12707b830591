// What several sources ask of the machine and the file before they say that they can run.
#pragma once

#include "source/source.h"

namespace mmapscope {

[[nodiscard]] Availability alwaysAvailable(const FileFacts&, const Parameters&, Range, unsigned threads);

/// For mappings of the file: there must be something to map.
[[nodiscard]] Availability somethingToMap(const FileFacts&, const Parameters&, Range range, unsigned threads);

/// `range` must fit in MemAvailable of /proc/meminfo and under every memory cgroup limit above this process.
[[nodiscard]] Availability fitsInMemory(Range range);

/// Enough free huge pages (2 MiB) in the pool: `pages` of them.
[[nodiscard]] Availability enoughHugePages(std::uint64_t pages);

/// Transparent huge pages for anonymous memory must not be switched off
/// (Documentation/admin-guide/mm/transhuge.rst).
[[nodiscard]] Availability transparentHugePages();

/// Whether madvise(2) of this kernel knows the advice. Asks with a length of 0, which changes nothing.
[[nodiscard]] Availability knowsAdvice(int advice, std::string_view name, std::string_view since);

/// How many huge pages hold that many bytes.
[[nodiscard]] constexpr std::uint64_t hugePagesFor(Bytes bytes) {
    return roundUp(bytes, kHugePage) / kHugePage;
}

/// The `buffer` parameter of the sources that read: 4 KiB to kMaxSpan.
[[nodiscard]] ParameterSpec bufferParameter(std::string_view defaultValue);

/// The `depth` parameter of the sources that keep several buffers: 2 to 64.
[[nodiscard]] ParameterSpec depthParameter(std::string_view defaultValue);
[[nodiscard]] unsigned depthOf(const Parameters& parameters);

/// An Availability that says no, as the error of open().
[[nodiscard]] Status asStatus(const Availability& availability);

}  // namespace mmapscope
