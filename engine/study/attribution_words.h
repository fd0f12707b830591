// What stands inside the parts of a taken-apart wall time, and the sentence that tells it.
#pragma once

#include <string>
#include <vector>

#include "study/arm_figures.h"
#include "study/study.h"

namespace mmapscope {

/// What was measured of one arm; medians.
struct ArmTimeFacts {
    ArmFigures figures;
    Bytes bytes;               ///< of the file that a run goes over
    std::size_t rounds = 0;    ///< split runs
    Nanoseconds splitWall{0};  ///< of the split runs themselves: far from `wall`, they met another machine
    Nanoseconds wall{0}, open{0}, deliver{0}, close{0}, workload{0}, overlap{0};
    bool mapsLazily = false;
    bool handsOverBuffer = false;  ///< its spans lie in a small buffer that was just filled
    bool ceiling = false;          ///< the arm is `memory` itself
    Nanoseconds touch{0};          ///< or handover; without waiting; may be below 0
    Nanoseconds wait{0};           ///< of the thread that ends last
    bool waitKnown = false;
    Nanoseconds hugeAllocation{0};
    double ownFaults = 0;      ///< those the same work in memory doesn't have
    double ceilingFaults = 0;  ///< the work's own
};

/// open, deliver, close, workload, touch or handover, overlap; each with its inside.
[[nodiscard]] std::vector<AttributedTime> attributedParts(const ArmTimeFacts& facts);

/// Where most of the time went and what would change it, with figures; says so when much is unexplained.
[[nodiscard]] std::string attributionSentence(const std::string& arm, const ArmTimeFacts& facts,
                                              const Attribution& parts);

}  // namespace mmapscope
