#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/system_facts.h"

namespace mmapscope {

std::optional<std::string> bracketedChoice(std::string_view text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']', open == std::string_view::npos ? text.size() : open);
    if (close == std::string_view::npos || close == open + 1) {
        return std::nullopt;
    }
    return std::string(text.substr(open + 1, close - open - 1));
}

Result<std::string> readKernelText(const std::string& path) {
    constexpr std::size_t kMost = 16U << 20U;  // no text of /proc or /sys read here is near it
    // Non-blocking: some files (kmsg, trace_pipe) would otherwise wait for something to say.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return failErrno(ErrorKind::unavailable, printable(path), errno);
    }
    std::string text;
    std::array<char, 8192> piece{};
    while (text.size() < kMost) {
        const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::unavailable, printable(path), errno);
        }
        if (got == 0) {
            return text;
        }
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return fail(ErrorKind::unavailable, printable(path) + ": more than 16 MiB of text");
}

}  // namespace mmapscope
