// What each kind of warning says: what happened, what it means for the figures, what to do.
#include <fmt/format.h>

#include "study/warnings.h"

namespace mmapscope {

std::string textOf(const Warning& warning) {
    const auto& facts = warning.facts;
    switch (warning.kind) {
        case WarningKind::fileChanged:
            return fmt::format(
                "The file changed during the study ({}). Runs may have read different bytes, so the "
                "study ended there: measure again when nothing writes the file, or a copy of it.",
                facts);
        case WarningKind::outcomesDiffer:
            return fmt::format(
                "The arms computed different results ({}). At least one of them saw wrong bytes: none "
                "of these arms is ranked; check the file, and report it with the study file.",
                facts);
        case WarningKind::runsFailed:
            return fmt::format(
                "{}. An arm with a failed run is not ranked: remove the cause, then measure again.", facts);
        case WarningKind::cacheNotReached:
            return fmt::format(
                "The cache state was not reached or could not be verified: {}. The figures hold for what was "
                "resident then, not "
                "for that state: remove the cause, or choose the state asis.",
                facts);
        case WarningKind::rowsRejected:
            return fmt::format(
                "{}. Refusing rows is other work than parsing them, so the figures are not those of this "
                "file: "
                "is the schema right?",
                facts);
        case WarningKind::tooShort:
            return fmt::format(
                "Too small to measure: runs take {}, most of which may be opening, starting and looking at "
                "the clock. Use a "
                "larger file, or read more of it.",
                facts);
        case WarningKind::swapping:
            return fmt::format(
                "The machine swapped: {}. Wall times contain that: free memory, or read less of the "
                "file.",
                facts);
        case WarningKind::throttling:
            return fmt::format(
                "The CPU slowed down: {}. Ratios pair runs of one round and mostly hold; wall times "
                "don't: let it cool, or fix the clock with the performance governor.",
                facts);
        case WarningKind::stolenTime:
            return fmt::format(
                "This virtual machine was not alone: {}. Small differences may be that: measure again "
                "when the host is quiet, or ask for more rounds.",
                facts);
        case WarningKind::busyMachine:
            return fmt::format(
                "The machine was busy: {} during the measured runs. Small differences may be that: "
                "close them, or pin the arms to quiet CPUs.",
                facts);
        case WarningKind::drift:
            return fmt::format(
                "Wall times drifted: {}. Ratios pair runs of one round and hold; medians of wall time "
                "mix two states: ask for more warm-up rounds, or let the machine settle.",
                facts);
        case WarningKind::noise:
            return fmt::format(
                "Wall times scatter (MAD over median: {}). Small differences are not resolved, and a verdict "
                "close to a tie may be chance: close other programs, pin the arms to CPUs, or ask for more "
                "rounds.",
                facts);
        case WarningKind::observerCost:
            return fmt::format(
                "Watching cost more than its budget of 1 % of wall time ({}). Wall times may be long by "
                "about that much: measure without samples, or read more of the file per run.",
                facts);
        case WarningKind::sourceNote:
            return facts + ".";
    }
    return facts;
}

}  // namespace mmapscope
