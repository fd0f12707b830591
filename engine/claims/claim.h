// Published claims about how a program should get a file's bytes, as data: what was said, under which
// conditions, how it is tested here.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "corpus/corpus.h"
#include "run/run_record.h"

namespace mmapscope {

/// What of a study's runs a finding compares or counts.
enum class Figure {
    speed,            ///< against's wall time over the arm's: above 1 is faster
    speedAfterSetup,  ///< the same, the arm's clock starting at its first byte and the other's at open
    systemTime,       ///< the arm's over against's: below 1 is less
    heapBytes,        ///< the same
    minorFaults,      ///< of the arm's threads, a run
    majorFaults,
    bytesPerFault,       ///< bytes read over minor faults
    bytesPerMajorFault,  ///< the same over major ones; without any, over one
    peakMemory,          ///< VmHWM in bytes
    bytesPerSecond,      ///< of the file
};
/// Whether a figure is one arm's against another's; else it is one arm's own.
[[nodiscard]] bool isRatio(Figure figure);

/// How a figure of one arm is held against the published one.
enum class Nearness {
    factorTwo,  ///< agrees between half and twice
    atMost,     ///< agrees up to it
    atLeast,    ///< agrees from it on
};

struct FindingSpec {
    std::string_view study;  ///< id of a StudySpec
    std::string_view what;   ///< in words
    Figure figure = Figure::speed;
    std::string_view arm, against;  ///< labels of ArmSpecs; against: ratios only
    double published = 1;
    Nearness nearness = Nearness::factorTwo;  ///< not of ratios
    bool decides = true;                      ///< else it only says more
    bool onlyDirection = false;               ///< no size was published: `published` only points
};

struct Claim {
    std::string_view id;     ///< Z4
    std::string_view group;  ///< "zstd decoding", "hashing", "parsing"
    std::string_view says, conditions, explanation;
    std::vector<std::string_view> sources = {};  ///< what was published, and what the explanation rests on
    std::vector<FindingSpec> findings = {};      ///< empty: not testable
    std::string_view untested = {};              ///< what of it can't be tested anywhere but there, and why
};

struct ArmSpec {
    std::string_view label;
    std::string_view source, parameters;
    std::string_view workloadParameters = {};  ///< instead of the study's
    unsigned threads = 0;                      ///< 0: the study's
};

struct StudySpec {
    std::string_view id;
    CorpusKind corpus = CorpusKind::bytes;
    bool compressed = false;  ///< of ticks
    Bytes quickSize, fullSize;
    std::string_view workload;
    std::string_view workloadParameters = {};
    std::vector<ArmSpec> arms;
    CacheState cache = CacheState::warm;
    unsigned quickRounds = 15, fullRounds = 21;
    unsigned threads = 1;
    /// Of the file's size; the study runs under such a cap.
    std::optional<double> capShare = {};
    bool onFuse = false;  ///< the file is read through a FUSE filesystem made for it
    bool withPool = false;
    std::chrono::seconds quickBudget{30};
};

[[nodiscard]] std::span<const Claim> publishedClaims();
[[nodiscard]] const Claim* findClaim(std::string_view id);
[[nodiscard]] std::span<const StudySpec> claimStudies();
[[nodiscard]] const StudySpec* findClaimStudy(std::string_view id);

}  // namespace mmapscope
