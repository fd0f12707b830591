// Which arms a study of a file begins with when nobody names them, and how many threads: by the storage the
// file lies on, as a table with the source of each row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/units.h"
#include "probe/file_facts.h"
#include "source/source.h"
#include "workload/workload.h"

namespace mmapscope {

/// A source's id and its parameters in the form parseParameters reads.
struct ArmChoice {
    std::string_view source;
    std::string_view parameters = {};
    std::string_view workload = {};  ///< only for this one; empty: for every workload
};

/// How many threads keep such storage busy.
enum class ThreadRule { one, two, perCore, twoPerCore };

struct PreselectionRow {
    StorageClass storage = StorageClass::unknown;
    std::vector<ArmChoice> arms;               ///< the baseline first
    ThreadRule threads = ThreadRule::one;      ///< to begin with
    ThreadRule mostThreads = ThreadRule::one;  ///< worth comparing
    std::string_view reason;                   ///< in plain words, without a full stop
    std::string_view basis;                    ///< who says so
};

/// One row for each storage class.
[[nodiscard]] std::span<const PreselectionRow> preselectionTable();
[[nodiscard]] const PreselectionRow& preselectionFor(StorageClass storage);

/// What of the file speaks for the workload that suggestWorkload names, as what is said of it: "begins with a
/// zstd frame".
[[nodiscard]] std::string_view whyWorkload(const FileFacts& file, const WorkloadType& suggested);

/// A parameter worth adding to the suggested workload: where what zstd decodes to is tick CSV, that the
/// parser can run in the same pass. One sentence without a full stop; empty when there is none. Decodes 1 MiB
/// at most.
[[nodiscard]] std::string workloadHint(const FileFacts& file, const WorkloadType& suggested);

struct Machine {
    unsigned cores = 1;  ///< CPUs this process may run on
    Bytes memory;        ///< physical
};
[[nodiscard]] Machine thisMachine();

struct LeftOut {
    std::string source;
    std::string reason;
};

struct Preselection {
    std::vector<ArmChoice> arms;   ///< the baseline first; never empty, as `read` is always available
    std::vector<LeftOut> leftOut;  ///< of the row, what this file or machine can't have
    unsigned threads = 1;
    std::string threadReason;              ///< why it is not what the row says; empty when it is
    std::vector<unsigned> threadsOffered;  ///< worth comparing, ascending; holds `threads`
    std::string reason;                    ///< one line: the row's, with the fact the storage was told by
    std::string basis;
};

/// The row's arms for a workload, before anybody looks at the machine: those that would hold more than half
/// of its memory go to `leftOut`.
[[nodiscard]] std::vector<ArmChoice> choicesFor(const FileFacts& file, std::string_view workload,
                                                Bytes memory, std::vector<LeftOut>* leftOut = nullptr);

/// choicesFor, without what is not available, and threads: no more than the workload can be split for, nor
/// than leaves each 1 MiB. Looks at the file (WorkloadType::resolve) and machine; takes some milliseconds.
/// `parameters` are the workload's, as parseParameters gives them.
[[nodiscard]] Preselection preselect(const FileFacts& file, const WorkloadType& workload,
                                     const Parameters& parameters, const Machine& machine);

}  // namespace mmapscope
