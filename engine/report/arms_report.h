// What `arms` prints: every source and workload, its parameters, and whether it can run here; of a file also
// what is known of it, and what a study of it begins with.
#pragma once

#include <optional>
#include <string>

#include "probe/file_facts.h"

namespace mmapscope {

[[nodiscard]] std::string armsText(const std::optional<FileFacts>& file);
[[nodiscard]] std::string armsJson(const std::optional<FileFacts>& file);

}  // namespace mmapscope
