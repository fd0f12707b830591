// A memory cap around workers: a control group with a limit (cgroups(7); version 2:
// Documentation/admin-guide/cgroup-v2.rst, version 1: cgroup-v1/memory.rst).
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "probe/mount_info.h"
#include "run/group_files.h"

namespace mmapscope {

/// Below this a program doesn't start, and readahead alone fills it.
inline constexpr Bytes kSmallestCap = mib(16);

/// Where groups with a limit can be made.
struct CapPlace {
    int version = 2;
    std::string directory;   ///< the group they are made in; by systemd: the hierarchy's mount
    bool bySystemd = false;  ///< nothing may be made by hand, but systemd-run makes a scope a worker
    std::optional<Bytes> ancestorLimit;  ///< the smallest limit on it and above: a larger cap isn't one
    std::string ancestorFile;            ///< where that is written
};

/// From /proc/self/mountinfo and /proc/self/cgroup: version 1's own group of this process; in version 2 the
/// nearest group from this process's own upwards that gives its children the memory controller and may be
/// written. Error: unavailable, with the command that makes it possible.
[[nodiscard]] Result<CapPlace> findCapPlace(const std::vector<MountEntry>& mounts,
                                            std::string_view cgroupText, const GroupFiles& files);
[[nodiscard]] Result<CapPlace> findCapPlace();

/// What a group says of the run that was in it.
struct CapReport {
    bool outOfMemory = false;        ///< the kernel killed a process of it
    std::optional<Bytes> peak;       ///< most memory charged at once
    std::optional<Bytes> fileBytes;  ///< page cache charged to it now
};

/// The group of one run, in a home of its own. Gone, with all that is charged to it, when this ends.
class CappedGroup {
  public:
    ~CappedGroup();
    CappedGroup(CappedGroup&&) noexcept;
    CappedGroup& operator=(CappedGroup&&) = delete;

    /// Before the process touches what is to be charged. Error: failed.
    [[nodiscard]] Status join(pid_t process) const;
    [[nodiscard]] CapReport report() const;
    [[nodiscard]] const std::string& directory() const { return directory_; }

  private:
    friend class CapHome;
    CappedGroup(const GroupFiles& files, int version, std::string directory)
        : files_(&files), version_(version), directory_(std::move(directory)) {}

    const GroupFiles* files_;
    int version_;
    std::string directory_;
};

/// A study's home of groups: "mmapscope-PID-START", so that a later start can tell whether whoever made it
/// still lives. Made with it, removed with it; what earlier, killed ones left is removed first.
class CapHome {
  public:
    /// `reaper`: a program that is given the home's directory and removes it once its standard input ends,
    /// which it does when this process is killed (mmapscope-worker --reap); empty: none.
    [[nodiscard]] static Result<std::unique_ptr<CapHome>> make(const CapPlace& place,
                                                               const std::string& reaper,
                                                               GroupFiles files = GroupFiles::real());
    ~CapHome();
    CapHome(const CapHome&) = delete;
    CapHome& operator=(const CapHome&) = delete;

    /// A fresh group with that limit, and no swap where that can be said. Error: failed.
    [[nodiscard]] Result<CappedGroup> group(Bytes limit);
    /// The limit that really holds: the cap, or an ancestor's if that is smaller.
    [[nodiscard]] Bytes effective(Bytes limit) const;
    [[nodiscard]] const std::string& directory() const { return directory_; }

  private:
    struct Reaper;
    CapHome(CapPlace place, GroupFiles files, std::string directory);

    CapPlace place_;
    GroupFiles files_;
    std::string directory_;
    std::unique_ptr<Reaper> reaper_;
    unsigned made_ = 0;
};

/// Removes the groups in a home and the home, trying for up to `patienceMs` while processes of it end.
/// 0 or errno.
int removeHome(const GroupFiles& files, const std::string& directory, int patienceMs);

/// For mmapscope-worker --reap DIRECTORY: waits for the end of standard input, then removes the home. The
/// directory must be named as a home is.
[[nodiscard]] int reapHome(const std::string& directory);

}  // namespace mmapscope
