// What is asked of the machine that has a file, and what it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/file_facts.h"
#include "probe/residency.h"
#include "source/source.h"
#include "study/preselection.h"
#include "study/sweep.h"

namespace mmapscope {

/// What the file is, and what a study of it begins with.
struct FileQuestion {
    std::string path;
    std::string workload;           ///< id; empty: the one that suits the file
    Parameters workloadParameters;  ///< as parseParameters gives them; of no meaning without `workload`
};

struct FileAnswer {
    FileFacts file;                 ///< without a folder's members
    std::uint64_t folderFiles = 0;  ///< how many those are; 0: it is a file
    Machine machine;
    std::string workload;                   ///< as asked, or suggested
    std::string whyWorkload, workloadHint;  ///< of a suggested one
    std::string description;                ///< the file as the workload sees it; may be empty
    std::vector<ArmRequest> arms;           ///< preselected by the storage, the baseline first
    unsigned threads = 1;                   ///< of each of them
};

/// Which arms can run on it, and whether the workload can use it.
struct ArmsQuestion {
    std::string path;
    std::string workload;
    Parameters workloadParameters;
    std::optional<Bytes> limit;
    unsigned threads = 1;
    std::vector<ArmRequest> arms;
};

struct ArmsAnswer {
    bool usable = false;
    std::string sentence;  ///< the file as the workload sees it, or why it can't use it
    std::vector<Availability> arms;
};

/// How much of it is in the page cache, whole and part by part.
struct ResidencyNow {
    Residency whole;
    std::vector<float> parts;
};

/// One of the texts that commands print.
struct ReportQuestion {
    enum class What { doctor, arms } what = What::doctor;
    std::string path;  ///< of `arms`; may be empty
    bool json = false;
};

enum class OrderKind { study, sweep, resumedSweep };
/// A study to be measured. Of a plain one only request.study counts; of a resumed sweep nothing of it.
struct StudyOrder {
    OrderKind kind = OrderKind::study;
    SweepRequest request;
    std::shared_ptr<const Study> resumed;
};

}  // namespace mmapscope
