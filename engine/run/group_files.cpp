#include "run/group_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/unique_fd.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

int writeText(const std::string& file, std::string_view text) {
    const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) {
        return errno;
    }
    return ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

std::vector<std::string> directoriesIn(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code gone;
        if (it->is_directory(gone)) {
            names.push_back(it->path().filename().string());
        }
    }
    return names;
}

}  // namespace

GroupFiles GroupFiles::real() {
    GroupFiles files;
    files.make = [](const std::string& d) { return ::mkdir(d.c_str(), 0755) == 0 ? 0 : errno; };
    files.remove = [](const std::string& d) { return ::rmdir(d.c_str()) == 0 ? 0 : errno; };
    files.write = writeText;
    files.read = [](const std::string& file) -> std::optional<std::string> {
        auto text = readKernelText(file);
        return text ? std::optional(std::move(*text)) : std::nullopt;
    };
    files.list = directoriesIn;
    files.writable = [](const std::string& path) { return ::access(path.c_str(), W_OK) == 0; };
    return files;
}

}  // namespace mmapscope
