// What a lesson's runs gave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "study/study.h"

namespace mmapscope {

struct LessonMeasured {
    std::string name;            ///< of the run; empty: the main one
    std::optional<Study> study;  ///< absent: `reason` says why
    std::string reason;
    bool recorded = false;                    ///< measured elsewhere and kept; `reason` says why not here
    ErrorKind errorKind = ErrorKind::failed;  ///< of an absent study
};

struct LessonResults {
    std::vector<LessonMeasured> measured;
    bool complete = false;  ///< every run came to its end
};

}  // namespace mmapscope
