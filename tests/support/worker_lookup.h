// Which workers a process has.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace mmapscope::test {

/// Programs named mmapscope-worker whose parent is `parent`.
inline std::vector<pid_t> workersOf(pid_t parent) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string text;
        if (!std::getline(stat, text)) {
            continue;
        }
        const auto open = text.find('(');
        const auto close = text.rfind(')');
        if (close == std::string::npos || text.substr(open + 1, close - open - 1) != "mmapscope-worke") {
            continue;
        }
        char state = 0;
        int itsParent = 0;
        if (std::sscanf(text.c_str() + close + 1, " %c %d", &state, &itsParent) == 2 && itsParent == parent &&
            state != 'Z') {
            found.push_back(static_cast<pid_t>(std::stoi(text)));
        }
    }
    return found;
}

}  // namespace mmapscope::test
