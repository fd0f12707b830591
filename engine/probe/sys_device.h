// Directories of block devices under /sys.
#pragma once

#include <filesystem>
#include <string>

namespace mmapscope {

/// A file under /sys without the blanks around; empty when it can't be read.
[[nodiscard]] std::string sysAttribute(const std::filesystem::path& path);
/// The whole disk's directory when `device` is a partition's.
[[nodiscard]] std::filesystem::path wholeDisk(const std::filesystem::path& device);

}  // namespace mmapscope
