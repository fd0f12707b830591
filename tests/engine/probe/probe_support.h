// Captured texts, and made-up /sys trees, for the probes' tests.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace mmapscope::test {

/// A text captured from a running kernel.
inline std::string captured(const std::string& name) {
    std::ifstream file(std::string(MMAPSCOPE_TEST_DATA) + "/proc/" + name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        qFatal("can't read tests/data/proc/%s", name.c_str());
    }
    return text.str();
}

/// A directory tree written file by file and link by link, gone at the end.
class Tree {
  public:
    [[nodiscard]] std::string root() const { return directory_.path().toStdString(); }
    [[nodiscard]] std::string path(const std::string& name) const { return root() + "/" + name; }
    void file(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << content;
    }
    void link(const std::string& name, const std::string& target) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::filesystem::create_directories(path(target));
        std::filesystem::create_directory_symlink(path(target), path(name));
    }

  private:
    QTemporaryDir directory_;
};

/// Runs `check` as user nobody in a child, without root's privileges; its result is the exit status (0 to
/// 99), or 100 when the privileges can't be dropped (we are not root).
inline int asNobody(const std::function<int()>& check) {
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0) {
            ::_exit(100);
        }
        ::_exit(check());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

}  // namespace mmapscope::test
