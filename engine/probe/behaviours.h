// What this kernel and filesystem do, as seen, never as concluded from a version number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "probe/file_facts.h"
#include "probe/perf_events.h"

namespace mmapscope {

struct Behaviour {
    std::string what;     ///< "large folios in the page cache"
    std::string seen;     ///< "yes: up to 2 MiB", "no", or why it could not be looked at
    std::string means;    ///< for the figures, in plain words
    bool looked = false;  ///< false: `seen` is the reason why not
};

/// Looks at the file's page cache through a mapping of its own (lookAtFolios) and tries the system calls:
/// milliseconds, so never on a thread that must answer. Reads nothing from storage.
[[nodiscard]] std::vector<Behaviour> observeBehaviours(const FileFacts& file);

/// An event by its title, and whether it can be counted here.
struct CounterFinding {
    std::string id;  ///< as in a run's counters: "perf_page_faults"
    std::string title;
    PerfFinding finding;
};
[[nodiscard]] std::vector<CounterFinding> lookAtCounters();

}  // namespace mmapscope
