// The outcome check of a study in one line.
#pragma once

#include <QString>

#include "study/study.h"

namespace mmapscope {

struct OutcomeWords {
    QString text;  ///< empty before any run has an outcome
    bool good = true;
};

/// "✓ All 4 arms computed the same: rows 42", "✓ Every run computed the same: …" of a single arm, or "✗ The
/// arms did not compute the same: rows: read 42, mmap 41".
[[nodiscard]] OutcomeWords outcomeWords(const Study& study);

}  // namespace mmapscope
