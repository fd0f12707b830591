#include "source/direct_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "core/text.h"

namespace mmapscope {
namespace {

constexpr const char* kRefused = "the filesystem refuses O_DIRECT";

// statx(2) tells since Linux 6.1; a page satisfies every block device there is.
Bytes alignmentOf(int fd) {
#ifdef STATX_DIOALIGN
    struct statx facts {};
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 && (facts.stx_mask & STATX_DIOALIGN) != 0 &&
        facts.stx_dio_offset_align != 0) {
        const Bytes told(std::max(facts.stx_dio_offset_align, facts.stx_dio_mem_align));
        return std::min(told, pageSize());
    }
#endif
    (void)fd;
    return pageSize();
}

}  // namespace

Status DirectFile::open(const SourceInput& input) {
    fileBytes_ = input.fileBytes;
    if (auto status = buffered_.open(input); !status) {
        return status;
    }
    direct_.reset(::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
    if (!direct_) {
        const int errnum = errno;
        if (errnum == EINVAL || errnum == EOPNOTSUPP) {
            const auto facts = inspectFile(input.path);
            return failErrno(
                ErrorKind::unavailable,
                fmt::format("{} (on {}): {}", printable(input.path),
                            facts ? facts->filesystem : std::string("an unknown filesystem"), kRefused),
                errnum);
        }
        return failErrno(ErrorKind::input, fmt::format("opening {} with O_DIRECT", printable(input.path)),
                         errnum);
    }
    // The few bytes that come through the cache must not draw a whole readahead after them.
    (void)posix_fadvise(buffered_.fd(), 0, 0, POSIX_FADV_RANDOM);
    alignment_ = alignmentOf(direct_.get());
    return {};
}

void DirectFile::close() noexcept {
    direct_.reset();
    buffered_.close();
}

Range DirectFile::directPart(Range block) const noexcept {
    const Bytes begin = roundDown(block.begin, alignment_);
    const Bytes up = roundUp(block.end, alignment_);
    return {begin, std::max(begin, up <= fileBytes_ ? up : roundDown(block.end, alignment_))};
}

Status DirectFile::readTail(std::byte* to, Range block, Bytes done) const {
    Bytes at = roundDown(block.begin, alignment_) + done;
    to += done.size();
    while (at < block.end) {
        const ssize_t got = preadSome(buffered_.fd(), to, block.end - at, at);
        if (got < 0) {
            return buffered_.readError(errno);
        }
        if (got == 0) {
            return buffered_.ended(at);
        }
        at += Bytes(static_cast<std::uint64_t>(got));
        to += got;
    }
    return {};
}

Availability directReads(const FileFacts& file) {
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
    if (fd || errno != EINVAL) {
        return Availability::yes();  // whatever else is wrong with the file is the run's to say
    }
    return Availability::no(fmt::format("{} ({})", kRefused, file.filesystem));
}

}  // namespace mmapscope
