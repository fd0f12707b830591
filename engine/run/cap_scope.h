// A memory cap where no control group may be made by hand: systemd makes a scope for each worker
// (systemd-run(1), systemd.scope(5); MemoryMax= in systemd.resource-control(5)).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "run/group_files.h"
#include "run/memory_cap.h"

namespace mmapscope {

/// Whether this user's service manager can be asked: systemd-run is on PATH and the manager's socket is in
/// `runtimeDirectory` ($XDG_RUNTIME_DIR).
[[nodiscard]] bool userManagerIsThere(const char* path, const char* runtimeDirectory);

/// One worker's scope. It ends with the worker: nothing is left when both are killed.
class CapScope {
  public:
    /// Where a process is: the text of /proc/PID/cgroup, empty when it is gone.
    using GroupOf = std::function<std::string(pid_t)>;

    /// `mount`: of the unified hierarchy.
    CapScope(Bytes limit, std::string mount, GroupFiles files = GroupFiles::real(), GroupOf groupOf = {});

    /// What is put before the worker's command line; it executes the worker in place, so that the process
    /// stays this one's child.
    [[nodiscard]] const std::vector<std::string>& launcher() const { return launcher_; }
    /// Waits until systemd has put the process into the scope and the limit holds there. Error: unavailable,
    /// when it hasn't within `patience`, or the limit doesn't hold.
    [[nodiscard]] Status await(pid_t process, std::chrono::milliseconds patience = std::chrono::seconds(5));
    /// What the group says now; call it while the worker still lives.
    [[nodiscard]] CapReport report() const;
    /// Whether the kernel killed a process in the groups above since await(): what is left to see once the
    /// scope is gone.
    [[nodiscard]] bool killedAbove() const;
    /// The smallest limit on the scope and above.
    [[nodiscard]] Bytes effective() const { return effective_; }

  private:
    [[nodiscard]] std::uint64_t killsAbove() const;

    Bytes limit_, effective_;
    std::string mount_, unit_, directory_;
    GroupFiles files_;
    GroupOf groupOf_;
    std::vector<std::string> launcher_;
    std::uint64_t killsBefore_ = 0;
};

}  // namespace mmapscope
