#include "source/touch_cost.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/unique_fd.h"
#include "source/guarded_mapping.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kStretch = 16U << 20U;
constexpr std::size_t kBuffer = 64U << 10U;
constexpr std::size_t kRounds = 5;

std::uint64_t added(const char* data, std::size_t size) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + sizeof(sum) <= size; at += sizeof(sum)) {
        std::uint64_t word = 0;
        std::memcpy(&word, data + at, sizeof word);
        sum += word;
    }
    return sum;
}

/// Guarded: were the file to shrink now, a load from a plain mapping would be SIGBUS. The sum keeps the work
/// from being left out.
Result<Clock::duration> byMapping(int fd, std::size_t size, std::uint64_t& sum) {
    const auto start = Clock::now();
    auto mapping = GuardedMapping::map(MappingKind::file, Bytes(size), PROT_READ, MAP_PRIVATE, fd);
    if (!mapping) {
        return tl::unexpected(mapping.error());
    }
    sum += added(reinterpret_cast<const char*>(mapping->data()), size);
    if (const Status whole = mapping->intact(); !whole) {
        return tl::unexpected(whole.error());
    }
    mapping->unmap();
    return Clock::now() - start;
}

Result<Clock::duration> byCopy(int fd, std::size_t size, std::vector<char>& buffer, std::uint64_t& sum) {
    const auto start = Clock::now();
    for (std::size_t at = 0; at < size;) {
        const ssize_t got =
            ::pread(fd, buffer.data(), std::min(buffer.size(), size - at), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::unavailable, "it can't be read", errno);
        }
        if (got == 0) {
            return fail(ErrorKind::changed, "the file became shorter while it was looked at");
        }
        sum += added(buffer.data(), static_cast<std::size_t>(got));
        at += static_cast<std::size_t>(got);
    }
    return Clock::now() - start;
}

std::chrono::nanoseconds middle(std::array<Clock::duration, kRounds>& times) {
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    return times[kRounds / 2];
}

}  // namespace

Result<TouchCost> measureTouchCost(const FileFacts& file) {
    std::string path = file.path;
    std::uint64_t bytes = file.bytes.count();
    if (file.isFolder()) {
        const auto largest =
            std::max_element(file.members.begin(), file.members.end(),
                             [](const auto& a, const auto& b) { return a.stamp.size < b.stamp.size; });
        path = memberPath(file.path, *largest);
        bytes = largest->stamp.size.count();
    }
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kStretch));
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd || size == 0) {
        return failErrno(ErrorKind::unavailable, "it can't be opened", fd ? EINVAL : errno);
    }
    std::vector<char> buffer(kBuffer);
    std::array<Clock::duration, kRounds> mapped{}, copied{};
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        // Whichever comes first brings the data nearer for the other: they take turns.
        const auto first =
            round % 2 == 0 ? byMapping(fd.get(), size, sum) : byCopy(fd.get(), size, buffer, sum);
        const auto second =
            round % 2 == 0 ? byCopy(fd.get(), size, buffer, sum) : byMapping(fd.get(), size, sum);
        if (!first || !second) {
            return tl::unexpected(first ? second.error() : first.error());
        }
        mapped[round] = round % 2 == 0 ? *first : *second;
        copied[round] = round % 2 == 0 ? *second : *first;
    }
    volatile std::uint64_t kept = sum;
    static_cast<void>(kept);
    return TouchCost{Bytes(size), middle(mapped), middle(copied)};
}

}  // namespace mmapscope
