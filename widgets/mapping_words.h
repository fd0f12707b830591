// The fields of /proc/PID/smaps and status in plain words, for people who meet them the first time.
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <array>
#include <optional>

#include "probe/vm_flags.h"
#include "study/observed_mapping.h"
#include "widgets/kernel_section.h"

namespace mmapscope {

struct FactWords {
    const char* name;
    const char* help;  ///< to be translated in the context MappingWords
};

/// Of the process, /proc/PID/status.
enum ProcessFact { kRssAnon, kRssFile, kRssShmem, kHugetlbPages, kPageTables, kProcessFacts };
[[nodiscard]] const std::array<FactWords, kProcessFacts>& processWords();

/// Of the arm's mappings, /proc/PID/smaps.
enum MappingFact {
    kSize,
    kRss,
    kEligible,
    kAnonHuge,
    kFilePmd,
    kShmemPmd,
    kPrivateHugetlb,
    kSharedHugetlb,
    kLocked,
    kKernelPage,
    kMmuPage,
    kMappingFacts
};
[[nodiscard]] const std::array<FactWords, kMappingFacts>& mappingWords();

/// The codes, below them those that someone asked for (huge pages, readahead, the pool) spelled out and
/// strong, then the others.
[[nodiscard]] QList<KernelLines::Line> flagLines(std::optional<VmFlags> flags, const QString& why);

/// "eligible: no · really huge-backed: 94 % of Rss": the difference in words; empty when neither is known.
[[nodiscard]] QString hugeWords(std::optional<bool> eligible, const std::optional<HugeBacked>& backed);
/// Why the two differ.
[[nodiscard]] QString hugeHelp(const std::optional<HugeBacked>& backed);

class MappingWords {
    Q_DECLARE_TR_FUNCTIONS(mmapscope::MappingWords)
};

}  // namespace mmapscope
