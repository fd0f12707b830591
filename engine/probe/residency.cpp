#include "probe/residency.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/reopen.h"
#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/kernel_calls.h"

namespace mmapscope {
namespace {

tl::unexpected<Error> notOurs(const FileFacts& file) {
    return fail(
        ErrorKind::unavailable,
        fmt::format("not your file: the kernel tells residency only to the owner of {} or who may write it; "
                    "run as its owner, or on a copy",
                    printable(file.path)));
}

Result<UniqueFd> openToLook(const FileFacts& file) {
    if (!file.owned && !file.writable) {
        return notOurs(file);
    }
    UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return failReopen(ErrorKind::unavailable, file.path, errno);
    }
    return fd;
}

std::uint64_t pagesOf(Range range) {
    return (roundUp(range.end, pageSize()) - roundDown(range.begin, pageSize())) / pageSize();
}

Residency counted(Range range, std::uint64_t residentPages, std::uint64_t dirtyPages) {
    // The last page may hold fewer bytes than a page: all pages resident means all bytes.
    const Bytes total = range.length();
    return {residentPages >= pagesOf(range) ? total : std::min(total, pageSize() * residentPages),
            std::min(total, pageSize() * dirtyPages), total};
}

}  // namespace

Status walkResidency(int fd, Range range,
                     const std::function<bool(Bytes, std::span<const unsigned char>)>& visit) {
    constexpr Bytes kWindow = gib(1);
    const Bytes end = roundUp(range.end, pageSize());
    std::vector<unsigned char> pages;
    for (Bytes at = roundDown(range.begin, pageSize()); at < end;) {
        const Bytes length = std::min(kWindow, end - at);
        void* const window =
            ::mmap(nullptr, length.size(), PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(at.count()));
        if (window == MAP_FAILED) {
            return failErrno(ErrorKind::unavailable, "residency: the file can't be mapped to be looked at",
                             errno);
        }
        pages.resize(length / pageSize());
        const int result = ::mincore(window, length.size(), pages.data());
        const int error = errno;
        ::munmap(window, length.size());
        if (result != 0) {
            return failErrno(ErrorKind::unavailable, "mincore", error);
        }
        if (!visit(at, pages)) {
            return {};
        }
        at += length;
    }
    return {};
}

Result<Residency> mincoreResidency(int fd, Range range) {
    std::uint64_t resident = 0;
    const Status walked = walkResidency(fd, range, [&resident](Bytes, std::span<const unsigned char> pages) {
        resident += static_cast<std::uint64_t>(
            std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1U) != 0; }));
        return true;
    });
    if (!walked) {
        return tl::unexpected(walked.error());
    }
    return counted(range, resident, 0);
}

namespace {

Result<Residency> residencyOfFile(const FileFacts& file, Range range) {
    const auto fd = openToLook(file);
    if (!fd) {
        return tl::unexpected(fd.error());
    }
    if (range.length().isZero()) {
        return Residency{};  // a length of 0 would mean "to the end" to cachestat
    }
    if (const auto pages = cachestatOf(fd->get(), range.begin, range.length())) {
        if (pages->cached == 0 && pages->evicted == 0) {
            // A stacked filesystem (overlay) keeps the pages with the file below. cachestat(2) asks the one
            // above, which never has any; a mapping is of the one below, so mincore(2) sees them.
            if (const auto below = mincoreResidency(fd->get(), range); below && !below->resident.isZero()) {
                return below;
            }
        }
        Residency known = counted(range, pages->cached, pages->dirty + pages->writeback);
        known.dirtyKnown = true;
        return known;
    }
    if (errno == EPERM) {
        return notOurs(file);
    }
    return mincoreResidency(fd->get(), range);
}

}  // namespace

Result<Residency> residencyOf(const FileFacts& file, Range range) {
    Residency sum;
    sum.dirtyKnown = true;
    const Status done = forEachFile(file, range, [&](const FileFacts& part, Range local) -> Status {
        const auto one = residencyOfFile(part, local);
        if (!one) {
            return tl::unexpected(one.error());
        }
        sum.resident += one->resident;
        sum.dirty += one->dirty;
        sum.dirtyKnown = sum.dirtyKnown && one->dirtyKnown;
        sum.total += one->total;
        return {};
    });
    return done.map([&] { return sum; });
}

