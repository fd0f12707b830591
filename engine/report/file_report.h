// What `arms FILE` says of the file itself: where it lies and what of it is cached, and how.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "probe/file_facts.h"

namespace mmapscope {

[[nodiscard]] std::string fileText(const FileFacts& file);
[[nodiscard]] nlohmann::ordered_json fileJson(const FileFacts& file);

}  // namespace mmapscope
