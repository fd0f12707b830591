#include "core/result.h"

#include <fmt/format.h>

#include <system_error>

#include "core/process_limits.h"

namespace mmapscope {

tl::unexpected<Error> failErrno(ErrorKind kind, std::string_view what, int errnum) {
    const std::string advice = limitAdvice(errnum);
    return fail(kind, fmt::format("{}: {}{}{}", what, std::generic_category().message(errnum),
                                  advice.empty() ? "" : "; ", advice));
}

tl::unexpected<Error> cancelled() {
    return fail(ErrorKind::cancelled, "cancelled");
}

std::string_view name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return "usage";
        case ErrorKind::input:
            return "input";
        case ErrorKind::unavailable:
            return "unavailable";
        case ErrorKind::changed:
            return "changed";
        case ErrorKind::cancelled:
            return "cancelled";
        case ErrorKind::failed:
            return "failed";
    }
    return "failed";
}

}  // namespace mmapscope
