// How far a study is and how long it will still take, from what its runs have taken so far.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/run_record.h"

namespace mmapscope {

/// A turn is all one run takes of the study: preparing the cache, the run itself, saving.
class TimeEstimate {
  public:
    TimeEstimate(std::size_t arms, unsigned warmups, unsigned rounds);

    /// Once the number of measured rounds is fixed.
    void setRounds(unsigned rounds);
    /// One turn of the arm was taken; `took` is absent when it was skipped.
    void turnEnded(std::uint32_t arm, Phase phase, std::optional<Nanoseconds> took);
    /// The arm won't run any more.
    void drop(std::uint32_t arm);

    /// Time left while a turn of `arm` has lasted `inTurn`; absent until one was measured.
    [[nodiscard]] std::optional<Nanoseconds> left(std::uint32_t arm, Phase phase, Nanoseconds inTurn) const;
    /// 0 to 1, never less than the last answer.
    [[nodiscard]] double fraction(std::uint32_t arm, Phase phase, Nanoseconds inTurn);

  private:
    struct PerArm {
        unsigned inspections = 1, warmups = 0, rounds = 0;  ///< turns left
        std::optional<Nanoseconds> inspection;
        Nanoseconds total{0};  ///< of `turns` warm-up and measured turns
        unsigned turns = 0;
        bool dropped = false;
    };
    [[nodiscard]] std::optional<double> inspectionNs(const PerArm& arm) const;
    [[nodiscard]] std::optional<double> turnNs(const PerArm& arm) const;
    /// Mean over the arms that know the figure.
    template <class Get>
    [[nodiscard]] std::optional<double> meanOf(Get get) const;

    std::vector<PerArm> arms_;
    unsigned rounds_;
    Nanoseconds spent_{0};
    double shown_ = 0;
};

}  // namespace mmapscope
