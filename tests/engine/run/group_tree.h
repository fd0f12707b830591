// A made-up tree of memory control groups.
#pragma once

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "run/group_files.h"

namespace mmapscope {

/// cgroupfs in memory: directories get their files when they are made.
class GroupTree {
  public:
    explicit GroupTree(int version) : version_(version) {}

    void directory(const std::string& path, const std::string& subtree = "", bool writable = true) {
        fill(path);
        if (version_ == 2) {
            files_[path + "/cgroup.subtree_control"] = subtree;
        }
        if (writable) {
            writable_.insert(path);
            writable_.insert(path + "/cgroup.procs");
        }
    }
    std::string& file(const std::string& path) { return files_[path]; }
    [[nodiscard]] bool has(const std::string& path) const { return files_.contains(path + "/cgroup.procs"); }
    /// Directories that stay busy for so many removals.
    std::map<std::string, int> busy;

    [[nodiscard]] GroupFiles operations() {
        GroupFiles ops;
        ops.make = [this](const std::string& d) {
            if (has(d)) {
                return EEXIST;
            }
            fill(d);
            writable_.insert(d);
            return 0;
        };
        ops.remove = [this](const std::string& d) {
            if (!has(d)) {
                return ENOENT;
            }
            if (busy[d]-- > 0 || !children(d).empty()) {
                return EBUSY;
            }
            std::erase_if(files_, [&](const auto& entry) { return entry.first.starts_with(d + "/"); });
            return 0;
        };
        ops.write = [this](const std::string& f, std::string_view text) {
            if (!files_.contains(f)) {
                return ENOENT;
            }
            files_[f] = text;
            return 0;
        };
        ops.read = [this](const std::string& f) {
            const auto it = files_.find(f);
            return it == files_.end() ? std::nullopt : std::optional(it->second);
        };
        ops.list = [this](const std::string& d) { return children(d); };
        ops.writable = [this](const std::string& p) { return writable_.contains(p); };
        return ops;
    }

  private:
    void fill(const std::string& path) {
        files_[path + "/cgroup.procs"] = "";
        if (version_ == 2) {
            for (const char* name :
                 {"cgroup.subtree_control", "memory.max", "memory.swap.max", "memory.peak"}) {
                files_[path + "/" + name] = "max";
            }
            files_[path + "/memory.events"] = "low 0\nmax 3\noom 0\noom_kill 0\n";
            files_[path + "/memory.stat"] = "anon 4096\nfile 8192\n";
        } else {
            files_[path + "/memory.limit_in_bytes"] = "9223372036854771712";
            files_[path + "/memory.max_usage_in_bytes"] = "12288";
            files_[path + "/memory.oom_control"] = "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n";
            files_[path + "/memory.stat"] = "cache 8192\nrss 4096\n";
            files_[path + "/memory.force_empty"] = "";
            files_[path + "/memory.swappiness"] = "60";
        }
    }
    [[nodiscard]] std::vector<std::string> children(const std::string& d) const {
        std::set<std::string> names;
        for (const auto& [path, text] : files_) {
            if (path.starts_with(d + "/")) {
                const std::string rest = path.substr(d.size() + 1);
                if (const std::size_t slash = rest.find('/'); slash != std::string::npos) {
                    names.insert(rest.substr(0, slash));
                }
            }
        }
        return {names.begin(), names.end()};
    }

    int version_;
    std::map<std::string, std::string> files_;
    std::set<std::string> writable_;
};

}  // namespace mmapscope
