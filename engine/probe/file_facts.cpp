#include "probe/file_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>

#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/fields.h"
#include "probe/file_look.h"
#include "probe/mount_info.h"
#include "probe/storage.h"
#include "probe/system_facts.h"
#include "probe/task_status.h"

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCapFowner = 3;  ///< capabilities(7)

/// Filesystems whose files are made as they are read: their size says nothing of their bytes.
constexpr std::array<std::string_view, 13> kKernelFilesystems{
    "proc",     "sysfs", "cgroup", "cgroup2",  "debugfs",   "tracefs",    "securityfs",
    "configfs", "bpf",   "pstore", "efivarfs", "selinuxfs", "binfmt_misc"};

/// Empty when it is a regular file.
std::string_view notRegular(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG:
            return {};
        case S_IFDIR:
            return "a directory; choose a file in it";
        case S_IFIFO:
            return "a FIFO (named pipe), which has no pages to map or read again; save its bytes to a file "
                   "first";
        case S_IFSOCK:
            return "a socket, not a file; choose a regular file";
        case S_IFBLK:
        case S_IFCHR:
            return "a device, not a file; copy the bytes to a regular file first";
        default:
            return "not a regular file; choose a regular file";
    }
}

std::optional<std::uint64_t> mountIdOf(int fd) {
#ifdef STATX_MNT_ID
    struct statx stx {};
    if (::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) == 0 && (stx.stx_mask & STATX_MNT_ID) != 0) {
        return stx.stx_mnt_id;
    }
#endif
    return std::nullopt;
}

