#include "core/process_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <optional>

#include "core/text.h"

namespace mmapscope {
namespace {

std::optional<std::uint64_t> limitOf(__rlimit_resource resource) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::nullopt;
    }
    return limit.rlim_cur;
}

}  // namespace

std::string addressSpaceAdvice(std::string_view otherwise) {
    const auto limit = limitOf(RLIMIT_AS);
    return limit ? fmt::format("the address space is limited to {}; raise it with ulimit -v",
                               formatBytes(Bytes(*limit)))
                 : std::string(otherwise);
}

std::string limitAdvice(int errnum) {
    switch (errnum) {
        case EMFILE: {
            const auto limit = limitOf(RLIMIT_NOFILE);
            return limit ? fmt::format("this process may have {} open; raise it with ulimit -n", *limit)
                         : std::string("raise the limit with ulimit -n");
        }
        case ENFILE:
            return "the whole system has as many open as fs.file-max allows";
        case ENOMEM:
            return addressSpaceAdvice({});
        default:
            return {};
    }
}

std::string threadError(std::string_view what, const std::error_code& code) {
    // pthread_create(3) says EAGAIN for a limit on threads and for a stack that has no room alike.
    std::string advice = addressSpaceAdvice({});
    if (const auto stack = limitOf(RLIMIT_STACK); stack && !advice.empty()) {
        advice += fmt::format(" (a thread takes {} of it, ulimit -s)", formatBytes(Bytes(*stack)));
    }
    return fmt::format("starting {}: {}; {}", what, code.message(),
                       advice.empty() ? "see ulimit -u and pids.max of the control group" : advice);
}

}  // namespace mmapscope
