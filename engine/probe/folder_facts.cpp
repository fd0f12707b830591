// A folder looked at as one long file.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/unique_fd.h"
#include "probe/file_look.h"

namespace mmapscope {
namespace {

using namespace look;

bool earlier(const timespec& a, const timespec& b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/// The root ends with the slash already.
std::string pathIn(const std::string& folder, const std::string& name) {
    return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

class FolderWalk {
  public:
    explicit FolderWalk(FileFacts& facts) : facts_(facts) {}

    /// `below` is empty for the folder itself, else ends with '/'.
    Status walk(const std::string& below, const struct stat& folder);
    /// Puts the files in order and adds them up.
    Status settle();

  private:
    Status entry(const std::string& name);
    [[nodiscard]] std::string full(const std::string& name) const { return pathIn(facts_.path, name); }
    /// Owner or root for all files of the same owner: asked once for each.
    bool owned(const struct stat& st);

    FileFacts& facts_;
    std::vector<std::pair<dev_t, ino_t>> above_;  ///< folders on the way here
    std::vector<std::pair<uid_t, bool>> owners_;
};

bool FolderWalk::owned(const struct stat& st) {
    const auto known = std::find_if(owners_.begin(), owners_.end(),
                                    [&](const auto& owner) { return owner.first == st.st_uid; });
    return known != owners_.end() ? known->second : owners_.emplace_back(st.st_uid, isOwned(st)).second;
}

Status FolderWalk::walk(const std::string& below, const struct stat& folder) {
    const std::pair here(folder.st_dev, folder.st_ino);
    if (std::find(above_.begin(), above_.end(), here) != above_.end()) {
        return refuse(
            full(below.substr(0, below.size() - 1)),
            "a symbolic link back to a folder it lies in; remove the link or choose another folder");
    }
    const std::string path = below.empty() ? facts_.path : full(below.substr(0, below.size() - 1));
    const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
    if (!directory) {
        return explainOpen(path, folder, errno);
    }
    above_.push_back(here);
    for (;;) {
        errno = 0;
        const dirent* const next = ::readdir(directory.get());
        if (next == nullptr) {
            break;
        }
        if (std::strcmp(next->d_name, ".") == 0 || std::strcmp(next->d_name, "..") == 0) {
            continue;
        }
        if (auto added = entry(below + next->d_name); !added) {
            return added;
        }
    }
    if (errno != 0) {
        return failErrno(ErrorKind::input, fmt::format("{}: its entries can't be read", printable(path)),
                         errno);
    }
    above_.pop_back();
    return {};
}

/// stat(2) failed of what the folder lists.
tl::unexpected<Error> explainEntry(const std::string& path, int errnum) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path, error);
    if (!error && errnum == ENOENT) {
        return refuse(path,
                      fmt::format("a symbolic link to {}, which is not there; remove the link or choose "
                                  "another folder",
                                  printable(target.string())));
    }
    if (!error && errnum == ELOOP) {
        return refuse(path, "symbolic links that lead in a circle; remove the link or choose another folder");
    }
    if (errnum == ENOENT) {
        return refuse(path, "it was removed while the folder was looked at; choose it again");
    }
    return explainMissing(path, errnum);
}

Status FolderWalk::entry(const std::string& name) {
    struct stat st {};
    const std::string path = full(name);
    if (::stat(path.c_str(), &st) != 0) {
        return explainEntry(path, errno);
    }
    if (S_ISDIR(st.st_mode)) {
        return walk(name + "/", st);
    }
    if (!S_ISREG(st.st_mode)) {
        ++facts_.leftOut;
        return {};
    }
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
        return explainOpen(path, st, errno);
    }
    if (facts_.members.size() == kMostMembers) {
        return refuse(facts_.path,
                      fmt::format("holds more than {} files; choose a folder in it", kMostMembers));
    }
    facts_.owned = facts_.owned && owned(st);
    facts_.writable = facts_.writable && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
    facts_.allocated += Bytes(static_cast<std::uint64_t>(st.st_blocks) * 512);
    facts_.members.push_back({name, Bytes(0), stampFrom(st)});
    return {};
}

Status FolderWalk::settle() {
    if (facts_.members.empty()) {
        return refuse(facts_.path, "a folder without a file in it; choose another one");
    }
    std::sort(facts_.members.begin(), facts_.members.end(),
              [](const FileMember& a, const FileMember& b) { return a.path < b.path; });
    for (FileMember& member : facts_.members) {
        member.begin = facts_.bytes;
        if (member.stamp.size.count() > INT64_MAX - facts_.bytes.count()) {
            return refuse(facts_.path,
                          "its files together have more bytes than a file can have; choose a "
                          "folder in it");
        }
        facts_.bytes += member.stamp.size;
        facts_.stamp.modified = std::max(facts_.stamp.modified, member.stamp.modified, earlier);
        facts_.stamp.changed = std::max(facts_.stamp.changed, member.stamp.changed, earlier);
    }
    facts_.stamp.size = facts_.bytes;
    return {};
}

}  // namespace

Result<FileFacts> inspectInput(const std::string& path) {
    struct stat st {};
    if (!checkPath(path) || ::stat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) {
        return inspectFile(path);
    }
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
    if (!fd) {
        return explainOpen(path, st, errno);
    }
    FileFacts facts;
    facts.path = absolutePath(path);
    while (facts.path.size() > 1 && facts.path.back() == '/') {
        facts.path.pop_back();
    }
    facts.stamp = {st.st_dev, st.st_ino, Bytes(0), {}, {}};
    facts.owned = true;
    facts.writable = true;
    addMount(facts, fd.get());
    if (isKernelFilesystem(facts.filesystem)) {
        return refuse(path, fmt::format("made by the kernel as it is read ({}); choose a folder on a disk",
                                        facts.filesystem));
    }
    FolderWalk walk(facts);
    Status done = walk.walk("", st);
    if (done) {
        done = walk.settle();
    }
    return done.map([&] { return std::move(facts); });
}

std::string memberPath(const std::string& folder, const FileMember& member) {
    return pathIn(folder, member.path);
}

FileFacts memberFacts(const FileFacts& folder, const FileMember& member) {
    FileFacts facts;
    facts.path = memberPath(folder.path, member);
    facts.stamp = member.stamp;
    facts.bytes = member.stamp.size;
    facts.allocated = member.stamp.size;
    facts.writable = folder.writable;
    facts.owned = folder.owned;
    facts.filesystem = folder.filesystem;
    facts.mountPoint = folder.mountPoint;
    facts.mountOptions = folder.mountOptions;
    facts.device = folder.device;
    facts.storage = folder.storage;
    facts.storageReason = folder.storageReason;
    facts.readAhead = folder.readAhead;
    return facts;
}

Status forEachFile(const FileFacts& input, Range range,
                   const std::function<Status(const FileFacts&, Range)>& visit) {
    if (!input.isFolder()) {
        return visit(input, range);
    }
    for (const FileMember& member : input.members) {
        const Bytes begin = std::max(range.begin, member.begin);
        const Bytes end = std::min(range.end, member.range().end);
        if (begin < end) {
            const Range part{begin - member.begin, end - member.begin};
            if (auto visited = visit(memberFacts(input, member), part); !visited) {
                return visited;
            }
        }
    }
    return {};
}

}  // namespace mmapscope
