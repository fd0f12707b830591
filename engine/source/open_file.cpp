#include "source/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/reopen.h"
#include "core/text.h"

namespace mmapscope {
namespace {

bool sameTime(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Result<UniqueFd> openForReading(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return failReopen(ErrorKind::input, path, errno);
    }
    return fd;
}

}  // namespace

ssize_t preadSome(int fd, std::byte* to, Bytes count, Bytes offset) noexcept {
    ssize_t got = -1;
    do {
        got = pread(fd, to, count.size(), static_cast<off_t>(offset.count()));
    } while (got < 0 && errno == EINTR);
    return got;
}

ssize_t readSome(int fd, std::byte* to, Bytes count) noexcept {
    ssize_t got = -1;
    do {
        got = read(fd, to, count.size());
    } while (got < 0 && errno == EINTR);
    return got;
}

Status OpenFile::open(const SourceInput& input) {
    path_ = input.path;
    planned_ = input.fileBytes;
    auto fd = openForReading(path_);
    if (!fd) {
        return tl::unexpected(fd.error());
    }
    fd_ = std::move(*fd);
    if (fstat(fd_.get(), &opened_) != 0) {
        return failErrno(ErrorKind::input, fmt::format("looking at {}", printable(path_)), errno);
    }
    if (!S_ISREG(opened_.st_mode)) {
        return fail(ErrorKind::input,
                    fmt::format("{} is no regular file any more: it was replaced; choose another file",
                                printable(path_)));
    }
    return {};
}

Result<UniqueFd> OpenFile::reopen() const {
    auto fd = openForReading(path_);
    if (!fd) {
        return fd;
    }
    struct stat now {};
    if (fstat(fd->get(), &now) != 0 || now.st_dev != opened_.st_dev || now.st_ino != opened_.st_ino) {
        return fail(
            ErrorKind::changed,
            fmt::format("{} was replaced by another file while it was read; run again", printable(path_)));
    }
    return fd;
}

Status OpenFile::fill(std::byte* to, Range range, const std::stop_token& stop) const {
    Bytes done;
    while (done < range.length()) {
        if (auto status = checkpoint(stop); !status) {
            return status;
        }
        const Bytes step = std::min(kStopStep, range.length() - done);
        const ssize_t got = preadSome(fd_.get(), to + done.size(), step, range.begin + done);
        if (got < 0) {
            return readError(errno);
        }
        if (got == 0) {
            return ended(range.begin + done);
        }
        done += Bytes(static_cast<std::uint64_t>(got));
    }
    return {};
}

tl::unexpected<Error> OpenFile::ended(Bytes offset) const {
    return fail(ErrorKind::changed,
                fmt::format("{} ended at {} of {} bytes: it shrank while it was read; run again once nothing "
                            "writes to it",
                            printable(path_), offset.count(), planned_.count()));
}

tl::unexpected<Error> OpenFile::readError(int errnum) const {
    const ErrorKind kind = errnum == EFAULT ? ErrorKind::unavailable : ErrorKind::failed;
    return failErrno(kind, fmt::format("reading {}", printable(path_)), errnum);
}

Status OpenFile::explain(const Status& mapping) const {
    if (mapping || mapping.error().kind != ErrorKind::changed) {
        return mapping;
    }
    struct stat now {};
    if (fstat(fd_.get(), &now) != 0) {
        return mapping;
    }
    const Bytes size(static_cast<std::uint64_t>(now.st_size));
    if (size < planned_) {
        return ended(size);
    }
    if (!sameTime(now.st_mtim, opened_.st_mtim) || !sameTime(now.st_ctim, opened_.st_ctim)) {
        return fail(ErrorKind::changed,
                    fmt::format("{} changed while it was read; run again once nothing writes to it",
                                printable(path_)));
    }
    return fail(
        ErrorKind::failed,
        fmt::format("a page of {} could not be read through its mapping (SIGBUS) although the file is "
                    "unchanged: look for a device error in the kernel's log",
                    printable(path_)));
}

}  // namespace mmapscope
