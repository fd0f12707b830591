// The environment a study records.
#pragma once

#include "probe/file_facts.h"
#include "study/study.h"

namespace mmapscope {

/// Reads it now. What a hardened system hides is absent, never guessed.
[[nodiscard]] Environment readEnvironment(const FileFacts& file);

}  // namespace mmapscope
