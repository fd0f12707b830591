// What a reader of a study must know beside its figures, found in its runs.
#pragma once

#include <string>
#include <vector>

#include "study/outcome_check.h"
#include "study/study.h"

namespace mmapscope {

/// In order of weight.
enum class WarningKind {
    fileChanged,
    outcomesDiffer,
    runsFailed,
    cacheNotReached,
    rowsRejected,
    tooShort,
    swapping,
    throttling,
    stolenTime,
    busyMachine,
    drift,
    noise,
    observerCost,
    sourceNote
};

/// One finding: the kind decides what is said of it, `facts` are the figures and names of this study.
struct Warning {
    WarningKind kind;
    std::string facts;

    friend bool operator==(const Warning&, const Warning&) = default;
};

/// Each finding once, in the order of the kinds. `outcomes` is checkOutcomes(study).
[[nodiscard]] std::vector<Warning> findWarnings(const Study& study, const std::vector<OutcomeKey>& outcomes);

/// One line: what happened, what it means for the figures, what to do.
[[nodiscard]] std::string textOf(const Warning& warning);

}  // namespace mmapscope
