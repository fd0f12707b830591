// What went wrong in a run with several threads: one error is reported, and the rest of the arm stops early.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "core/result.h"

namespace mmapscope {

/// Later ones outrank earlier ones; among equals the first counts.
enum class ErrorRank {
    stopped,   ///< cancelled: by the user, or because another thread had an error
    ordinary,  ///< of the workload or the source
    bytes      ///< the bytes were not the file's (guard, changed file): whatever else was said rests on them
};

class RunErrors {
  public:
    explicit RunErrors(std::stop_source stop) : stop_(std::move(stop)) {}

    void report(Error error, ErrorRank rank);
    /// By the error's own kind: cancelled, changed, or ordinary.
    void report(Error error);
    [[nodiscard]] bool any() const;
    [[nodiscard]] std::optional<Error> worst() const;

  private:
    mutable std::mutex mutex_;
    std::stop_source stop_;
    std::optional<Error> worst_;
    ErrorRank rank_ = ErrorRank::stopped;
};

}  // namespace mmapscope
