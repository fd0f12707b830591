// Whether two studies measured the same thing, so that a ratio between them means something.
#pragma once

#include <string>

#include "study/study.h"

namespace mmapscope {

/// Why the two can't be compared, in words without a full stop ("another file: 64 MiB, not 32 MiB"), `other`
/// first; empty when they can. Looks at what was measured and how, not at the machines: those may differ.
[[nodiscard]] std::string whyIncomparable(const Study& first, const Study& other);

/// Source, its parameters (those that a study doesn't name have their default), workload and threads: what an
/// arm is in every study.
[[nodiscard]] std::string armKey(const Arm& arm);

}  // namespace mmapscope
