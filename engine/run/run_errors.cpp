#include "run/run_errors.h"

namespace mmapscope {

void RunErrors::report(Error error, ErrorRank rank) {
    {
        const std::lock_guard lock(mutex_);
        if (!worst_ || rank > rank_) {
            worst_ = std::move(error);
            rank_ = rank;
        }
    }
    stop_.request_stop();
}

void RunErrors::report(Error error) {
    const ErrorRank rank = error.kind == ErrorKind::cancelled ? ErrorRank::stopped
                           : error.kind == ErrorKind::changed ? ErrorRank::bytes
                                                              : ErrorRank::ordinary;
    report(std::move(error), rank);
}

bool RunErrors::any() const {
    const std::lock_guard lock(mutex_);
    return worst_.has_value();
}

std::optional<Error> RunErrors::worst() const {
    const std::lock_guard lock(mutex_);
    return worst_;
}

}  // namespace mmapscope
