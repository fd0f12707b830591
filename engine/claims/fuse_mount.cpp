#include "claims/fuse_mount.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

extern char** environ;

namespace mmapscope {
namespace {

constexpr const char* kProgram = "/usr/bin/mergerfs";
constexpr decltype(std::declval<struct statfs>().f_type) kFuseMagic = 0x65735546;  // linux/magic.h
constexpr std::chrono::milliseconds kStep(10);
constexpr int kMountSteps = 300;
constexpr int kEndSteps = 100;

bool isFuse(const std::string& path) {
    struct statfs facts {};
    return ::statfs(path.c_str(), &facts) == 0 && facts.f_type == kFuseMagic;
}

bool hasEnded(pid_t process, int steps) {
    for (int i = 0; i < steps; ++i) {
        if (::waitpid(process, nullptr, WNOHANG) != 0) {
            return true;
        }
        std::this_thread::sleep_for(kStep);
    }
    return false;
}

}  // namespace

Result<FuseMount> FuseMount::make(const std::string& branch, const std::string& at,
                                  const std::stop_token& stop) {
    if (::access(kProgram, X_OK) != 0) {
        return fail(ErrorKind::unavailable, "mergerfs is not installed: apt install mergerfs");
    }
    if (::access("/dev/fuse", R_OK | W_OK) != 0) {
        return fail(ErrorKind::unavailable, "/dev/fuse is missing or not for this user: modprobe fuse");
    }
    if (::geteuid() != 0) {
        return fail(ErrorKind::unavailable, "mounting mergerfs is tried as root only: run it with sudo");
    }
    // The kernel caches what is read, as on a machine set up for serving files.
    std::array<std::string, 5> words{"mergerfs", "-f", "-ocache.files=partial,func.getattr=newest", branch,
                                     at};
    std::array<char*, 6> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        arguments[i] = words[i].data();
    }
    posix_spawn_file_actions_t quiet;
    ::posix_spawn_file_actions_init(&quiet);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        ::posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t own;
    ::posix_spawnattr_init(&own);
    // A Ctrl+C of the terminal is for this program, which unmounts first.
    ::posix_spawnattr_setflags(&own, POSIX_SPAWN_SETPGROUP);
    pid_t daemon = -1;
    const int error = ::posix_spawn(&daemon, kProgram, &quiet, &own, arguments.data(), environ);
    ::posix_spawnattr_destroy(&own);
    ::posix_spawn_file_actions_destroy(&quiet);
    if (error != 0) {
        return failErrno(ErrorKind::unavailable, kProgram, error);
    }
    FuseMount mount(at, daemon);
    for (int i = 0; i < kMountSteps && !stop.stop_requested(); ++i) {
        if (isFuse(at)) {
            return mount;
        }
        if (::waitpid(daemon, nullptr, WNOHANG) != 0) {
            mount.daemon_ = -1;
            return fail(ErrorKind::unavailable,
                        "mergerfs could not mount here: it may not, or its version "
                        "doesn't know cache.files");
        }
        std::this_thread::sleep_for(kStep);
    }
    return stop.stop_requested() ? Result<FuseMount>(cancelled())
                                 : fail(ErrorKind::unavailable, "mergerfs didn't mount within 3 s");
}

FuseMount::~FuseMount() {
    if (at_.empty() || daemon_ < 0) {
        return;
    }
    ::umount2(at_.c_str(), MNT_DETACH);
    ::kill(daemon_, SIGTERM);
    if (!hasEnded(daemon_, kEndSteps)) {
        ::kill(daemon_, SIGKILL);
        ::waitpid(daemon_, nullptr, 0);
    }
}

}  // namespace mmapscope
