// Files that are either the old ones or the new ones, whatever happens in between.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace mmapscope {

/// What to do about an error of writing a file: "; make the folder first".
[[nodiscard]] std::string writeAdvice(int errnum);

/// Atomic write of any text; what every file this project writes for a person goes through.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);
/// Whether writeFileAtomically could work there now: asked before a long run. Removes what killed writers
/// left in that folder.
[[nodiscard]] Status checkWritable(const std::string& path);
/// Error: usage, when writing `path` would overwrite the measured file, by whatever name or link, or put a
/// file into the measured folder.
[[nodiscard]] Status checkKeepsMeasured(const std::string& path, const std::string& measured);
/// Whether both names lead to one file, be it there yet or not.
[[nodiscard]] bool isSameFile(const std::string& a, const std::string& b);
/// Whether writing again replaces what was written before: not so for a FIFO or a device.
[[nodiscard]] bool isReplacedWhenWritten(const std::string& path);

}  // namespace mmapscope
