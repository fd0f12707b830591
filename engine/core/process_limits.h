// Limits of this process (getrlimit(2)) as the last part of an error: what set them, and what raises them.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace mmapscope {

/// "the address space is limited to 64 MiB; raise it with ulimit -v"; `otherwise` when it is not limited.
[[nodiscard]] std::string addressSpaceAdvice(std::string_view otherwise);

/// What to do about an error of a system call that a limit may be behind: EMFILE, ENFILE, ENOMEM. Empty for
/// others.
[[nodiscard]] std::string limitAdvice(int errnum);

/// "starting a reader thread: Resource temporarily unavailable; …", `what` being "a reader thread".
[[nodiscard]] std::string threadError(std::string_view what, const std::error_code& code);

}  // namespace mmapscope
