// The study file's name and version.
#pragma once

#include <cstdint>
#include <string_view>

namespace mmapscope {

inline constexpr std::string_view kStudyFormat = "mmapscope-study";
/// Raised only when a reader of the old version would understand a file wrongly; new keys don't need it.
inline constexpr std::uint64_t kStudyVersion = 1;

}  // namespace mmapscope
