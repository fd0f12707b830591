// Huge pages reserved for a while and given back.
#pragma once

#include <cstdint>
#include <utility>

#include "core/result.h"
#include "core/unique_fd.h"

namespace mmapscope {

class PoolReservation {
  public:
    /// Makes `pages` of 2 MiB available; nothing is changed where they are already. One holder at a time:
    /// what it added is noted, and the next one takes back what a killed one couldn't. Error: unavailable,
    /// with the command that reserves them.
    [[nodiscard]] static Result<PoolReservation> make(std::uint64_t pages);
    ~PoolReservation();
    PoolReservation(PoolReservation&& other) noexcept
        : note_(std::move(other.note_)), added_(std::exchange(other.added_, 0)) {}
    PoolReservation& operator=(PoolReservation&&) = delete;

  private:
    PoolReservation() = default;
    UniqueFd note_;
    std::uint64_t added_ = 0;
};

}  // namespace mmapscope
