// The process-wide table of guarded mappings and the SIGBUS handler that repairs them. Used by
// GuardedMapping.
#pragma once

#include <cstdint>

#include "source/guarded_mapping.h"

namespace mmapscope::guard {

/// Mappings that can be guarded at once; the table is fixed so that a signal handler can read it.
inline constexpr int kSlots = 4096;

/// What the handler met in a mapping.
enum class Damage : std::uint8_t {
    none,
    missing,  ///< no page behind the address: the file is shorter, the device failed, or the pool was empty
    hardware  ///< the memory itself is broken (BUS_MCEERR_AR, BUS_MCEERR_AO in sigaction(2))
};

/// Installs the handler at the first call; it stays until the process ends.
void install() noexcept;

/// Enters a live mapping. Returns its slot, or -1 when all are taken.
[[nodiscard]] int enter(std::uintptr_t begin, std::uintptr_t end, MappingKind kind, int protection) noexcept;

/// To be called before munmap(2): afterwards no handler on any thread works on the mapping.
void leave(int slot) noexcept;

/// Precondition: the slot was given by enter() and not yet left.
[[nodiscard]] Damage damageOf(int slot) noexcept;

}  // namespace mmapscope::guard
