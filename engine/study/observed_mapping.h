// What inspection runs showed of mappings by huge entries: from smaps, never from settings or versions.
#pragma once

#include <optional>

#include "probe/behaviours.h"
#include "study/study.h"

namespace mmapscope {

/// How much of what is resident is mapped by huge page-table entries.
struct HugeBacked {
    Bytes huge;  ///< AnonHugePages + FilePmdMapped + ShmemPmdMapped; pool pages are no part of Rss
    Bytes rss;
    /// Both of one look of the sampler; else each is the largest that the run showed.
    bool oneMoment = false;
    /// 0 to 1.
    [[nodiscard]] double share() const {
        return static_cast<double>(huge.count()) / static_cast<double>(rss.count());
    }
};
/// nullopt: smaps wasn't read, doesn't tell, or nothing of a mapping was resident.
[[nodiscard]] std::optional<HugeBacked> hugeBackedIn(const Sample& sample);
/// At the look with the largest Rss; a run too short for one: of its largest figures.
[[nodiscard]] std::optional<HugeBacked> hugeBackedIn(const RunRecord& inspection);

/// Whether page cache was mapped by huge entries in the study's inspection runs, and in which arm's most of
/// it. Not looked, when no inspection run tells.
[[nodiscard]] Behaviour pageCacheByHugeEntries(const Study& study);
/// The same before any study.
[[nodiscard]] Behaviour pageCacheByHugeEntries();

}  // namespace mmapscope
