#include "run/memory_cap.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/text.h"
#include "probe/cgroup.h"
#include "probe/fields.h"
#include "probe/system_facts.h"
#include "probe/task_status.h"
#include "run/cap_scope.h"
#include "run/group_report.h"
#include "run/worker_process.h"

namespace mmapscope {
namespace {

constexpr std::string_view kHomePrefix = "mmapscope-";
constexpr int kRemovePatienceMs = 2000;

const char* limitFile(int version) {
    return version == 1 ? "memory.limit_in_bytes" : "memory.max";
}

std::string parentOf(const std::string& directory) {
    return std::filesystem::path(directory).parent_path().string();
}

/// When a process began, in ticks since boot (proc_pid_stat(5), field 22): with its id it names a process for
/// good.
std::optional<std::string> startOf(pid_t pid) {
    const auto text = readKernelText(fmt::format("/proc/{}/stat", pid));
    const std::size_t close = text ? text->rfind(')') : std::string::npos;
    if (close == std::string::npos) {
        return std::nullopt;
    }
    Fields fields(std::string_view(*text).substr(close + 1));
    std::string_view field;
    constexpr int kFieldsToStart = 20;  // state is the first behind the parenthesis
    for (int i = 0; i < kFieldsToStart; ++i) {
        field = fields.next();
    }
    return field.empty() ? std::nullopt : std::optional(std::string(field));
}

std::string homeName() {
    return fmt::format("{}{}-{}", kHomePrefix, ::getpid(), startOf(::getpid()).value_or("0"));
}

/// Whether whoever made a home of that name is gone. Other names are none of ours.
bool isOrphan(std::string_view name) {
    if (!name.starts_with(kHomePrefix)) {
        return false;
    }
    name.remove_prefix(kHomePrefix.size());
    const std::size_t dash = name.find('-');
    const auto pid = parseUnsigned(name.substr(0, dash));
    if (!pid || dash == std::string_view::npos || !parseUnsigned(name.substr(dash + 1))) {
        return false;
    }
    return startOf(static_cast<pid_t>(*pid)) != std::optional(std::string(name.substr(dash + 1)));
}

void lowerTo(CapPlace& place, const GroupFiles& files, const std::string& directory) {
    const std::string file = directory + "/" + limitFile(place.version);
    const auto limit = groupNumber(files.read(file));
    // No limit is "max" in version 2 and close to 2^63 in version 1.
    if (limit && *limit < (std::uint64_t{1} << 62U) &&
        (!place.ancestorLimit || Bytes(*limit) < *place.ancestorLimit)) {
        place.ancestorLimit = Bytes(*limit);
        place.ancestorFile = file;
    }
}

/// Limits of the place and of all above, up to the first directory without the controller's files.
void findAncestorLimits(CapPlace& place, const GroupFiles& files) {
    for (std::string at = place.directory; at.size() > 1; at = parentOf(at)) {
        if (!files.read(at + "/cgroup.procs")) {
            break;
        }
        lowerTo(place, files, at);
    }
}

tl::unexpected<Error> noPlace(const std::string& why) {
    return fail(
        ErrorKind::unavailable,
        why + "; run it as root, or inside: systemd-run --user --scope -p Delegate=yes mmapscope-cli …");
}

}  // namespace

Result<CapPlace> findCapPlace(const std::vector<MountEntry>& mounts, std::string_view cgroupText,
                              const GroupFiles& files) {
    const auto own = findMemoryGroup(mounts, cgroupText);
    if (!own) {
        return fail(ErrorKind::unavailable,
                    "a memory cap is not available here: no cgroup memory controller is mounted");
    }
    CapPlace place;
    place.version = own->version;
    if (own->version == 1) {
        place.directory = own->directory;
        if (!files.writable(place.directory)) {
            return fail(
                ErrorKind::unavailable,
                fmt::format("a memory cap is not available here: {} may not be written; run it as root, "
                            "or: sudo chown -R $USER {}",
                            place.directory, place.directory));
        }
        findAncestorLimits(place, files);
        return place;
    }
    // A group with processes can't give its children controllers: so mostly an ancestor's.
    bool controlled = false;
    for (std::string at = own->directory; at.size() > 1; at = parentOf(at)) {
        const auto given = files.read(at + "/cgroup.subtree_control");
        if (!given) {
            break;
        }
        const bool memory = holdsWord(*given, "memory");
        controlled = controlled || memory;
        if (memory && files.writable(at) && files.writable(at + "/cgroup.procs")) {
            place.directory = at;
            findAncestorLimits(place, files);
            return place;
        }
    }
    return noPlace(controlled
                       ? "a memory cap is not available here: no group above this process may be written"
                       : "a memory cap is not available here: the memory controller is not given to "
                         "the groups of this process");
}

Result<CapPlace> findCapPlace() {
    const auto mounts = readKernelText("/proc/self/mountinfo");
    const auto groups = readKernelText("/proc/self/cgroup");
    if (!mounts || !groups) {
        return fail(ErrorKind::unavailable,
                    "a memory cap is not available here: /proc doesn't tell of cgroups");
    }
    const std::vector<MountEntry> mounted = parseMountInfo(*mounts);
    auto place = findCapPlace(mounted, *groups, GroupFiles::real());
    if (place || !userManagerIsThere(std::getenv("PATH"), std::getenv("XDG_RUNTIME_DIR"))) {
        return place;
    }
    const auto unified = std::find_if(mounted.begin(), mounted.end(),
                                      [](const MountEntry& one) { return one.filesystem == "cgroup2"; });
    const auto own = findMemoryGroup(mounted, *groups);
    if (unified == mounted.end() || (own && own->version == 1)) {
        return place;
    }
    CapPlace scopes;
    scopes.directory = unified->mountPoint;
    scopes.bySystemd = true;
    return scopes;
}

CappedGroup::CappedGroup(CappedGroup&& other) noexcept
    : files_(other.files_), version_(other.version_), directory_(std::move(other.directory_)) {
    other.directory_.clear();
}

CappedGroup::~CappedGroup() {
    if (directory_.empty()) {
        return;
    }
    if (version_ == 1) {
        // Page cache that stays charged would keep the group half alive.
        files_->write(directory_ + "/memory.force_empty", "0");
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kRemovePatienceMs);
    while (files_->remove(directory_) == EBUSY && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // its process is being reaped
    }
}

Status CappedGroup::join(pid_t process) const {
    if (const int error = files_->write(directory_ + "/cgroup.procs", fmt::format("{}", process));
        error != 0) {
        return failErrno(ErrorKind::failed, "putting the worker under its memory cap", error);
    }
    return {};
}

CapReport CappedGroup::report() const {
    return groupReport(*files_, version_, directory_);
}

struct CapHome::Reaper {
    WorkerProcess process;
};

CapHome::CapHome(CapPlace place, GroupFiles files, std::string directory)
    : place_(std::move(place)), files_(std::move(files)), directory_(std::move(directory)) {}

Result<std::unique_ptr<CapHome>> CapHome::make(const CapPlace& place, const std::string& reaper,
                                               GroupFiles files) {
    for (const std::string& name : files.list(place.directory)) {
        if (isOrphan(name)) {
            removeHome(files, place.directory + "/" + name, 0);
        }
    }
    const std::string directory = place.directory + "/" + homeName();
    // One of this very process: another study of it, which has ended or whose groups are its own.
    if (const int error = files.make(directory); error != 0 && error != EEXIST) {
        return failErrno(ErrorKind::unavailable, "making a control group for the memory cap: " + directory,
                         error);
    }
    std::unique_ptr<CapHome> home(new CapHome(place, std::move(files), directory));
    if (place.version == 2) {
        if (const int error = home->files_.write(directory + "/cgroup.subtree_control", "+memory");
            error != 0) {
            return failErrno(ErrorKind::unavailable,
                             "giving the memory controller to " + directory + "/cgroup.subtree_control",
                             error);
        }
    }
    if (!reaper.empty()) {
        auto process = WorkerProcess::start({reaper, "--reap=" + directory});
        if (!process) {
            return tl::unexpected(process.error());
        }
        home->reaper_.reset(new Reaper{std::move(*process)});
    }
    return home;
}

CapHome::~CapHome() {
    removeHome(files_, directory_, kRemovePatienceMs);
    if (reaper_) {
        reaper_->process.closeInput();
        (void)reaper_->process.end(kRemovePatienceMs);
    }
}

Result<CappedGroup> CapHome::group(Bytes limit) {
    const std::string directory = fmt::format("{}/run-{}", directory_, ++made_);
    if (const int error = files_.make(directory); error != 0) {
        return failErrno(ErrorKind::failed, "making a control group for the memory cap: " + directory, error);
    }
    CappedGroup group(files_, place_.version, directory);
    const std::string file = directory + "/" + limitFile(place_.version);
    if (const int error = files_.write(file, fmt::format("{}", limit.count())); error != 0) {
        return failErrno(ErrorKind::failed,
                         fmt::format("setting the memory cap of {}: {}", formatBytes(limit), file), error);
    }
    // What is swapped out would come in as other reading than the file's. Not every kernel counts swap.
    if (place_.version == 1) {
        files_.write(directory + "/memory.swappiness", "0");
    } else {
        files_.write(directory + "/memory.swap.max", "0");
    }
    return group;
}

Bytes CapHome::effective(Bytes limit) const {
    return place_.ancestorLimit ? std::min(limit, *place_.ancestorLimit) : limit;
}

int removeHome(const GroupFiles& files, const std::string& directory, int patienceMs) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patienceMs);
    for (;;) {
        for (const std::string& name : files.list(directory)) {
            files.write(directory + "/" + name + "/memory.force_empty", "0");
            files.remove(directory + "/" + name);
        }
        const int error = files.remove(directory);
        if (error != EBUSY || std::chrono::steady_clock::now() >= until) {
            return error;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

int reapHome(const std::string& directory) {
    // Whoever started this may be killed by a signal to its whole group; this must outlive it.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        std::signal(signal, SIG_IGN);
    }
    if (!std::filesystem::path(directory).filename().string().starts_with(kHomePrefix)) {
        return EINVAL;
    }
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR) {
        errno = 0;
    }
    // Workers die with their parent; the kernel takes a moment to let them go.
    constexpr int kPatienceMs = 10'000;
    const int error = removeHome(GroupFiles::real(), directory, kPatienceMs);
    return error == ENOENT ? 0 : error;
}

}  // namespace mmapscope
