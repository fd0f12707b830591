// Numbers in a memory control group's files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/group_files.h"
#include "run/memory_cap.h"

namespace mmapscope {

/// A number on a line of its own, or behind a key: "oom_kill 1". nullopt: another text ("max"), or none.
[[nodiscard]] std::optional<std::uint64_t> groupNumber(const std::optional<std::string>& text,
                                                       std::string_view key = {});

/// What a group of that version (1 or 2) says of what was in it.
[[nodiscard]] CapReport groupReport(const GroupFiles& files, int version, const std::string& directory);

}  // namespace mmapscope
