// What the sampler reads: descriptors kept open, buffers kept, nothing allocated after construction.
#pragma once

#include <array>
#include <vector>

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

    /// Totals and cheap facts; the others are left as they are.
    void readCheap(Sample& sample) noexcept;
    /// What concerns the whole machine, since the first call: 20 µs to, on machines with hundreds of CPUs,
    /// milliseconds.
    void readMachine(Sample& sample) noexcept;

    /// Finds the arm's mappings; the bytes they cover, 0 when there are none.
    [[nodiscard]] std::uint64_t findMappings() noexcept;
    /// smaps over the mappings last found.
    void readDear(Sample& sample) noexcept;

  private:
    [[nodiscard]] std::string_view text(const UniqueFd& fd) noexcept;
    [[nodiscard]] std::string_view largeText(const UniqueFd& fd) noexcept;
    [[nodiscard]] std::uint64_t number(const UniqueFd& fd) noexcept;

    const Accounts& accounts_;
    UniqueFd status_;
    UniqueFd io_;
    UniqueFd poolFree_;
    UniqueFd poolTotal_;
    UniqueFd pressureMemory_, pressureIo_, vmstat_, interrupts_;
    SmapsReader smaps_;
    // What a counter was at the first look.
    std::uint64_t voluntaryBase_ = kNotAvailable, involuntaryBase_ = kNotAvailable;
    std::uint64_t pressureMemoryBase_ = kNotAvailable, pressureIoBase_ = kNotAvailable;
    std::uint64_t refaultsBase_ = kNotAvailable, shootdownsBase_ = kNotAvailable;
    std::array<char, 16384> buffer_{};  ///< a status with the CPU masks of thousands of CPUs fits
    std::vector<char> large_;  ///< for /proc/interrupts, 11 bytes a line and CPU: sized by what is there
    std::array<MappedRange, 256> found_{};
    std::array<AddressRange, 256> ranges_{};
    std::size_t mappings_ = 0;
};

}  // namespace mmapscope
