// A folder for sample files, gone with all that is in it when its owner goes.
#pragma once

#include <string>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// Where inside it a filesystem may be mounted.
inline constexpr const char* kFuseFolder = "fuse";

class SampleFolder {
  public:
    /// Inside `parent`; empty: the user's cache folder ($XDG_CACHE_HOME or ~/.cache), else /var/tmp. What
    /// killed programs left there is removed first. Error: input (can't be made); failed (`needed` isn't
    /// free, with the figures).
    [[nodiscard]] static Result<SampleFolder> make(const std::string& parent, Bytes needed);
    ~SampleFolder();
    SampleFolder(SampleFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    SampleFolder& operator=(SampleFolder&&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    explicit SampleFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace mmapscope
