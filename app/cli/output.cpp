#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>

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
            const Error error =
                failErrno(ErrorKind::failed, "standard output can't be written", errno).value();
            return report({error.kind, error.message + "; have it go to a file or a reader that stays"});
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return Exit::done;
}

std::string checkWhole(const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? std::string()
                                               : fmt::format("\"{}\" is not a whole number from 0 to {}",
                                                             text, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace mmapscope::cli
