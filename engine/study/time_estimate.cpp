#include "study/time_estimate.h"

#include <algorithm>

namespace mmapscope {

TimeEstimate::TimeEstimate(std::size_t arms, unsigned warmups, unsigned rounds)
    : arms_(arms), rounds_(rounds) {
    for (PerArm& arm : arms_) {
        arm.warmups = warmups;
        arm.rounds = rounds;
    }
}

void TimeEstimate::setRounds(unsigned rounds) {
    for (PerArm& arm : arms_) {
        arm.rounds = rounds - std::min(rounds, rounds_ - arm.rounds);
    }
    rounds_ = rounds;
}

void TimeEstimate::turnEnded(std::uint32_t index, Phase phase, std::optional<Nanoseconds> took) {
    PerArm& arm = arms_[index];
    unsigned& turnsLeft = phase == Phase::inspection ? arm.inspections
                          : phase == Phase::warmup   ? arm.warmups
                                                     : arm.rounds;
    turnsLeft -= std::min(turnsLeft, 1U);
    if (!took) {
        return;
    }
    spent_ += *took;
    if (phase == Phase::inspection) {
        arm.inspection = took;
    } else {
        arm.total += *took;
        ++arm.turns;
    }
}

void TimeEstimate::drop(std::uint32_t arm) {
    arms_[arm].dropped = true;
}

template <class Get>
std::optional<double> TimeEstimate::meanOf(Get get) const {
    double sum = 0;
    unsigned known = 0;
    for (const PerArm& arm : arms_) {
        if (const std::optional<double> value = get(arm)) {
            sum += *value;
            ++known;
        }
    }
    return known > 0 ? std::optional(sum / known) : std::nullopt;
}

std::optional<double> TimeEstimate::inspectionNs(const PerArm& arm) const {
    const auto own = [](const PerArm& a) {
        return a.inspection ? std::optional(static_cast<double>(a.inspection->count())) : std::nullopt;
    };
    const auto known = own(arm);
    return known ? known : meanOf(own);
}

std::optional<double> TimeEstimate::turnNs(const PerArm& arm) const {
    const auto own = [](const PerArm& a) {
        return a.turns > 0 ? std::optional(static_cast<double>(a.total.count()) / a.turns) : std::nullopt;
    };
    if (const auto known = own(arm)) {
        return known;
    }
    if (arm.inspection) {
        return static_cast<double>(arm.inspection->count());
    }
    const auto others = meanOf(own);
    return others ? others : inspectionNs(arm);
}

std::optional<Nanoseconds> TimeEstimate::left(std::uint32_t current, Phase phase, Nanoseconds inTurn) const {
    double ns = 0;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
        const PerArm& arm = arms_[i];
        if (arm.dropped) {
            continue;
        }
        const auto inspection = inspectionNs(arm);
        const auto turn = turnNs(arm);
        if (!inspection || !turn) {
            return std::nullopt;
        }
        double own = *inspection * arm.inspections + *turn * (arm.warmups + arm.rounds);
        if (i == current) {
            own -= std::min(
                {static_cast<double>(inTurn.count()), phase == Phase::inspection ? *inspection : *turn, own});
        }
        ns += own;
    }
    return Nanoseconds(static_cast<std::int64_t>(ns));
}

double TimeEstimate::fraction(std::uint32_t arm, Phase phase, Nanoseconds inTurn) {
    if (const auto rest = left(arm, phase, inTurn)) {
        const auto done = static_cast<double>((spent_ + inTurn).count());
        const double whole = done + static_cast<double>(rest->count());
        shown_ = std::max(shown_, whole > 0 ? done / whole : 1.0);
    }
    return shown_;
}

}  // namespace mmapscope
