#include "probe/read_latency.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>

#include "core/accounting.h"
#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/residency.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostReads = 64;
constexpr std::size_t kFewestReads = 3;
/// In less than that "random places" are too near each other to make a disk seek.
constexpr Bytes kSmallest = mib(1);

class Page {
  public:
    Page()
        : data_(::mmap(nullptr, pageSize().size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0)) {}
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    ~Page() {
        if (data_ != MAP_FAILED) {
            ::munmap(data_, pageSize().size());
        }
    }
    [[nodiscard]] void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

  private:
    void* data_;
};

FileFacts largestFile(const FileFacts& file) {
    if (!file.isFolder()) {
        return file;
    }
    const auto largest = std::max_element(
        file.members.begin(), file.members.end(),
        [](const FileMember& a, const FileMember& b) { return a.stamp.size < b.stamp.size; });
    return memberFacts(file, *largest);
}

Status canTell(const FileFacts& file) {
    const auto no = [](std::string why) { return fail(ErrorKind::unavailable, std::move(why)); };
    if (file.storage == StorageClass::memory || file.storage == StorageClass::fuse ||
        file.storage == StorageClass::network) {
        return no(fmt::format("{} storage is no device of this machine", name(file.storage)));
    }
    if (file.bytes < kSmallest) {
        return no(fmt::format("{} are too few: at least {} are needed for places that are far apart",
                              formatBytes(file.bytes), formatBytes(kSmallest)));
    }
    // A direct read first writes what is dirty there: not for us to cause.
    const auto cached = residencyOf(file, {Bytes(0), file.bytes});
    if (cached && !cached->dirty.isZero()) {
        return no(fmt::format("{} of the file are not written to the storage yet; `sync FILE`, then again",
                              formatBytes(cached->dirty)));
    }
    return {};
}

/// Of what is not on the disk nothing is read from it. To be asked once nothing is left to be written: until
/// then a filesystem may not have given the file its blocks.
Status isOnDisk(int fd) {
    struct stat now {};
    if (::fstat(fd, &now) != 0) {
        return failErrno(ErrorKind::unavailable, "the file can't be looked at", errno);
    }
    const Bytes size(static_cast<std::uint64_t>(now.st_size));
    const Bytes allocated(static_cast<std::uint64_t>(now.st_blocks) * 512);
    if (allocated < size) {
        return fail(ErrorKind::unavailable,
                    fmt::format("the file has holes or is compressed ({} of {} on disk), so that a read may "
                                "need no device",
                                formatBytes(allocated), formatBytes(size)));
    }
    return {};
}

}  // namespace

Result<ReadLatency> measureReadLatency(const FileFacts& input, const std::stop_token& stop,
                                       std::chrono::nanoseconds budget) {
    const FileFacts file = largestFile(input);
    if (const Status possible = canTell(file); !possible) {
        return tl::unexpected(possible.error());
    }
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT));
    if (!fd) {
        return failErrno(ErrorKind::unavailable, "the file can't be read past the page cache (O_DIRECT)",
                         errno);
    }
    if (const Status onDisk = isOnDisk(fd.get()); !onDisk) {
        return tl::unexpected(onDisk.error());
    }
    const Page page;
    if (page.data() == nullptr) {
        return failErrno(ErrorKind::unavailable, "no memory for a page", errno);
    }
    const std::uint64_t pages = file.bytes / pageSize();
    std::minstd_rand random(
        static_cast<std::minstd_rand::result_type>(Clock::now().time_since_epoch().count()));
    std::uniform_int_distribution<std::uint64_t> place(0, pages - 1);
    std::array<std::chrono::nanoseconds, kMostReads> took{};
    std::size_t reads = 0;
    const auto start = Clock::now();
    while (reads < kMostReads && (reads == 0 || Clock::now() - start < budget)) {
        if (const Status goesOn = checkpoint(stop); !goesOn) {
            return tl::unexpected(goesOn.error());
        }
        const auto offset = static_cast<off_t>((pageSize() * place(random)).count());
        const auto before = Clock::now();
        const ssize_t got = ::pread(fd.get(), page.data(), pageSize().size(), offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return failErrno(ErrorKind::unavailable, "reading past the page cache (O_DIRECT)",
                             got < 0 ? errno : ENODATA);
        }
        took[reads++] = Clock::now() - before;
    }
    if (reads < kFewestReads) {
        return fail(ErrorKind::unavailable, fmt::format("only {} read{} fitted into {}", reads,
                                                        reads == 1 ? "" : "s", formatDuration(budget)));
    }
    const auto end = took.begin() + static_cast<std::ptrdiff_t>(reads);
    std::sort(took.begin(), end);
    return ReadLatency{static_cast<unsigned>(reads), pageSize(), took[reads / 2], *(end - 1)};
}

}  // namespace mmapscope
