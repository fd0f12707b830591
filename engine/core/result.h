// How the engine says that something went wrong: one line of text that says what, why, and what to do.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace mmapscope {

/// What kind of thing went wrong; callers choose an exit status or a run status by it, never by the text.
enum class ErrorKind {
    usage,        ///< the caller asked for something malformed
    input,        ///< the file can't be read, or isn't what the workload needs (corrupt zstd, no schema fits)
    unavailable,  ///< this kernel, filesystem, CPU or privilege doesn't offer it
    changed,      ///< the file changed or shrank while it was read
    cancelled,    ///< stopped on request
    failed        ///< anything else: a system call failed, a worker died
};

struct Error {
    ErrorKind kind = ErrorKind::failed;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
    return tl::unexpected<Error>(Error{kind, std::move(message)});
}

/// "what: strerror(errnum)". ENOMEM, EACCES … keep the kernel's own words; where a limit
/// of this process may be behind it (EMFILE, ENOMEM), what raises it follows.
[[nodiscard]] tl::unexpected<Error> failErrno(ErrorKind kind, std::string_view what, int errnum);

/// The error every loop returns when its stop token was set.
[[nodiscard]] tl::unexpected<Error> cancelled();

[[nodiscard]] std::string_view name(ErrorKind kind);

}  // namespace mmapscope
