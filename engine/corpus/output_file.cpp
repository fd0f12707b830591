#include "corpus/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "core/accounting.h"
#include "core/atomic_file.h"
#include "core/text.h"

namespace mmapscope {
namespace {

constexpr Bytes kSyncPiece = mib(16);
constexpr mode_t kMode = 0666;  // less the umask, as any program that creates a file

std::string hiddenName(const std::string& folder) {
    static std::atomic<unsigned> count{0};
    return fmt::format("{}/.mmapscope-{}-{}.part", folder, ::getpid(), count++);
}

std::string folderOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Where a symbolic link leads, so that what it points to is replaced and not the link.
std::string followed(const std::string& path) {
    char* const real = ::realpath(path.c_str(), nullptr);
    std::string result = real == nullptr ? path : real;
    std::free(real);
    return result;
}

Bytes freeIn(const std::string& folder) {
    struct statvfs facts {};
    return ::statvfs(folder.c_str(), &facts) == 0 ? Bytes(std::uint64_t{facts.f_bavail} * facts.f_frsize)
                                                  : Bytes(UINT64_MAX);
}

bool noNamelessFiles(int error) {
    return error == EOPNOTSUPP || error == EISDIR || error == ENOENT || error == EINVAL;
}

}  // namespace

OutputFile::~OutputFile() {
    if (fd_ && !hidden_.empty()) {
        ::unlink(hidden_.c_str());
    }
}

Result<OutputFile> OutputFile::create(const std::string& path, Nameless nameless) {
    OutputFile file;
    if (path.empty()) {
        return fail(ErrorKind::usage, "no output file is named: give --out FILE");
    }
    file.target_ = followed(path);
    struct stat facts {};
    if (::stat(file.target_.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
        return fail(ErrorKind::usage,
                    fmt::format("{}: is {}; name a file to write", printable(path),
                                S_ISDIR(facts.st_mode) ? "a directory"
                                                       : "a device, FIFO or socket, not a regular file"));
    }
    if (path.ends_with('/')) {
        return fail(ErrorKind::usage,
                    fmt::format("{}: is the name of a directory; name a file to write", printable(path)));
    }
    file.folder_ = folderOf(file.target_);
    int error = EOPNOTSUPP;
    if (nameless == Nameless::ifPossible) {
        file.fd_.reset(::open(file.folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
        error = errno;
    }
    if (!file.fd_ && noNamelessFiles(error)) {
        file.hidden_ = hiddenName(file.folder_);
        file.fd_.reset(::open(file.hidden_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
        error = errno;
    }
    if (!file.fd_) {
        // As under /proc: the folder is there and takes no files.
        const bool takesNone = error == ENOENT && ::access(file.folder_.c_str(), F_OK) == 0;
        return fail(
            ErrorKind::failed,
            fmt::format("{} can't be written: {}{}", printable(path), std::generic_category().message(error),
                        takesNone ? "; that folder takes no files: choose another one" : writeAdvice(error)));
    }
    return file;
}

Status OutputFile::requireSpace(Bytes bytes) {
    needed_ = bytes;
    const Bytes available = freeIn(folder_);
    if (available < bytes) {
        return fail(
            ErrorKind::failed,
            fmt::format("{}: about {} are needed and {} are free in {}; make room or write elsewhere",
                        printable(target_), formatBytes(bytes), formatBytes(available), printable(folder_)));
    }
    return {};
}

Status OutputFile::write(std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd_.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT)) {
            const std::string_view what = errno == ENOSPC ? "the disk is full" : "the quota is used up";
            return fail(ErrorKind::failed,
                        fmt::format("{}: {} after {} of about {} (given back); make room in {} or write "
                                    "elsewhere",
                                    printable(target_), what, formatBytes(written_),
                                    formatBytes(std::max(needed_, written_)), printable(folder_)));
        }
        if (n < 0) {
            return failErrno(
                ErrorKind::failed,
                fmt::format("{}: can't be written to at byte {}", printable(target_), written_.count()),
                errno);
        }
        written_ += Bytes(static_cast<std::uint64_t>(n));
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

Status OutputFile::giveName() {
    // linkat(2): an O_TMPFILE file gets its name through its /proc entry. It can't replace a file, rename(2)
    // can.
    const std::string entry = fmt::format("/proc/self/fd/{}", fd_.get());
    std::string name = hiddenName(folder_);
    int result = ::linkat(AT_FDCWD, entry.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    while (result != 0 && errno == EEXIST) {
        name = hiddenName(folder_);
        result = ::linkat(AT_FDCWD, entry.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    }
    if (result != 0) {
        return failErrno(ErrorKind::failed,
                         fmt::format("{}: the finished file can't be given a name", printable(target_)),
                         errno);
    }
    hidden_ = std::move(name);
    return {};
}

Status OutputFile::commit(const std::stop_token& stop) {
    // In pieces, so that a stop is heard; fsync(2) alone says whether the disk took them.
    for (Bytes offset; offset < written_; offset += kSyncPiece) {
        if (Status status = checkpoint(stop); !status) {
            return status;
        }
        ::sync_file_range(fd_.get(), static_cast<off64_t>(offset.count()),
                          static_cast<off64_t>(kSyncPiece.count()),
                          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    }
    if (::fsync(fd_.get()) != 0) {
        return failErrno(ErrorKind::failed, fmt::format("{}: the disk didn't take it", printable(target_)),
                         errno);
    }
    if (hidden_.empty()) {
        if (Status status = giveName(); !status) {
            return status;
        }
    }
    if (::rename(hidden_.c_str(), target_.c_str()) != 0) {
        return failErrno(ErrorKind::failed, fmt::format("{}: can't be put in place", printable(target_)),
                         errno);
    }
    hidden_.clear();
    const UniqueFd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) {
        (void)::fsync(folder.get());  // some filesystems can't; the name is there either way
    }
    return {};
}

}  // namespace mmapscope
