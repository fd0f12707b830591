// The runs that take a finished study's times apart: interleaved, prepared as its own, never ranked.
#pragma once

#include <stop_token>

#include "study/backend.h"
#include "study/study_runner.h"

namespace mmapscope {

/// Fills study.splitRuns and study.attribution. When stopped, or where a run fails, what needs it is left
/// out, and study.warnings say so. `file` is as it was measured.
void explainStudy(const StudyBackend& backend, Study& study, const FileFacts& file,
                  const StudyRequest& request, const StudyEvents& events, const std::stop_token& stop);

}  // namespace mmapscope
