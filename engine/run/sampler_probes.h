// What the sampler reads: descriptors kept open, buffers kept, nothing allocated after construction.
#pragma once

#include <array>

#include "core/accounting.h"
#include "core/unique_fd.h"
#include "probe/smaps.h"
#include "run/sample.h"
#include "run/sampler.h"
#include "source/guarded_mapping.h"

namespace mmapscope {

class Sampler::Probes {
  public:
    explicit Probes(const Accounts& accounts);

    /// Totals and cheap facts; dear ones are left as they are.
    void readCheap(Sample& sample) noexcept;

    /// Finds the arm's mappings; the bytes they cover, 0 when there are none.
    [[nodiscard]] std::uint64_t findMappings() noexcept;
    /// smaps over the mappings last found.
    void readDear(Sample& sample) noexcept;

  private:
    [[nodiscard]] std::string_view text(const UniqueFd& fd) noexcept;
    [[nodiscard]] std::uint64_t number(const UniqueFd& fd) noexcept;

    const Accounts& accounts_;
    UniqueFd status_;
    UniqueFd io_;
    UniqueFd poolFree_;
    UniqueFd poolTotal_;
    SmapsReader smaps_;
    std::array<char, 16384> buffer_{};  ///< a status with the CPU masks of thousands of CPUs fits
    std::array<MappedRange, 256> found_{};
    std::array<AddressRange, 256> ranges_{};
    std::size_t mappings_ = 0;
};

}  // namespace mmapscope
