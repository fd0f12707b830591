#include "core/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "core/process_limits.h"

namespace mmapscope {
namespace {

/// What helps against errors that say no more than that something is so.
std::string_view adviceFor(int errnum) {
    switch (errnum) {
        case ENAMETOOLONG:
            return "choose a shorter path";
        case ENOTCONN:
            return "the server of this FUSE mount is gone: unmount it (fusermount3 -u) and mount it again";
        case ESTALE:
            return "the network filesystem no longer knows this file: open it anew, or mount again";
        case ENOEXEC:
            return "it is no program for this machine: name the mmapscope-worker of this installation";
        case EIO:
            return "the storage failed: see the kernel's log (dmesg)";
        case ELOOP:
            return "its symbolic links lead in a circle: remove one of them, or choose another path";
        default:
            return {};
    }
}

}  // namespace

tl::unexpected<Error> failErrno(ErrorKind kind, std::string_view what, int errnum) {
    std::string advice = limitAdvice(errnum);
    if (advice.empty()) {
        advice = adviceFor(errnum);
    }
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
