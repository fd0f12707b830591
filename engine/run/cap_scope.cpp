#include "run/cap_scope.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string_view>
#include <thread>

#include "core/text.h"
#include "probe/fields.h"
#include "probe/system_facts.h"
#include "run/group_report.h"

namespace mmapscope {
namespace {

std::string unitName() {
    static std::atomic<unsigned> made{0};
    return fmt::format("mmapscope-{}-{}", ::getpid(), ++made);
}

/// The path within the unified hierarchy ("0::/user.slice/…") of cgroups(7); empty: none.
std::string unifiedPath(std::string_view text) {
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (line->starts_with("0::")) {
            return std::string(line->substr(3));
        }
    }
    return {};
}

}  // namespace

bool userManagerIsThere(const char* path, const char* runtimeDirectory) {
    if (path == nullptr || runtimeDirectory == nullptr) {
        return false;
    }
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::path(runtimeDirectory) / "systemd/private", error)) {
        return false;
    }
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::string program = std::string(rest.substr(0, colon)) + "/systemd-run";
        if (::access(program.c_str(), X_OK) == 0) {
            return true;
        }
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return false;
}

CapScope::CapScope(Bytes limit, std::string mount, GroupFiles files, GroupOf groupOf)
    : limit_(limit),
      effective_(limit),
      mount_(std::move(mount)),
      unit_(unitName()),
      files_(std::move(files)),
      groupOf_(groupOf ? std::move(groupOf) : [](pid_t process) {
          return readKernelText(fmt::format("/proc/{}/cgroup", process)).value_or("");
      }) {
    // Swapped memory would come in as other reading than the file's.
    launcher_ = {"systemd-run",
                 "--user",
                 "--scope",
                 "--quiet",
                 "--collect",
                 "--unit=" + unit_,
                 fmt::format("--property=MemoryMax={}", limit.count()),
                 "--property=MemorySwapMax=0",
                 "--"};
}

Status CapScope::await(pid_t process, std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    const std::string name = "/" + unit_ + ".scope";
    for (;;) {
        const std::string path = unifiedPath(groupOf_(process));
        if (path.ends_with(name)) {
            directory_ = mount_ + path;
            break;
        }
        if (path.empty() || std::chrono::steady_clock::now() >= until) {
            return fail(ErrorKind::unavailable,
                        fmt::format("a memory cap is not available here: systemd-run made no scope for the "
                                    "worker; try it by hand: systemd-run --user --scope -p MemoryMax={} true",
                                    limit_.count()));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const auto limit = groupNumber(files_.read(directory_ + "/memory.max"));
    if (!limit || Bytes(*limit) > limit_) {
        return fail(
            ErrorKind::unavailable,
            "a memory cap is not available here: the user's service manager has no memory controller; "
            "give it one: sudo mkdir -p /etc/systemd/system/user@.service.d, then in a file "
            "delegate.conf there [Service] Delegate=memory pids, and log in again");
    }
    for (auto at = std::filesystem::path(directory_); at.string().size() >= mount_.size();
         at = at.parent_path()) {
        if (const auto above = groupNumber(files_.read((at / "memory.max").string()))) {
            effective_ = std::min(effective_, Bytes(*above));
        }
    }
    killsBefore_ = killsAbove();
    return {};
}

CapReport CapScope::report() const {
    return groupReport(files_, 2, directory_);
}

std::uint64_t CapScope::killsAbove() const {
    // memory.events counts what happens in the groups below too (cgroup-v2.rst).
    const std::string parent = std::filesystem::path(directory_).parent_path().string();
    return groupNumber(files_.read(parent + "/memory.events"), "oom_kill").value_or(0);
}

bool CapScope::killedAbove() const {
    return !directory_.empty() && killsAbove() > killsBefore_;
}

}  // namespace mmapscope
