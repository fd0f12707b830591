#include "source/guarded_mapping.h"

#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "core/process_limits.h"
#include "core/text.h"
#include "source/sigbus_guard.h"

namespace mmapscope {
namespace {

std::string adviceName(int advice) {
    switch (advice) {
        case MADV_RANDOM:
            return "MADV_RANDOM";
        case MADV_SEQUENTIAL:
            return "MADV_SEQUENTIAL";
        case MADV_WILLNEED:
            return "MADV_WILLNEED";
        case MADV_DONTNEED:
            return "MADV_DONTNEED";
        case MADV_HUGEPAGE:
            return "MADV_HUGEPAGE";
        case MADV_NOHUGEPAGE:
            return "MADV_NOHUGEPAGE";
        case MADV_COLLAPSE:
            return "MADV_COLLAPSE";
        case MADV_POPULATE_READ:
            return "MADV_POPULATE_READ";
        default:
            return fmt::format("madvise({})", advice);
    }
}

tl::unexpected<Error> mapError(MappingKind kind, Bytes length, int errnum) {
    const std::string size = formatBytes(length);
    if (errnum == ENOMEM && kind == MappingKind::hugePages) {
        return failErrno(ErrorKind::unavailable, fmt::format("mapping {} of huge pages", size), errnum);
    }
    if (errnum == ENOMEM) {
        return fail(ErrorKind::unavailable,
                    fmt::format("mapping {}: Cannot allocate memory; {}", size,
                                addressSpaceAdvice("see vm.max_map_count and vm.overcommit_memory")));
    }
    if (errnum == ENODEV) {
        return failErrno(ErrorKind::unavailable,
                         fmt::format("mapping {}: the filesystem can't map files", size), errnum);
    }
    return failErrno(ErrorKind::failed, fmt::format("mapping {}", size), errnum);
}

}  // namespace

GuardedMapping::GuardedMapping(GuardedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      length_(std::exchange(other.length_, Bytes(0))),
      slot_(std::exchange(other.slot_, -1)),
      kind_(other.kind_) {}

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept {
    if (this != &other) {
        unmap();
        data_ = std::exchange(other.data_, nullptr);
        length_ = std::exchange(other.length_, Bytes(0));
        slot_ = std::exchange(other.slot_, -1);
        kind_ = other.kind_;
    }
    return *this;
}

GuardedMapping::~GuardedMapping() {
    unmap();
}

Result<GuardedMapping> GuardedMapping::map(MappingKind kind, Bytes length, int protection, int flags, int fd,
                                           Bytes offset, void* hint) {
    guard::install();
    void* const address =
        mmap(hint, length.size(), protection, flags, fd, static_cast<off_t>(offset.count()));
    if (address == MAP_FAILED) {
        return mapError(kind, length, errno);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    // The kernel maps whole pages: a fault in the tail of the last one is ours as well.
    const Bytes whole = roundUp(length, kind == MappingKind::hugePages ? kHugePage : pageSize());
    GuardedMapping mapping;
    mapping.data_ = static_cast<std::byte*>(address);
    mapping.length_ = length;
    mapping.kind_ = kind;
    mapping.slot_ = guard::enter(begin, begin + whole.size(), kind, protection);
    if (mapping.slot_ < 0) {
        return fail(ErrorKind::failed,
                    fmt::format("{} mappings are guarded already: use fewer threads", guard::kSlots));
    }
    return mapping;
}

Status GuardedMapping::advise(Bytes offset, Bytes count, int advice) const {
    while (madvise(data_ + offset.size(), count.size(), advice) != 0) {
        const int errnum = errno;
        if (errnum == EINTR) {
            continue;
        }
        // MADV_POPULATE_READ where a touch would have been a SIGBUS.
        if (errnum == EFAULT && kind_ == MappingKind::file) {
            return fail(ErrorKind::changed,
                        fmt::format("{} of {}: a page of the file is not there (Bad address)",
                                    adviceName(advice), formatBytes(count)));
        }
        return failErrno(ErrorKind::unavailable,
                         fmt::format("{} of {}", adviceName(advice), formatBytes(count)), errnum);
    }
    return {};
}

Status GuardedMapping::intact() const {
    if (slot_ < 0) {
        return {};
    }
    switch (guard::damageOf(slot_)) {
        case guard::Damage::none:
            return {};
        case guard::Damage::hardware:
            return fail(ErrorKind::failed, "the kernel reports broken memory under the mapping: see its log");
        case guard::Damage::missing:
            break;
    }
    if (kind_ == MappingKind::file) {
        return fail(ErrorKind::changed, "a page of the mapped file is not there (SIGBUS)");
    }
    return fail(ErrorKind::unavailable, "a mapped page could not be provided when it was touched (SIGBUS)");
}

void GuardedMapping::unmap() noexcept {
    if (data_ == nullptr) {
        return;
    }
    if (slot_ >= 0) {
        guard::leave(slot_);
        slot_ = -1;
    }
    const Bytes unit = kind_ == MappingKind::hugePages ? kHugePage : pageSize();
    munmap(data_, roundUp(length_, unit).size());
    data_ = nullptr;
    length_ = Bytes(0);
}

}  // namespace mmapscope
