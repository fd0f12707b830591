// A control group for the time of a test, with one limit, for child processes to join.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "probe/fields.h"
#include "probe/mount_info.h"
#include "probe/system_facts.h"

namespace mmapscope::test {

class CgroupGuard {
  public:
    /// Version 1 or 2, wherever the controller is. `file1` and `file2` name the limit's file in each.
    CgroupGuard(const std::string& controller, const std::string& file1, const std::string& file2,
                Bytes limit) {
        const auto text = readKernelText("/proc/self/mountinfo");
        for (const auto& mount : parseMountInfo(text ? *text : std::string())) {
            const bool version2 = mount.filesystem == "cgroup2";
            const bool version1 =
                mount.filesystem == "cgroup" &&
                ("," + mount.superOptions + ",").find("," + controller + ",") != std::string::npos;
            if ((version1 || (version2 && offers(mount.mountPoint, controller))) &&
                make(mount.mountPoint, version2, controller, version2 ? file2 : file1, limit)) {
                return;
            }
        }
    }
    ~CgroupGuard() {
        if (!group_.empty()) {
            ::rmdir(group_.c_str());
        }
        if (!enabledIn_.empty()) {
            put(enabledIn_, "-" + controller_);
        }
    }
    CgroupGuard(const CgroupGuard&) = delete;
    CgroupGuard& operator=(const CgroupGuard&) = delete;

    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] const std::string& limitFile() const { return limitFile_; }

    /// What `body` says, run in a child process inside the group.
    [[nodiscard]] std::string inside(const std::function<std::string()>& body) const {
        int ends[2];
        if (pipe(ends) != 0) {
            return "no pipe";
        }
        const pid_t child = fork();
        if (child == 0) {
            const std::string said = put(group_ + "/cgroup.procs", "0") ? body() : "could not join " + group_;
            (void)!::write(ends[1], said.data(), said.size());
            _exit(0);
        }
        ::close(ends[1]);
        std::string said;
        char piece[512];
        for (ssize_t got = 0; (got = ::read(ends[0], piece, sizeof piece)) > 0;) {
            said.append(piece, static_cast<std::size_t>(got));
        }
        ::close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? "killed by signal " + std::to_string(WTERMSIG(status)) : said;
    }

  private:
    static bool put(const std::string& file, const std::string& text) {
        std::ofstream out(file);
        out << text << std::flush;
        return out.good();
    }
    static bool offers(const std::string& point, const std::string& controller) {
        const auto text = readKernelText(point + "/cgroup.controllers");
        return text &&
               (" " + std::string(trimmed(*text)) + " ").find(" " + controller + " ") != std::string::npos;
    }
    bool make(const std::string& point, bool version2, const std::string& controller, const std::string& file,
              Bytes limit) {
        group_ = point + "/mmapscope-test-" + std::to_string(getpid());
        if (version2) {
            const std::string control = point + "/cgroup.subtree_control";
            const auto now = readKernelText(control);
            if (now && now->find(controller) == std::string::npos && put(control, "+" + controller)) {
                enabledIn_ = control;
                controller_ = controller;
            }
        }
        if (::mkdir(group_.c_str(), 0755) != 0) {
            group_.clear();
            return false;
        }
        limitFile_ = group_ + "/" + file;
        ready_ = put(limitFile_, std::to_string(limit.count()));
        return ready_;
    }

    std::string group_;
    std::string limitFile_;
    std::string enabledIn_;
    std::string controller_;
    bool ready_ = false;
};

}  // namespace mmapscope::test
