#include "probe/kernel_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace mmapscope {

std::optional<CachePages> cachestatOf(int fd, Bytes offset, Bytes length) noexcept {
#ifdef __NR_cachestat
    constexpr long kCachestat = __NR_cachestat;
#else
    constexpr long kCachestat = 451;  // the same on every architecture but alpha
#endif
    struct {
        std::uint64_t offset;
        std::uint64_t length;
    } range{offset.count(), length.count()};
    CachePages pages;
    if (::syscall(kCachestat, fd, &range, &pages, 0U) != 0) {
        return std::nullopt;
    }
    return pages;
}

}  // namespace mmapscope
