// Filesystems for the time of a test: a real FUSE mount, and kernel filesystems without a device.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace mmapscope::test {

/// Mounts of this process are its own from here on: whatever kills it, they go with it. False without the
/// privilege.
inline bool leaveMountNamespace() {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

class Mount {
  public:
    Mount() = default;
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;
    ~Mount() {
        if (!point_.empty() && ::umount2(point_.c_str(), MNT_DETACH) != 0) {
            std::fprintf(stderr, "%s stays mounted: %s\n", point_.c_str(), std::strerror(errno));
        }
        if (daemon_ > 0) {
            ::kill(daemon_, SIGTERM);
            ::waitpid(daemon_, nullptr, 0);
        }
    }

    /// A kernel filesystem such as tmpfs or ramfs, over the directory `point`. Empty, or why it can't be.
    [[nodiscard]] std::string kernel(const std::string& type, const std::string& point,
                                     const char* options = nullptr) {
        if (::mount("mmapscope-test", point.c_str(), type.c_str(), 0, options) != 0) {
            return "mounting " + type + ": " + std::strerror(errno);
        }
        point_ = point;
        return {};
    }

    /// mergerfs over the directory `branch`, with its options as a list with commas.
    [[nodiscard]] std::string mergerfs(const std::string& branch, const std::string& point,
                                       const std::string& options) {
        if (::access("/dev/fuse", R_OK | W_OK) != 0) {
            return std::string("/dev/fuse: ") + std::strerror(errno);
        }
        struct stat before {};
        struct stat now {};
        if (::stat(point.c_str(), &before) != 0) {
            return point + ": " + std::strerror(errno);
        }
        const pid_t parent = ::getpid();
        daemon_ = ::fork();
        if (daemon_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() == parent) {
                ::execlp("mergerfs", "mergerfs", "-f", "-o", options.c_str(), branch.c_str(), point.c_str(),
                         nullptr);
            }
            ::_exit(127);
        }
        for (int i = 0; i < 1000; ++i) {
            int status = 0;
            if (::waitpid(daemon_, &status, WNOHANG) == daemon_) {
                daemon_ = -1;
                return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? "mergerfs is not installed"
                                                                       : "mergerfs can't mount here";
            }
            if (::stat(point.c_str(), &now) == 0 && now.st_dev != before.st_dev) {
                point_ = point;
                return {};
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return "mergerfs didn't mount within 5 s";
    }

  private:
    std::string point_;
    pid_t daemon_ = -1;
};

}  // namespace mmapscope::test
