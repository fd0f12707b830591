#include "claims/sample_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/text.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "claims-";

fs::path defaultParent() {
    const char* const cache = ::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') {
        return fs::path(cache) / "mmapscope";
    }
    const char* const home = ::getenv("HOME");
    if (home != nullptr && *home == '/') {
        return fs::path(home) / ".cache" / "mmapscope";
    }
    return "/var/tmp";
}

/// "claims-1234-AbCdEf" of a process that is no more.
bool isLeftOver(const fs::path& path) {
    std::string name = path.filename().string();
    if (!name.starts_with(kPrefix)) {
        return false;
    }
    name.erase(0, kPrefix.size());
    const std::size_t dash = name.find('-');
    const auto process = dash == std::string::npos ? std::nullopt : parseUnsigned(name.substr(0, dash));
    return process && *process > 1 && ::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH;
}

void removeLeftOvers(const fs::path& parent) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
        if (entry.is_directory(ignored) && !entry.is_symlink(ignored) && isLeftOver(entry.path())) {
            // A killed program's FUSE filesystem is still there.
            ::umount2((entry.path() / kFuseFolder).c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace

Result<SampleFolder> SampleFolder::make(const std::string& parent, Bytes needed) {
    const fs::path place = parent.empty() ? defaultParent() : fs::path(parent);
    std::error_code error;
    if (parent.empty()) {
        fs::create_directories(place, error);
    }
    if (!fs::is_directory(place, error)) {
        return fail(ErrorKind::input, fmt::format("{} is not a folder that samples can be made in; name "
                                                  "another with --folder",
                                                  printable(place.string())));
    }
    removeLeftOvers(place);
    const fs::space_info space = fs::space(place, error);
    if (!error && space.available < needed.count()) {
        return fail(
            ErrorKind::failed,
            fmt::format("{} has {} free and the samples need {}; make room, or name another folder "
                        "with --folder",
                        printable(place.string()), formatBytes(Bytes(space.available)), formatBytes(needed)));
    }
    std::string path = (place / fmt::format("{}{}-XXXXXX", kPrefix, ::getpid())).string();
    if (::mkdtemp(path.data()) == nullptr) {
        return failErrno(ErrorKind::input, printable(place.string()) + " (--folder names another)", errno);
    }
    return SampleFolder(std::move(path));
}

SampleFolder::~SampleFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
}

}  // namespace mmapscope
