// VmFlags of /proc/PID/smaps (proc_pid_smaps(5), Documentation/filesystems/proc.rst), as one word of bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mmapscope {

/// Bit i stands for vmFlagWords()[i]; the last one, kOtherVmFlag, for any flag that is not among them.
using VmFlags = std::uint64_t;
inline constexpr VmFlags kOtherVmFlag = VmFlags{1} << 62U;

struct VmFlagWords {
    std::string_view code;     ///< "rd"
    std::string_view meaning;  ///< "readable", in plain words
};
[[nodiscard]] std::span<const VmFlagWords> vmFlagWords();
/// nullopt: a code this doesn't know.
[[nodiscard]] std::optional<VmFlags> vmFlagOf(std::string_view code) noexcept;
/// "VmFlags: rd mr mw me ac" or only its value; unknown codes set kOtherVmFlag. Allocates nothing.
[[nodiscard]] VmFlags parseVmFlags(std::string_view line) noexcept;

}  // namespace mmapscope
