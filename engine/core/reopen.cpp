#include "core/reopen.h"

#include <fmt/format.h>

#include <cerrno>

#include "core/text.h"

namespace mmapscope {

tl::unexpected<Error> failReopen(ErrorKind kind, const std::string& path, int errnum) {
    const std::string shown = printable(path);
    switch (errnum) {
        case ENOENT:
        case ENOTDIR:
            return fail(kind, fmt::format("{} is no longer there: it was moved or deleted; put it back or "
                                          "choose another file, then measure again",
                                          shown));
        case EACCES:
        case EPERM:
            return fail(kind, fmt::format("{} may not be read (any more); have read permission granted, or "
                                          "run as its owner",
                                          shown));
        default:
            return failErrno(kind, shown + " can't be opened", errnum);
    }
}

}  // namespace mmapscope
