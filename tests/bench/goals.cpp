#include "bench/goals.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace mmapscope::bench {

std::string Contestant::label() const {
    const std::string more = threads == 1 ? "" : fmt::format(", {} threads", threads);
    if (!shown.empty()) {
        return shown + more;
    }
    switch (kind) {
        case Kind::arm:
            return source + " → " + what + more;
        case Kind::fio:
            return "fio " + what;
        case Kind::scanner:
            return what + " scanner";
        case Kind::command:
        case Kind::bare:
        case Kind::buffer:
            break;
    }
    return what;
}

std::vector<Contestant> Group::contestants() const {
    std::vector<Contestant> all;
    const auto add = [&](const Contestant& one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) {
            all.push_back(one);
        }
    };
    for (const Goal& goal : goals) {
        add(goal.numerator);
        add(goal.denominator);
        if (goal.ceiling) {
            add(*goal.ceiling);
        }
    }
    return all;
}

std::vector<Group> matching(std::vector<Group> groups, const std::string& pattern) {
    const std::string anywhere = "*" + pattern + "*";
    const auto misses = [&](const std::string& text) {
        return fnmatch(anywhere.c_str(), text.c_str(), FNM_CASEFOLD) != 0;
    };
    for (Group& group : groups) {
        if (misses(group.title)) {
            std::erase_if(group.goals, [&](const Goal& goal) {
                return misses(goal.numerator.label() + " / " + goal.denominator.label());
            });
        }
    }
    std::erase_if(groups, [](const Group& group) { return group.goals.empty(); });
    return groups;
}

}  // namespace mmapscope::bench
