// A source: how bytes get from a file into the process (see the registry for the list).
//
// One Source serves one run. Its cost is on the run's clock from open() to close(). Each of the arm's threads
// asks it for one Cursor over its own range, on that thread, and then for one span after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/accounting.h"
#include "core/parameters.h"
#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

/// No span is longer.
inline constexpr Bytes kMaxSpan = Bytes(16U << 20U);

/// What a run hands to its source; outlives it.
struct SourceInput {
    std::string path;           ///< opened by the source itself: open(2) is part of what a program pays
    Bytes fileBytes;            ///< as planned; the run checks afterwards that it still was so
    std::vector<Range> ranges;  ///< one a thread, in file order, touching; empty ranges are possible
    Accounts* accounts =
        nullptr;  ///< for helper threads (ThreadAccount) and, by accounts->stop(), for cancel
    /// Of a folder, for FolderSource alone: every other source reads one file.
    std::span<const FileMember> members = {};
    /// Sources that fill huge pages then allocate each stretch before they fill it, and tell how long that
    /// took (ThreadCounters::hugeAllocationNs).
    bool splitTime = false;

    /// From the first range's begin to the last one's end: all that this run reads.
    [[nodiscard]] Range whole() const { return {ranges.front().begin, ranges.back().end}; }
};

class Cursor {
  public:
    Cursor() = default;
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    virtual ~Cursor() = default;

    /// The next bytes of the range, valid until the next call or the cursor's end; at most kMaxSpan; empty
    /// means the range is delivered. Never allocates. Error: changed when the file ended early, cancelled,
    /// failed.
    [[nodiscard]] virtual Result<std::span<const std::byte>> next() = 0;

    /// Whether the bytes handed out so far were really the file's (see GuardedMapping::intact). Asked by the
    /// run after each span was consumed.
    [[nodiscard]] virtual Status intact() const { return {}; }
};

class Source {
  public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    /// Off the clock, before the run: `memory`, the ceiling the others are measured against, fills itself
    /// here; `mmap-willneed` and the prefetching sources look up the device's readahead.
    [[nodiscard]] virtual Status prepare(const SourceInput&) { return {}; }
    /// On the clock: open, map, copy in.
    [[nodiscard]] virtual Status open(const SourceInput& input) = 0;
    /// `index` names the range in SourceInput::ranges. May allocate (its buffers).
    [[nodiscard]] virtual Result<std::unique_ptr<Cursor>> cursor(std::size_t index) = 0;
    /// After all cursors are gone: unmap, close. Safe to call in any state, more than once.
    virtual void close() noexcept = 0;
    /// What happened that the reader of the result must know ("3 of 16 windows fell back to pread: ENODEV").
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

struct Availability {
    bool available = true;
    std::string reason;           ///< what is missing, with figures
    std::string unlock;           ///< the command or setting that would provide it; may be empty
    std::uint64_t hugePages = 0;  ///< 2 MiB pages of the pool that it takes, there or not

    [[nodiscard]] static Availability yes() { return {}; }
    [[nodiscard]] static Availability no(std::string why, std::string how = {}) {
        return {false, std::move(why), std::move(how)};
    }
};

/// What a source says of itself, so that nothing else needs a list of ids.
struct SourceTraits {
    bool mapsFile = false;          ///< the consumer touches a lazily filled file mapping
    bool usesHugePages = false;     ///< takes pages from the hugetlb pool
    bool holdsWhole = false;        ///< keeps the whole range in memory it allocated
    bool bypassesCache = false;     ///< O_DIRECT
    bool ceiling = false;           ///< `memory`: filled before the clock
    bool populatesWhole = false;    ///< asks for the whole range in memory at once, before the first byte
    bool leavesSmallFiles = false;  ///< not available for a small file; in a folder those are left to `pread`
    bool helperThreads = false;     ///< threads of its own read or touch ahead of the consumer
};

struct SourceType {
    std::string_view id;
    std::string_view summary;  ///< one sentence, the mechanism
    std::vector<ParameterSpec> parameters;
    SourceTraits traits;
    /// Whether this machine and file can run it now. Looks, never changes anything; may be asked often (1
    /// ms).
    Availability (*availability)(const FileFacts& file, const Parameters& parameters, Range range,
                                 unsigned threads);
    std::unique_ptr<Source> (*create)(const Parameters& parameters);
};

/// All sources, in the order of the reference table. The first is the default baseline.
[[nodiscard]] const std::vector<const SourceType*>& allSources();
/// nullptr when there is none of that id.
[[nodiscard]] const SourceType* findSource(std::string_view id);

}  // namespace mmapscope
