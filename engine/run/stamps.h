// (time, bytes, faults) at span borders: how a run of a few milliseconds is still seen as a curve.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/units.h"
#include "run/run_record.h"

namespace mmapscope {

/// Points a run has at least, over all its threads, when its bytes allow it (see kFinestStep).
inline constexpr std::uint64_t kStampsPerRun = 256;
/// Consumed in one piece at most, so that a cancel is seen in time.
inline constexpr Bytes kMaxPiece = mib(4);

/// One thread's totals so far.
struct Stamp {
    std::int64_t tNs = 0;  ///< since the run's clock started
    std::uint64_t bytes = 0;
    std::uint64_t minorFaults = 0;
};

/// Cutting a span has a price that arms with long spans pay and others don't: measured, pieces of 4 KiB slow
/// `scan` by 45 % and `zstd` by 8 %, of 64 KiB by 5 % and 7 %, of 256 KiB by 2 to 3 % and less than the
/// noise. A measured run is therefore never cut finer than 256 KiB, so that files under 64 MiB get fewer
/// points there; runs that are not ranked get them all.
inline constexpr Bytes kFinestStep = kib(4);
inline constexpr Bytes kFinestMeasuredStep = kib(256);

/// How far apart a thread's stamps are: a multiple of `finest` that gives its share of kStampsPerRun.
[[nodiscard]] Bytes stampStep(Bytes range, std::size_t threads, Bytes finest);

/// Filled by one thread. Its memory is touched when it is made, so that a stamp causes no fault of its own.
class StampBuffer {
  public:
    explicit StampBuffer(std::size_t capacity) : slots_(new Stamp[capacity]()), capacity_(capacity) {}

    /// The last slot is overwritten when it is full: the curve's end stays true.
    void add(const Stamp& stamp) noexcept {
        used_ += used_ < capacity_ ? 1 : 0;
        slots_[used_ - 1] = stamp;
    }
    [[nodiscard]] std::span<const Stamp> stamps() const noexcept { return {slots_.get(), used_}; }

  private:
    std::unique_ptr<Stamp[]> slots_;
    std::size_t capacity_;
    std::size_t used_ = 0;
};

/// Running totals over the threads, in order of time, from (0, 0, 0) to `end`: the run's own totals, in which
/// helper threads and the closing are contained.
[[nodiscard]] Stamps mergeStamps(std::span<const std::span<const Stamp>> threads, const Stamp& end);

}  // namespace mmapscope
