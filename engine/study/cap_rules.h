// What a memory cap allows (design: Honest measurement).
#pragma once

#include "source/source.h"
#include "study/study_runner.h"

namespace mmapscope {

/// Error: usage, when the cap and the rest of the request contradict each other; unavailable, when no cap is
/// possible here, with the command that makes it possible. Fine without a cap.
[[nodiscard]] Status checkMemoryCap(const StudyRequest& request);

/// Whether an arm over that range makes sense under the cap.
[[nodiscard]] Availability underMemoryCap(const std::optional<Bytes>& cap, const Arm& arm, Range range);

}  // namespace mmapscope
