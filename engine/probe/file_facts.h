// What is known of a file before anything reads it.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "probe/storage_layers.h"

namespace mmapscope {

enum class StorageClass { nvme, ssd, rotational, virtualDisk, fuse, network, memory, unknown };
/// nvme|ssd|rotational|virtual|fuse|network|memory|unknown, as the study file writes it.
[[nodiscard]] std::string_view name(StorageClass storage);

/// Identity and state of a file's content, to tell whether it changed under a run (fstat(2)).
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    Bytes size;
    timespec modified{};
    timespec changed{};
};
[[nodiscard]] bool operator==(const FileStamp& a, const FileStamp& b);

/// A file of a folder whose files are read one after the other, as one long file.
struct FileMember {
    std::string path;  ///< below the folder, '/' between its parts
    Bytes begin;       ///< of its first byte in the whole
    FileStamp stamp;

    [[nodiscard]] Range range() const { return {begin, begin + stamp.size}; }
};

struct FileFacts {
    std::string path;  ///< absolute
    FileStamp stamp;
    Bytes bytes;
    Bytes allocated;  ///< st_blocks; less than bytes for a sparse file
    bool writable = false;
    bool owned = false;      ///< owner or root: without that or write access residency is hidden
    std::string filesystem;  ///< "ext4", "tmpfs", "fuse.mergerfs" …, from mountinfo
    std::string mountPoint;
    std::string mountOptions;
    std::string device;  ///< "/dev/vda" or the mount's source
    StorageClass storage = StorageClass::unknown;
    std::string storageReason;         ///< the fact it was concluded from
    std::optional<Bytes> readAhead;    ///< /sys/class/bdi/MAJ:MIN/read_ahead_kb
    std::vector<StorageLayer> layers;  ///< see storageChain(); empty: nothing seen from here
    /// Of a folder (see inspectInput), in the order they are read; a plain file has none.
    std::vector<FileMember> members;
    std::uint64_t leftOut = 0;  ///< entries of the folder that are neither file nor folder: FIFOs, devices

    [[nodiscard]] bool isFolder() const { return !members.empty(); }
};

/// Looks at a regular file. Refused in words (ErrorKind::input): missing, no permission, a directory, FIFO,
/// socket, device, or a file whose size reads as 0 but has bytes (as under /proc and /sys).
/// An empty regular file is fine.
[[nodiscard]] Result<FileFacts> inspectFile(const std::string& path);

/// A regular file, or a folder whose files are read one after the other as one: all in it and below, links
/// followed, in the order of their paths below the folder compared byte by byte, '/' included (mktorrent's
/// order). The stamp is the folder's identity, the sum of sizes and the latest times. Refused in words
/// (ErrorKind::input): as inspectFile for the files in it; links that lead nowhere or in a circle; a folder
/// without any file, or with more than kMostMembers.
[[nodiscard]] Result<FileFacts> inspectInput(const std::string& path);
inline constexpr std::size_t kMostMembers = 200'000;

/// One file of a folder as if it alone had been inspected; whether it is ours or writable is the folder's.
[[nodiscard]] FileFacts memberFacts(const FileFacts& folder, const FileMember& member);
/// The absolute path of a folder's file.
[[nodiscard]] std::string memberPath(const std::string& folder, const FileMember& member);
/// Calls visit(one file's facts, the part of `range` in it) for all that `range` touches, in order, until it
/// fails; once, with the file itself, for a plain file.
[[nodiscard]] Status forEachFile(const FileFacts& input, Range range,
                                 const std::function<Status(const FileFacts&, Range)>& visit);

/// Error: input, when the descriptor can't be looked at.
[[nodiscard]] Result<FileStamp> stampOf(int fd);

}  // namespace mmapscope
