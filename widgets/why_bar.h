// An attribution as a bar: which piece stands where, and what is said of it.
#pragma once

#include <QString>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// One piece of a bar, in nanoseconds from the bar's beginning.
struct WhySegment {
    QString name;  ///< the part's, or "unexplained"
    double begin = 0, end = 0;
    bool takesBack = false;  ///< a negative part: what the others hold too much, down to the wall time
    QString toolTip;         ///< rich text
    QString words;           ///< the same as plain text, a line a thing
    /// Where the part's insides end, in order; empty when it has less than two.
    std::vector<double> insides;
};

/// What is drawn of one attribution.
struct WhyBar {
    std::uint32_t arm = 0;
    QString id;
    double wall = 0;
    double length = 0;       ///< of all that is drawn, at least the wall time
    double unexplained = 0;  ///< signed
    std::vector<WhySegment> segments;
    /// CPU time of helper threads, from 0, drawn beside and in no sum; its end is 0 when there is none.
    WhySegment overlap;
};

/// Parts above zero follow each other from 0; those below take back from the end, so that the wall time is
/// where both meet.
[[nodiscard]] WhyBar whyBar(const Study& study, const Attribution& attribution);

/// "9.07 ms": three significant digits. Negative times have a minus sign (U+2212).
[[nodiscard]] QString whyTime(double ns);
/// "+2.1 %", "−0.4 %"; empty when `whole` isn't above zero.
[[nodiscard]] QString whyPercent(double part, double whole);

}  // namespace mmapscope
