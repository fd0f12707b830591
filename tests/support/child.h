// What a function says when it runs in a child process, so that limits and filters it sets are the child's
// alone.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace mmapscope::test {

struct Child {
    std::string said;
    /// Empty when it ended by itself with status 0.
    std::string trouble;
};

/// `body` writes what it has to say with the function it is given, so that what it said before a crash is
/// known.
inline Child inChild(const std::function<void(const std::function<void(std::string_view)>& say)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) {
        return {{}, "no pipe"};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        body([&](std::string_view text) { (void)!::write(ends[1], text.data(), text.size()); });
        ::_exit(0);
    }
    ::close(ends[1]);
    Child result;
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], piece, sizeof piece)) > 0;) {
        result.said.append(piece, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        result.trouble = "killed by signal " + std::to_string(WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        result.trouble = "ended with status " + std::to_string(WEXITSTATUS(status));
    }
    return result;
}

}  // namespace mmapscope::test
