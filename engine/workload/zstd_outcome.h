// What every zstd engine reports: bytes out, and digests of them in an inspection run.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workload/workload.h"

namespace mmapscope {

/// Takes the decoded bytes of one instance in order.
class ZstdOutput {
  public:
    explicit ZstdOutput(bool digest);

    void add(std::span<const std::byte> bytes);
    void endFrame();
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

    /// bytes_out; with digests also `xxh64` where one instance saw all of the output (XXH64 can't be joined
    /// from parts), and for files of several frames `frames_xxh64`: the XXH64 over the little-endian XXH64 of
    /// every frame that isn't empty, which is the same whatever the number of threads.
    [[nodiscard]] static Outcome merged(std::span<const ZstdOutput* const> parts);

  private:
    struct Free {
        void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
    };
    using State = std::unique_ptr<XXH64_state_t, Free>;

    std::uint64_t bytes_ = 0;
    std::uint64_t frameBytes_ = 0;
    State whole_;  ///< null without digests
    State frame_;
    std::vector<std::uint64_t> frames_;
};

}  // namespace mmapscope
