// The speed goals as data: what takes part, on which file, and which ratio of the two must be reached.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/corpus.h"
#include "run/run_record.h"

namespace mmapscope::bench {

/// Something that goes through a whole file, and is timed doing so.
struct Contestant {
    enum class Kind {
        arm,      ///< `what` is a workload, `source` a source, both as on the command line; in this process
        command,  ///< `what` is a program and its arguments; "{}" stands for the file, "{new}" for a new file
        fio,      ///< `what` is fio's options; timed by the bandwidth that it reports
        bare,     ///< `what` names a bare loop of system calls
        buffer,   ///< `what` names a plain loop over the buffer
        scanner   ///< `what` names one of tickScanners(), over the buffer
    };
    Kind kind = Kind::arm;
    std::string what;
    std::string source = {};
    unsigned threads = 1;
    std::string shown = {};  ///< what the table says instead of a made name

    [[nodiscard]] std::string label() const;
    friend bool operator==(const Contestant& a, const Contestant& b) { return a.label() == b.label(); }
};

/// Reached when the numerator's throughput over the denominator's is at least `least`.
struct Goal {
    Contestant numerator;
    Contestant denominator;
    double least = 1;
    /// What stands for the limit of the machine: its throughput over the denominator's is the ceiling.
    std::optional<Contestant> ceiling = {};
};

/// A file that is made for the measurement, or the buffer when `inMemory`.
struct Corpus {
    std::string name;  ///< of the file; groups that name the same one share it
    CorpusRequest request;
    bool inMemory = false;
};

/// Goals that share a file and the state of its page cache.
struct Group {
    std::string title;
    Corpus corpus;
    CacheState cache = CacheState::warm;
    unsigned perRound = 1;  ///< short runs are repeated within a round
    std::vector<Goal> goals;

    /// Everything that takes part, once.
    [[nodiscard]] std::vector<Contestant> contestants() const;
};

/// `quick`: smaller files, on which the start of a program is no longer lost in the noise.
[[nodiscard]] std::vector<Group> goalTable(bool quick);

/// Only goals whose title or contestants match the pattern (fnmatch(3), anywhere, any case).
[[nodiscard]] std::vector<Group> matching(std::vector<Group> groups, const std::string& pattern);

}  // namespace mmapscope::bench
