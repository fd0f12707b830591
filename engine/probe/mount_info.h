// /proc/PID/mountinfo (proc_pid_mountinfo(5)): which filesystem a file lies on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mmapscope {

/// One line of mountinfo, its octal escapes (\040 space, \011 tab, \012 newline, \134 backslash) undone.
struct MountEntry {
    std::uint64_t id = 0;
    dev_t device = 0;  ///< the superblock's; btrfs and overlay give their files other ones
    std::string root;  ///< the part of the filesystem that is mounted
    std::string mountPoint;
    std::string options;  ///< of the mount
    std::string filesystem;
    std::string source;
    std::string superOptions;
};

/// Lines that don't have the documented form are left out. Order as in the text.
[[nodiscard]] std::vector<MountEntry> parseMountInfo(std::string_view text);

/// By the mount id statx(2) gave, where it gave one; else by the deepest mount point above `path` (the later
/// line wins, as it lies on top), preferring those whose device is the file's. nullptr when nothing fits.
[[nodiscard]] const MountEntry* findMount(const std::vector<MountEntry>& mounts,
                                          std::optional<std::uint64_t> id, std::optional<dev_t> device,
                                          std::string_view path);

/// "rw,relatime,discard": the mount's own options and then those of the superblock it doesn't repeat.
[[nodiscard]] std::string allOptions(const MountEntry& mount);

/// Undoes the octal escapes the kernel writes into paths: "a\040b" → "a b".
[[nodiscard]] std::string undoOctalEscapes(std::string_view text);

}  // namespace mmapscope
