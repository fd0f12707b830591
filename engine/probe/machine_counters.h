// Counters of the whole machine that tell why a run waited. Parsers take text and allocate nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mmapscope {

/// /proc/pressure/{memory,io} (Documentation/accounting/psi.rst): µs in which at least one task waited, the
/// "total" of the line "some".
[[nodiscard]] std::optional<std::uint64_t> parsePressure(std::string_view text) noexcept;

/// /proc/vmstat: pages of files that were read again after they had been evicted, workingset_refault_file
/// (before Linux 5.9 workingset_refault, of all kinds).
[[nodiscard]] std::optional<std::uint64_t> parseRefaults(std::string_view text) noexcept;

/// /proc/interrupts: the line "TLB:", over all CPUs: how often one was interrupted to drop entries of its TLB
/// that another had made invalid. x86 only; ARM broadcasts without interrupts.
[[nodiscard]] std::optional<std::uint64_t> parseTlbShootdowns(std::string_view text) noexcept;

}  // namespace mmapscope