Result<std::vector<float>> residencyMap(const FileFacts& file, std::size_t steps) {
    // A folder's files begin in the midst of a page of the whole; to a picture that makes no difference.
    const std::uint64_t count = pagesOf({Bytes(0), file.bytes});
    if (count == 0 || steps == 0) {
        return std::vector<float>();
    }
    std::vector<std::uint64_t> seen(steps, 0);
    std::vector<std::uint64_t> resident(steps, 0);
    // A page counts for every step it has a part in, so that none is empty when there are more steps than
    // pages.
    const auto stepOf = [&](std::uint64_t page) {
        return static_cast<std::size_t>(static_cast<double>(page) / static_cast<double>(count) *
                                        static_cast<double>(steps));
    };
    Bytes begin;  // of the file in the whole
    const auto add = [&](Bytes at, std::span<const unsigned char> pages) {
        const std::uint64_t first = (begin + at) / pageSize();
        for (std::size_t i = 0; i < pages.size(); ++i) {
            const std::size_t from = std::min(stepOf(first + i), steps - 1);
            const std::size_t to = std::min(steps, std::max(from + 1, stepOf(first + i + 1)));
            for (std::size_t step = from; step < to; ++step) {
                ++seen[step];
                resident[step] += pages[i] & 1U;
            }
        }
        return true;
    };
    const Status walked =
        forEachFile(file, {Bytes(0), file.bytes}, [&](const FileFacts& part, Range local) -> Status {
            const auto fd = openToLook(part);
            const Status done = fd ? walkResidency(fd->get(), local, add) : tl::unexpected(fd.error());
            begin += local.length();
            return done;
        });
    if (!walked) {
        return tl::unexpected(walked.error());
    }
    std::vector<float> map(steps, 0.0F);
    for (std::size_t step = 0; step < steps; ++step) {
        map[step] =
            seen[step] == 0 ? 0.0F : static_cast<float>(resident[step]) / static_cast<float>(seen[step]);
    }
    return map;
}

namespace {

/// mincore(2) costs a call's time however few pages it is asked for: this many at once.
constexpr std::uint64_t kStretch = 16;

/// Share of pages resident in stretches spread over `count` pages from `first`; at most `looks` pages.
Result<float> sampledShare(int fd, std::uint64_t first, std::uint64_t count, std::uint64_t looks) {
    const std::uint64_t stretches = std::max<std::uint64_t>(1, looks / kStretch);
    const std::uint64_t stratum = count / stretches;
    const Bytes length = pageSize() * count;
    void* const window = ::mmap(nullptr, length.size(), PROT_READ, MAP_PRIVATE, fd,
                                static_cast<off_t>((pageSize() * first).count()));
    if (window == MAP_FAILED) {
        return failErrno(ErrorKind::unavailable, "residency: the file can't be mapped to be looked at",
                         errno);
    }
    std::uint64_t seen = 0;
    std::uint64_t resident = 0;
    for (std::uint64_t i = 0; i < stretches; ++i) {
        // Golden-ratio steps within the strata: a fixed distance could fall in with readahead's.
        const std::uint64_t room = stratum > kStretch ? stratum - kStretch : 0;
        const std::uint64_t at = i * stratum + (room == 0 ? 0 : i * 0x9E3779B97F4A7C15ULL % (room + 1));
        const std::uint64_t pages = std::min(kStretch, count - at);
        std::array<unsigned char, kStretch> state{};
        if (::mincore(static_cast<std::byte*>(window) + (pageSize() * at).size(), (pageSize() * pages).size(),
                      state.data()) != 0) {
            const int error = errno;
            ::munmap(window, length.size());
            return failErrno(ErrorKind::unavailable, "mincore", error);
        }
        seen += pages;
        for (std::uint64_t page = 0; page < pages; ++page) {
            resident += state[page] & 1U;
        }
    }
    ::munmap(window, length.size());
    return static_cast<float>(resident) / static_cast<float>(seen);
}

}  // namespace

Result<ResidencyPicture> residencyPicture(const FileFacts& file, std::size_t steps, std::uint64_t mostPages) {
    const std::uint64_t count = pagesOf({Bytes(0), file.bytes});
    // Steps smaller than a stretch are cheaper whole.
    if (file.isFolder() || count <= mostPages || steps == 0 || count / steps <= kStretch) {
        return residencyMap(file, steps).map([](std::vector<float>&& map) {
            return ResidencyPicture{std::move(map), false};
        });
    }
    const auto fd = openToLook(file);
    if (!fd) {
        return tl::unexpected(fd.error());
    }
    ResidencyPicture picture;
    picture.sampled = true;
    picture.shares.reserve(steps);
    const auto borderOf = [&](std::size_t step) {
        return count / steps * step + count % steps * step / steps;
    };
    for (std::size_t step = 0; step < steps; ++step) {
        const std::uint64_t first = borderOf(step);
        const auto share = sampledShare(fd->get(), first, borderOf(step + 1) - first, mostPages / steps);
        if (!share) {
            return tl::unexpected(share.error());
        }
        picture.shares.push_back(*share);
    }
    return picture;
}

}  // namespace mmapscope
