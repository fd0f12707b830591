// A memory mapping that can't kill the process when the file under it shrinks or a huge page isn't there.
//
// One process-wide SIGBUS handler looks the faulting address up in a fixed, lock-free table of live guarded
// mappings. If it is ours, the handler maps anonymous zero pages from the faulting address (rounded down to
// the mapping's page size) to the mapping's end, sets the mapping's flag and returns; else the previous
// handler gets the signal. The flag outranks whatever the workload says of the zeros it saw.
#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// What lies under a mapping; decides the page size of a repair and the words of the error.
enum class MappingKind { file, hugePages, anonymous };

class GuardedMapping {
  public:
    GuardedMapping() = default;
    GuardedMapping(GuardedMapping&& other) noexcept;
    GuardedMapping& operator=(GuardedMapping&& other) noexcept;
    GuardedMapping(const GuardedMapping&) = delete;
    GuardedMapping& operator=(const GuardedMapping&) = delete;
    ~GuardedMapping();

    /// mmap(2) with these arguments, entered in the guard's table. Error: `unavailable` for ENOMEM (too few
    /// huge pages, or no address space left) and ENODEV (the filesystem can't map); else failed with mmap's
    /// words.
    /// `hint` is where the mapping should begin if that address is free (nullptr: anywhere).
    [[nodiscard]] static Result<GuardedMapping> map(MappingKind kind, Bytes length, int protection, int flags,
                                                    int fd, Bytes offset = Bytes(0), void* hint = nullptr);

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] Bytes length() const noexcept { return length_; }
    [[nodiscard]] std::span<const std::byte> bytes(Bytes offset, Bytes count) const noexcept {
        return {data_ + offset.size(), count.size()};
    }
    /// madvise(2) on part of it; `offset` must be page-aligned. Error: unavailable, with the advice's name
    /// and the kernel's words; changed when MADV_POPULATE_READ met the file's end (EFAULT, never a signal).
    [[nodiscard]] Status advise(Bytes offset, Bytes count, int advice) const;
    /// Error once the guard had to repair it: changed (file), unavailable (huge pages), failed (broken
    /// memory).
    [[nodiscard]] Status intact() const;
    void unmap() noexcept;

  private:
    std::byte* data_ = nullptr;
    Bytes length_;
    int slot_ = -1;
    MappingKind kind_ = MappingKind::file;
};

/// A live guarded mapping, for the sampler: it finds the arm's mappings in smaps by address.
struct MappedRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    MappingKind kind = MappingKind::file;
};
/// Copies the live ones into `out` and returns how many; lock-free, allocates nothing.
std::size_t liveMappings(std::span<MappedRange> out) noexcept;

}  // namespace mmapscope
