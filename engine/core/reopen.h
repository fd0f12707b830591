// A file that was there and can't be opened now.
#pragma once

#include <string>

#include "core/result.h"

namespace mmapscope {

/// open(2) failed for a file that was looked at before: what may have happened meanwhile, and what to do.
[[nodiscard]] tl::unexpected<Error> failReopen(ErrorKind kind, const std::string& path, int errnum);

}  // namespace mmapscope
