// Where the worker program is.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/text.h"
#include "run/worker_client.h"

namespace mmapscope {

Result<std::string> findWorkerProgram() {
    constexpr const char* kName = "mmapscope-worker";
    namespace fs = std::filesystem;
    std::error_code ignored;
    const auto usable = [&ignored](const fs::path& path) {
        return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
    };
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    std::string looked;
    if (!self.empty()) {
        for (const fs::path& place : {self.parent_path() / kName,
                                      self.parent_path().parent_path() / "libexec" / "mmapscope" / kName}) {
            if (usable(place)) {
                return place.string();
            }
            looked += place.string() + ", ";
        }
    }
    const char* const path = ::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        if (const fs::path place = fs::path(folder) / kName; !folder.empty() && usable(place)) {
            return place.string();
        }
    }
    return fail(ErrorKind::unavailable,
                fmt::format("{} was not found: looked for {}and on PATH; install it beside this program",
                            kName, looked));
}

}  // namespace mmapscope
