#include "core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

#include "core/text.h"
#include "core/unique_fd.h"

namespace mmapscope {
std::string writeAdvice(int errnum) {
    switch (errnum) {
        case ENOSPC:
        case EDQUOT:
            return "; free some space or choose another folder";
        case EACCES:
        case EPERM:
        case EROFS:
            return "; choose a folder you may write to";
        case ENOENT:
        case ENOTDIR:
            return "; make the folder first";
        case ENXIO:
            return "; nobody reads it: start its reader first, or choose a regular file";
        case EFBIG:
            return "; raise the limit on the size of files (ulimit -f)";
        default:
            return "; choose another name";
    }
}

namespace {

tl::unexpected<Error> cannotWrite(const std::string& path, int errnum) {
    return fail(ErrorKind::failed,
                failErrno(ErrorKind::failed, printable(path) + " can't be written", errnum).value().message +
                    writeAdvice(errnum));
}

/// Where the bytes go: a symbolic link's target, so that the link stays one.
struct Target {
    std::string path;
    std::string folder;
    std::optional<struct stat> existing;

    [[nodiscard]] bool isRegular() const { return !existing || S_ISREG(existing->st_mode); }
};

Result<Target> targetOf(const std::string& path) {
    if (path.empty()) {
        return fail(ErrorKind::failed, "a file name is needed, and it is empty");
    }
    Target target;
    target.path = path;
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) {
        if (S_ISDIR(found.st_mode)) {
            return cannotWrite(path, EISDIR);
        }
        target.existing = found;
        if (char* resolved = ::realpath(path.c_str(), nullptr)) {
            target.path = resolved;
            std::free(resolved);
        }
    } else if (errno != ENOENT) {
        return cannotWrite(path, errno);
    }
    const std::size_t slash = target.path.rfind('/');
    target.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : target.path.substr(0, slash);
    return target;
}

int writeAll(int fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return errno;
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

/// A new file beside the target, removed again unless it was renamed over it.
class Temporary {
  public:
    explicit Temporary(const std::string& folder) {
        static std::atomic<unsigned> serial{0};
        do {
            path_ = fmt::format("{}/.mmapscope-{}-{}.tmp", folder, ::getpid(), serial++);
            fd_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        } while (!fd_ && errno == EEXIST);
        error_ = fd_ ? 0 : errno;
        if (fd_) {
            ::flock(fd_.get(), LOCK_EX | LOCK_NB);  // tells it from one whose writer was killed
        }
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        if (fd_) {
            ::unlink(path_.c_str());
        }
    }

    /// errno of its creation, or 0.
    [[nodiscard]] int error() const { return error_; }

    [[nodiscard]] int fill(std::string_view content) const {
        const int error = writeAll(fd_.get(), content);
        return error != 0 ? error : ::fsync(fd_.get()) != 0 ? errno : 0;
    }

    [[nodiscard]] int replace(const Target& target) {
        if (target.existing) {
            // Best effort: a file that belongs to someone else stays theirs where we may do that.
            const struct stat& old = *target.existing;
            [[maybe_unused]] const int owner = ::fchown(fd_.get(), old.st_uid, old.st_gid);
            [[maybe_unused]] const int mode = ::fchmod(fd_.get(), old.st_mode & 07777U);
        }
        if (::rename(path_.c_str(), target.path.c_str()) != 0) {
            return errno;
        }
        fd_.reset();
        return 0;
    }

  private:
    std::string path_;
    UniqueFd fd_;
    int error_ = 0;
};

bool isTemporaryName(std::string_view name) {
    constexpr std::string_view kBegin = ".mmapscope-";
    constexpr std::string_view kEnd = ".tmp";
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.size() <= kBegin.size() + kEnd.size()) {
        return false;
    }
    const auto middle = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    return middle.find_first_not_of("0123456789-") == std::string_view::npos;
}

/// Removes what writers that were killed left in the folder: ours, locked by nobody, and old enough for its
/// writer to have locked it.
void removeLeftovers(const std::string& folder) {
    namespace fs = std::filesystem;
    constexpr time_t kOldEnough = 60;  // s
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (!isTemporaryName(at->path().filename().native())) {
            continue;
        }
        const UniqueFd fd(::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat facts {};
        if (fd && ::fstat(fd.get(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() &&
            facts.st_mtime + kOldEnough < ::time(nullptr) && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
            ::unlink(at->path().c_str());
        }
    }
}

/// So that the rename survives a power cut. Filesystems that can't do it for folders say EINVAL.
int syncFolder(const std::string& folder) {
    const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) {
        return 0;  // a folder we may write but not read
    }
    return ::fsync(fd.get()) == 0 || errno == EINVAL ? 0 : errno;
}

/// A device or FIFO (such as /dev/null) has no old content to keep, and must not be replaced.
Status writeThrough(const std::string& path, std::string_view content) {
    // Opening a FIFO nobody reads would wait for ever; so it is ENXIO.
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return cannotWrite(path, errno);
    }
    ::fcntl(fd.get(), F_SETFL, O_WRONLY);
    const int error = writeAll(fd.get(), content);
    return error == 0 ? Status() : cannotWrite(path, error);
}

}  // namespace

Status writeFileAtomically(const std::string& path, std::string_view content) {
    const auto target = targetOf(path);
    if (!target) {
        return tl::unexpected(target.error());
    }
    if (!target->isRegular()) {
        return writeThrough(target->path, content);
    }
    Temporary temporary(target->folder);
    int error = temporary.error();
    error = error != 0 ? error : temporary.fill(content);
    error = error != 0 ? error : temporary.replace(*target);
    error = error != 0 ? error : syncFolder(target->folder);
    return error == 0 ? Status() : cannotWrite(path, error);
}

Status checkWritable(const std::string& path) {
    const auto target = targetOf(path);
    if (!target) {
        return tl::unexpected(target.error());
    }
    if (!target->isRegular()) {
        return ::access(target->path.c_str(), W_OK) == 0 ? Status() : cannotWrite(path, errno);
    }
    const std::size_t name = target->path.size() - (target->path.rfind('/') + 1);
    if (name > NAME_MAX) {
        return cannotWrite(path, ENAMETOOLONG);
    }
    removeLeftovers(target->folder);
    const Temporary temporary(target->folder);
    return temporary.error() == 0 ? Status() : cannotWrite(path, temporary.error());
}

bool isSameFile(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    struct stat first {};
    struct stat second {};
    if (::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0) {
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    }
    std::error_code error;
    const fs::path one = fs::weakly_canonical(fs::absolute(a, error), error);
    const fs::path other = fs::weakly_canonical(fs::absolute(b, error), error);
    return !error && one == other;
}

bool isReplacedWhenWritten(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
}

namespace {

/// Whether `path`, be it there yet or not, lies in the folder `measured` or below.
bool isWithin(const std::string& path, const std::string& measured) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_directory(measured, error)) {
        return false;
    }
    const fs::path inner = fs::weakly_canonical(fs::absolute(path, error), error);
    const fs::path outer = fs::canonical(measured, error);
    return !error &&
           std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

Status checkKeepsMeasured(const std::string& path, const std::string& measured) {
    if (isWithin(path, measured)) {
        return fail(ErrorKind::usage,
                    fmt::format("{} lies in the folder that is measured and would change it; "
                                "choose another folder",
                                printable(path)));
    }
    if (!isSameFile(path, measured)) {
        return {};
    }
    return fail(ErrorKind::usage, fmt::format("{} is the file that is measured and would be overwritten; "
                                              "choose another name",
                                              printable(path)));
}

}  // namespace mmapscope
