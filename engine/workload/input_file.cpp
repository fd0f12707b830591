#include "workload/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "core/reopen.h"
#include "core/text.h"

namespace mmapscope {

Result<InputFile> InputFile::open(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return failReopen(ErrorKind::input, path, errno);
    }
    return InputFile(std::move(fd), path);
}

Result<std::size_t> InputFile::readAt(Bytes offset, std::span<std::byte> into) const {
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t got = ::pread(fd_.get(), into.data() + done, into.size() - done,
                                    static_cast<off_t>(offset.count() + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::input, fmt::format("{} can't be read", printable(path_)), errno);
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace mmapscope
