#include "core/result.h"

#include <fmt/format.h>

#include <system_error>

namespace mmapscope {

tl::unexpected<Error> failErrno(ErrorKind kind, std::string_view what, int errnum) {
    return fail(kind, fmt::format("{}: {}", what, std::generic_category().message(errnum)));
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
