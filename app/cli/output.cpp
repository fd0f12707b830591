#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "app/cli/cli.h"
#include "core/text.h"

namespace mmapscope::cli {

void printError(std::string_view message) {
    std::fputs(fmt::format("mmapscope-cli: {}\n", printable(message)).c_str(), stderr);
}

Exit report(const Error& error) {
    if (error.kind == ErrorKind::cancelled) {
        printError("stopped");
        return Exit::cancelled;
    }
    printError(error.message);
    switch (error.kind) {
        case ErrorKind::usage:
        case ErrorKind::input:
            return Exit::badInput;
        case ErrorKind::unavailable:
            return Exit::unavailable;
        default:
            return Exit::runFailed;
    }
}

Exit print(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return report(failErrno(ErrorKind::failed, "standard output can't be written", errno).value());
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return Exit::done;
}

}  // namespace mmapscope::cli
