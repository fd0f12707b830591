// What is done to a tree of control groups, so that it can be tried on a made-up one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mmapscope {

/// Each returns 0 or errno, unless it says otherwise.
struct GroupFiles {
    std::function<int(const std::string& directory)> make;
    std::function<int(const std::string& directory)> remove;
    /// Into a file that is there: the kernel makes them with the directory.
    std::function<int(const std::string& file, std::string_view text)> write;
    std::function<std::optional<std::string>(const std::string& file)> read;
    /// Names of the directories within; empty when it can't be read.
    std::function<std::vector<std::string>(const std::string& directory)> list;
    /// Whether this process may write the file or directory.
    std::function<bool(const std::string& path)> writable;

    /// cgroupfs.
    [[nodiscard]] static GroupFiles real();
};

}  // namespace mmapscope
