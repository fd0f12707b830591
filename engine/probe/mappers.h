// Which processes map a file: they keep its pages in memory whatever the page cache is asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/file_facts.h"

namespace mmapscope {

struct Mapper {
    std::uint64_t pid = 0;
    std::string command;  ///< /proc/PID/comm
};

/// Processes with a mapping of the file, as far as their /proc/PID/maps may be read by us; at most `most`.
/// Tens of milliseconds on a busy machine: for explaining, not for measuring. `procRoot` is /proc.
[[nodiscard]] std::vector<Mapper> mappersOf(const FileFacts& file, std::size_t most,
                                            const std::string& procRoot = "/proc");

/// Whether a line of /proc/PID/maps maps that file: by inode and device, or by inode and path where the
/// filesystem (btrfs, overlay) shows another device there.
[[nodiscard]] bool mapsLineIs(std::string_view line, const FileFacts& file);

}  // namespace mmapscope