bool sameTime(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

namespace look {

tl::unexpected<Error> explainMissing(const std::string& path, int errnum) {
    switch (errnum) {
        case ENOENT: {
            std::error_code error;
            const fs::path target = fs::read_symlink(path, error);
            if (!error) {
                return refuse(path,
                              fmt::format("a symbolic link to {}, which is not there; choose another file",
                                          printable(target.string())));
            }
            return refuse(path, "no such file; check the name");
        }
        case ENOTDIR:
            return refuse(path, "a part of this path is a file, not a directory; check the name");
        case ELOOP:
            return refuse(path, "symbolic links that lead in a circle; name the file itself");
        case EACCES:
            return refuse(path,
                          "no permission to look into one of the directories on the way; "
                          "ask for search permission (x) on them");
        case ENAMETOOLONG:
            return refuse(path,
                          fmt::format("longer than Linux takes ({} bytes a path, {} a name); shorten it, or "
                                      "choose a folder less deep",
                                      PATH_MAX - 1, NAME_MAX));
        default:
            return failErrno(ErrorKind::input, printable(path), errnum);
    }
}

tl::unexpected<Error> explainOpen(const std::string& path, const struct stat& st, int errnum) {
    if (errnum == EACCES || errnum == EPERM) {
        return refuse(path,
                      fmt::format("no permission to read it (owner {}, mode {:04o}); run as its owner, or "
                                  "have read permission granted",
                                  st.st_uid, st.st_mode & 07777U));
    }
    return explainMissing(path, errnum);
}

/// What the kernel asks before it tells residency (inode_owner_or_capable): the owner, or CAP_FOWNER over an
/// owner that this user namespace knows.
bool isOwned(const struct stat& st) {
    if (st.st_uid == ::geteuid()) {
        return true;
    }
    const auto status = readKernelText("/proc/self/status");
    const auto capabilities = status ? parseTaskStatus(*status).effectiveCapabilities : std::nullopt;
    if (!capabilities || ((*capabilities >> kCapFowner) & 1U) == 0) {
        return false;
    }
    const auto overflow = readKernelText("/proc/sys/kernel/overflowuid");
    const auto unmapped = overflow ? parseUnsigned(trimmed(*overflow)) : std::nullopt;
    if (!unmapped || *unmapped != st.st_uid) {
        return true;
    }
    // The overflow id is an owner without a place in this namespace, unless every id has one.
    const auto map = readKernelText("/proc/self/uid_map");
    return map && map->find("4294967295") != std::string::npos;
}

FileStamp stampFrom(const struct stat& st) {
    return {st.st_dev, st.st_ino, Bytes(static_cast<std::uint64_t>(std::max<off_t>(st.st_size, 0))),
            st.st_mtim, st.st_ctim};
}

void addMount(FileFacts& facts, int fd) {
    const auto text = readKernelText("/proc/self/mountinfo");
    if (!text) {
        facts.storageReason = text.error().message;
        return;
    }
    const auto mounts = parseMountInfo(*text);
    std::error_code error;
    const fs::path real = fs::canonical(facts.path, error);
    const MountEntry* mount =
        findMount(mounts, mountIdOf(fd), facts.stamp.device, error ? facts.path : real.string());
    if (mount == nullptr) {
        facts.storageReason = "its mount is not in /proc/self/mountinfo";
        return;
    }
    facts.filesystem = mount->filesystem;
    facts.mountPoint = mount->mountPoint;
    facts.mountOptions = allOptions(*mount);
    facts.device = mount->source;
    StorageFacts storage = storageOf(*mount, mounts);
    facts.storage = storage.storage;
    facts.storageReason = std::move(storage.reason);
    facts.readAhead = storage.readAhead;
    facts.layers = std::move(storage.layers);
}

Status checkPath(const std::string& path) {
    if (path.empty()) {
        return fail(ErrorKind::input, "no file was named; give the path of a regular file");
    }
    if (path.find('\0') != std::string::npos) {
        return refuse(path, "the path holds a NUL byte, which no file name can; check the name");
    }
    return {};
}

std::string absolutePath(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return error ? path : absolute.string();
}

bool isKernelFilesystem(std::string_view filesystem) {
    return std::find(kKernelFilesystems.begin(), kKernelFilesystems.end(), filesystem) !=
           kKernelFilesystems.end();
}

}  // namespace look

using namespace look;

std::string_view name(StorageClass storage) {
    switch (storage) {
        case StorageClass::nvme:
            return "nvme";
        case StorageClass::ssd:
            return "ssd";
        case StorageClass::rotational:
            return "rotational";
        case StorageClass::virtualDisk:
            return "virtual";
        case StorageClass::fuse:
            return "fuse";
        case StorageClass::network:
            return "network";
        case StorageClass::memory:
            return "memory";
        case StorageClass::unknown:
            break;
    }
    return "unknown";
}

bool operator==(const FileStamp& a, const FileStamp& b) {
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           sameTime(a.modified, b.modified) && sameTime(a.changed, b.changed);
}

Result<FileStamp> stampOf(int fd) {
    struct stat st {};
    if (::fstat(fd, &st) != 0) {
        return failErrno(ErrorKind::input, "cannot look at the open file", errno);
    }
    return stampFrom(st);
}

Result<FileFacts> inspectFile(const std::string& path) {
    if (const auto sound = checkPath(path); !sound) {
        return tl::unexpected(sound.error());
    }
    // Looked at before it is opened: opening a FIFO or a device would wait, or do something.
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) {
        return explainMissing(path, errno);
    }
    if (const auto why = notRegular(st.st_mode); !why.empty()) {
        return refuse(path, why);
    }
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) {
        return explainOpen(path, st, errno);
    }
    if (::fstat(fd.get(), &st) != 0) {
        return failErrno(ErrorKind::input, printable(path), errno);
    }
    if (const auto why = notRegular(st.st_mode); !why.empty()) {
        return refuse(path, why);
    }
    FileFacts facts;
    facts.path = absolutePath(path);
    facts.stamp = stampFrom(st);
    facts.bytes = facts.stamp.size;
    facts.allocated = Bytes(static_cast<std::uint64_t>(st.st_blocks) * 512);
    facts.writable = ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
    facts.owned = isOwned(st);
    addMount(facts, fd.get());
    if (isKernelFilesystem(facts.filesystem)) {
        return refuse(path,
                      fmt::format("made by the kernel as it is read ({} says it has {} bytes); copy it to a "
                                  "regular file first",
                                  facts.filesystem, facts.bytes.count()));
    }
    if (facts.bytes.isZero()) {
        char byte = 0;
        if (::pread(fd.get(), &byte, 1, 0) > 0) {
            return refuse(path,
                          "its size reads as 0 although it has bytes, so it can't be mapped; copy it to a "
                          "regular file first");
        }
    }
    return facts;
}

}  // namespace mmapscope
