// Makes the files, runs everybody in rounds, and keeps the times.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/goals.h"
#include "core/result.h"

namespace mmapscope::bench {

struct Settings {
    std::string folder;  ///< where a folder for the files is made
    unsigned rounds = 7;
    std::uint64_t seed = 1;
    bool cpuTime = false;  ///< instead of wall time
};

/// What one contestant did.
struct Times {
    std::vector<double> seconds;  ///< one a run, in the order of the group's runs
    std::string unavailable;      ///< why there are none
};

struct GroupTimes {
    std::map<std::string, Times> of;  ///< by label
    double bytes = 0;                 ///< of content: decoded, where the file is compressed
};

/// One entry a group. `say` is given what is being done. Errors of single contestants are in their times.
/// Error: failed (the files can't be made), cancelled. Whatever happens, the files are gone afterwards.
[[nodiscard]] Result<std::vector<GroupTimes>> measure(const std::vector<Group>& groups,
                                                      const Settings& settings, const std::stop_token& stop,
                                                      const std::function<void(const std::string&)>& say);

}  // namespace mmapscope::bench
