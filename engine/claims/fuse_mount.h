// A mergerfs over one folder, for as long as this lives.
#pragma once

#include <sys/types.h>

#include <stop_token>
#include <string>
#include <utility>

#include "core/result.h"

namespace mmapscope {

class FuseMount {
  public:
    /// Shows `branch` at `at`, an empty folder. Error: unavailable (mergerfs or /dev/fuse missing, no
    /// permission), in words.
    [[nodiscard]] static Result<FuseMount> make(const std::string& branch, const std::string& at,
                                                const std::stop_token& stop);
    ~FuseMount();
    FuseMount(FuseMount&& other) noexcept
        : at_(std::move(other.at_)), daemon_(std::exchange(other.daemon_, -1)) {}
    FuseMount& operator=(FuseMount&&) = delete;

  private:
    FuseMount(std::string at, pid_t daemon) : at_(std::move(at)), daemon_(daemon) {}
    std::string at_;
    pid_t daemon_ = -1;
};

}  // namespace mmapscope
