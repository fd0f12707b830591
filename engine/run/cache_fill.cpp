#include "run/cache_fill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/accounting.h"
#include "probe/residency.h"

namespace mmapscope {
namespace {

/// Long calls are cut here. Folios are aligned to their size and no larger, so no cut divides one: a folio
/// that lies only partly in an advised range is not evicted.
constexpr Bytes kPiece = mib(64);
constexpr Bytes kReadSize = mib(1);
constexpr Bytes kLargestFolio = kHugePage;

Status inPieces(Range range, const std::stop_token& stop, const std::function<void(Bytes, Bytes)>& call) {
    for (Bytes at = range.begin; at < range.end;) {
        if (Status go = checkpoint(stop); !go) {
            return go;
        }
        const Bytes next = std::min(range.end, roundDown(at, kPiece) + kPiece);
        call(at, next - at);
        at = next;
    }
    return {};
}

/// Reads the range with calls of at most kReadSize into `buffer`.
Status readThrough(int fd, Range range, std::byte* buffer, const std::stop_token& stop,
                   const FillProgress& progress) {
    Bytes sinceLook;
    for (Bytes at = range.begin; at < range.end;) {
        const Bytes want = std::min(kReadSize, range.end - at);
        const ssize_t got = ::pread(fd, buffer, want.size(), static_cast<off_t>(at.count()));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::failed,
                             fmt::format("preparing the page cache: reading at offset {}", at.count()),
                             errno);
        }
        if (got == 0) {
            return fail(
                ErrorKind::changed,
                fmt::format("the file ended at {} of {} bytes while its page cache was prepared; run again "
                            "when nothing writes to it",
                            at.count(), range.end.count()));
        }
        at += Bytes(static_cast<std::uint64_t>(got));
        sinceLook += Bytes(static_cast<std::uint64_t>(got));
        if (sinceLook >= mib(1)) {
            sinceLook = Bytes(0);
            if (Status go = checkpoint(stop); !go) {
                return go;
            }
            if (progress) {
                progress(at - range.begin);
            }
        }
    }
    return {};
}

Status fillUnder(int advice, int fd, Range range, const std::stop_token& stop, const FillProgress& progress) {
    (void)::posix_fadvise(fd, 0, 0, advice);
    const auto buffer = std::make_unique<std::byte[]>(kReadSize.size());
    return readThrough(fd, range, buffer.get(), stop, progress);
}

}  // namespace

Status writeBack(int fd, Range range, const std::stop_token& stop) {
    constexpr unsigned kWriteAndWait =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    const Status written = inPieces(range, stop, [fd](Bytes at, Bytes length) {
        (void)::sync_file_range(fd, static_cast<off64_t>(at.count()), static_cast<off64_t>(length.count()),
                                kWriteAndWait);
    });
    if (written) {
        (void)::fdatasync(fd);
    }
    return written;
}

Status evict(int fd, Range range, const std::stop_token& stop, const FillProgress& progress) {
    const Range whole{roundDown(range.begin, kLargestFolio), roundUp(range.end, kLargestFolio)};
    return inPieces(whole, stop, [&](Bytes at, Bytes length) {
        (void)::posix_fadvise(fd, static_cast<off_t>(at.count()), static_cast<off_t>(length.count()),
                              POSIX_FADV_DONTNEED);
        if (progress) {
            progress(std::min(at + length, range.end) - std::min(range.begin, at));
        }
    });
}

Status fillSequentially(int fd, Range range, const std::stop_token& stop, const FillProgress& progress) {
    return fillUnder(POSIX_FADV_NORMAL, fd, range, stop, progress);
}

Status fillWithSmallFolios(int fd, Range range, const std::stop_token& stop, const FillProgress& progress) {
    return fillUnder(POSIX_FADV_RANDOM, fd, range, stop, progress);
}

Status fillMissing(int fd, Range range, const std::stop_token& stop, const FillProgress& progress) {
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
    const auto buffer = std::make_unique<std::byte[]>(kReadSize.size());
    Status filled;
    const Status walked = walkResidency(fd, range, [&](Bytes at, std::span<const unsigned char> pages) {
        const auto present = [](unsigned char page) { return (page & 1U) != 0; };
        for (auto page = pages.begin(); page != pages.end() && filled;) {
            const auto from = std::find_if_not(page, pages.end(), present);
            const auto to = std::find_if(from, pages.end(), present);
            const auto offset = [&](auto it) {
                return at + pageSize() * static_cast<std::uint64_t>(it - pages.begin());
            };
            const Range missing{offset(from), std::min(offset(to), range.end)};
            if (missing.begin < missing.end) {
                filled = readThrough(fd, missing, buffer.get(), stop, {});
            }
            if (progress) {
                progress(std::min(offset(to), range.end) - std::min(range.begin, at));
            }
            page = to;
        }
        return filled.has_value();
    });
    return walked ? filled : walked;
}

}  // namespace mmapscope
