#include "source/huge_pages_region.h"

#include <fmt/format.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/process_limits.h"
#include "core/text.h"
#include "source/availability.h"
#include "source/memory_limits.h"
#include "source/open_file.h"

namespace mmapscope {
namespace {

std::string whatLimits() {
    const auto limit = cgroupHugePageLimit();
    return limit ? fmt::format("{} allows {}", limit->setBy, formatBytes(limit->bytes))
                 : addressSpaceAdvice(
                       "no cgroup limit on huge pages is visible here, so look at cpuset.mems and the NUMA "
                       "policy");
}

// The pool looked large enough and the kernel still said no: someone was faster, or a limit counts
// reservations.
tl::unexpected<Error> refused(const Error& error, std::uint64_t pages) {
    if (error.kind != ErrorKind::unavailable) {
        return tl::unexpected(error);
    }
    if (auto status = asStatus(enoughHugePages(pages)); !status) {
        return tl::unexpected(status.error());
    }
    return fail(ErrorKind::unavailable,
                fmt::format("{} of {} could not be reserved although the pool has enough: {}",
                            pages == 1 ? std::string("1 huge page") : fmt::format("{} huge pages", pages),
                            formatBytes(kHugePage), whatLimits()));
}

}  // namespace

Result<GuardedMapping> mapHugePages(Bytes length) {
    const std::uint64_t pages = hugePagesFor(length);
    if (auto status = asStatus(enoughHugePages(pages)); !status) {
        return tl::unexpected(status.error());
    }
    auto mapping =
        GuardedMapping::map(MappingKind::hugePages, roundUp(length, kHugePage), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1);
    if (!mapping) {
        return refused(mapping.error(), pages);
    }
    return mapping;
}

Result<HugeMemfd> mapHugeMemfd(Bytes length) {
    const std::uint64_t pages = hugePagesFor(length);
    if (auto status = asStatus(enoughHugePages(pages)); !status) {
        return tl::unexpected(status.error());
    }
    const Bytes whole = roundUp(length, kHugePage);
    HugeMemfd memory;
    memory.fd.reset(memfd_create("mmapscope", MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB));
    if (!memory.fd) {
        return failErrno(ErrorKind::unavailable, "memfd_create of 2 MiB huge pages", errno);
    }
    if (ftruncate(memory.fd.get(), static_cast<off_t>(whole.count())) != 0) {
        return failErrno(ErrorKind::failed, fmt::format("sizing a memfd to {}", formatBytes(whole)), errno);
    }
    auto mapping = GuardedMapping::map(MappingKind::hugePages, whole, PROT_READ | PROT_WRITE, MAP_SHARED,
                                       memory.fd.get());
    if (!mapping) {
        return refused(mapping.error(), pages);
    }
    memory.mapping = std::move(*mapping);
    return memory;
}

tl::unexpected<Error> hugePageMissing() {
    return fail(
        ErrorKind::unavailable,
        fmt::format("a huge page that was reserved could not be had when it was touched: {}", whatLimits()));
}

Status copyGuarded(const GuardedMapping& to, Bytes offset, std::span<const std::byte> from,
                   const std::stop_token& stop) {
    std::byte* at = to.data() + offset.size();
    while (!from.empty()) {
        if (auto status = checkpoint(stop); !status) {
            return status;
        }
        const auto step = from.first(std::min(from.size(), kStopStep.size()));
        std::memcpy(at, step.data(), step.size());
        at += step.size();
        from = from.subspan(step.size());
    }
    return hugePagesIntact(to);
}

void allocateAhead(std::byte* at, Bytes length) noexcept {
    const auto begin = std::chrono::steady_clock::now();
    ::madvise(at, length.size(), MADV_POPULATE_WRITE);
    const auto took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin);
    if (auto* account = ThreadAccount::current()) {
        account->counters().hugeAllocationNs.fetch_add(static_cast<std::uint64_t>(took.count()),
                                                       std::memory_order_relaxed);
    }
}

Status hugePagesIntact(const GuardedMapping& mapping) {
    auto status = mapping.intact();
    if (!status && status.error().kind == ErrorKind::unavailable) {
        return hugePageMissing();
    }
    return status;
}

}  // namespace mmapscope
