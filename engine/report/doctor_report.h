// What `doctor` prints: what this machine can do, and how to unlock the rest.
#pragma once

#include <string>

namespace mmapscope {

[[nodiscard]] std::string doctorText();
[[nodiscard]] std::string doctorJson();

}  // namespace mmapscope
