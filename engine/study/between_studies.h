// What the figures of two studies tell of each other. Their rounds aren't pairs, and two sittings on one
// machine differ by more than their rounds scatter: pages lie elsewhere, the host does something else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "study/statistics.h"
#include "study/study.h"

namespace mmapscope {

/// Qn of Rousseeuw and Croux ("Alternatives to the median absolute deviation", 1993) with its small-sample
/// factors: the standard deviation of normal values, as little upset by outliers as the MAD but twice as
/// precise. 0 below two values.
[[nodiscard]] double robustDeviation(std::span<const double> values);

/// One arm in one sitting.
struct SittingFigures {
    double logWall = 0;  ///< median of the log wall times, log nanoseconds
    double scatter = 0;  ///< robustDeviation of them: from round to round
    std::size_t runs = 0;
};
/// Precondition: not empty, all above 0.
[[nodiscard]] SittingFigures sittingFigures(std::span<const double> wallNs);

/// How far medians of an arm lie apart from one sitting to the next (a standard deviation of the log) where a
/// single sitting can't tell: as far as its rounds do, and never less than kLeastSpread. Rounds of one
/// sitting share what makes sittings differ, so more of them don't make it less.
[[nodiscard]] double assumedSpread(const SittingFigures& sitting);
/// What wall times of one arm scatter by on a quiet machine. tests/data/sittings.csv has 60 sittings of two
/// studies on a virtual machine, busy and quiet, and tst_between_studies what the rules here make of them.
inline constexpr double kLeastSpread = 0.015;
/// The spread of whole sittings in those, which is the machine's: all arms are slower or faster together.
/// Taken where an arm has no other beside it that would show that.
inline constexpr double kMachineSpread = 0.15;
/// How many degrees of freedom an assumed spread counts for at most, and for each round beyond the first: a
/// scatter of few rounds is itself hardly known.
inline constexpr double kSpreadFreedom = 10;
inline constexpr double kFreedomPerRound = 0.7;
/// Below the square of this many rounds medians scatter by more than the rounds' own share of it, so the
/// spread is widened by kFewRounds/√rounds.
inline constexpr double kFewRounds = 2.7;
/// From so many sittings on both sides on, what the machine does is in their spread, and is measured.
inline constexpr std::size_t kEnoughSittings = 3;

/// One arm on one side: a study, or several sittings of it.
struct SideFigures {
    double logWall = 0;   ///< mean over the sittings of their medians
    double variance = 0;  ///< of logWall
    double freedom = 0;   ///< degrees of freedom of `variance`
    std::size_t sittings = 0;
};
/// Spread between sittings is the assumed one, moved towards what the sittings show, and never less than that
/// (`least`: the least spread assumed). Precondition: not empty.
[[nodiscard]] SideFigures sideFigures(std::span<const SittingFigures> sittings, double least = kLeastSpread);

/// A log-ratio of throughput (above 0 is faster), its standard deviation, and the degrees of freedom of that
/// (Welch and Satterthwaite).
struct LogRatio {
    double value = 0, deviation = 0, freedom = 0;
};

/// An arm on one side against the same arm on the first.
struct Change {
    LogRatio whole;
    /// Against what the other arms changed by (their median): what is left when the machine is taken to have
    /// become slower or faster for all of them. Absent: there are no others, or enough sittings.
    std::optional<LogRatio> besideOthers;
};
/// One for each arm. Precondition: the spans pair by index.
[[nodiscard]] std::vector<Change> changesOf(std::span<const SideFigures> first,
                                            std::span<const SideFigures> other);

/// A change among all the others that are looked at together.
struct JudgedChange {
    RatioInterval interval;  ///< corrected; holds both readings of a change
    double level = 0.95;     ///< of the interval
    double pValue = 1;       ///< of a change beyond the border, two-sided, uncorrected
    Verdict verdict = Verdict::tied;
};

inline constexpr double kTieBorder = 0.01;
/// Holm's step-down correction ("A simple sequentially rejective multiple test procedure", 1979): a wrong
/// faster or slower among all of them in at most 5 of 100 comparisons. Intervals are widened to the level of
/// the step each was judged at, so that verdict and interval say the same: faster when the whole interval
/// lies above 1 + border, slower when below 1 − border.
[[nodiscard]] std::vector<JudgedChange> judgeChanges(std::span<const Change> changes,
                                                     double border = kTieBorder);

}  // namespace mmapscope
