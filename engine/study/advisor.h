// Which arm to use for a file, and why: from facts just read and a table of rules, each with its source.
//
// The facts are told apart into a Situation of a few classes. The first rule of the table that decides and
// fits the situation names the arms; all that add and fit say more. Measuring the arms (adviceStudy) then
// says whether the rule holds here (judgeAdvice).
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "probe/file_facts.h"
#include "probe/folios.h"
#include "probe/read_latency.h"
#include "probe/residency.h"
#include "source/touch_cost.h"
#include "study/preselection.h"
#include "study/study_runner.h"

namespace mmapscope {

/// What is read of the file and the machine; what couldn't be read is an error with its reason.
struct AdviceFacts {
    FileFacts file;
    std::string workload;           ///< id
    Parameters workloadParameters;  ///< resolved
    Machine machine;
    std::optional<std::string> hypervisor;
    std::optional<bool> claimsToRotate;  ///< queue/rotational of the devices below
    Result<ReadLatency> latency;
    Result<Residency> residency;
    Result<FolioLook> folios;
    std::optional<Bytes> room;               ///< the least of what may be had: memory, groups, cap
    std::string roomSetBy;                   ///< "MemAvailable", "the memory cap" …
    std::optional<Bytes> memoryCap;          ///< asked for
    std::optional<std::uint64_t> hugePages;  ///< 2 MiB pages of the pool that can be had
    std::optional<TouchCost> touch;          ///< of a file that is cached whole
};

/// What the rules tell apart; each by a fact of AdviceFacts.
enum class Medium { seekless, seeking, unknown, fuse, network, memory };
enum class SizeClass { empty, small, large };
enum class Cached { whole, notWhole, unknown };
enum class FolioClass { large, small, unknown };
enum class Room { fits, tooLarge, unknown };
/// Of what is cached: what gets its bytes in less time, measured on a stretch of the file.
enum class Cheaper { mapping, copying, unknown };
struct Situation {
    Medium medium = Medium::unknown;
    SizeClass size = SizeClass::large;
    Cached cached = Cached::unknown;
    FolioClass folios = FolioClass::unknown;
    Room room = Room::unknown;
    Cheaper cheaper = Cheaper::unknown;
    bool decodes = false;        ///< the workload decompresses
    bool claimRefuted = false;   ///< the device claims to rotate and doesn't take the time of it
    bool poolHoldsFile = false;  ///< huge pages for the whole file are free
};
[[nodiscard]] Situation situationOf(const AdviceFacts& facts);

/// Smaller files are read, whatever else: `mmap-window`'s least size.
inline constexpr Bytes kSmallFile = mib(1);
/// Half a turn at 15,000 rpm, the fastest disks there are: what needs longer on the median for a small read
/// at a random place moves something, or is as slow as if it did.
inline constexpr std::chrono::microseconds kSeek{2000};
/// What a fault maps around itself where folios are single pages (fault_around_bytes, by default).
inline constexpr Bytes kFaultAround = kib(64);

/// A rule fits where all that it names fits; empty: whatever it is.
struct AdviceCondition {
    std::vector<Medium> media = {};
    std::optional<SizeClass> size = {};
    std::vector<Cached> cached = {};
    std::optional<FolioClass> folios = {};
    std::optional<Room> room = {};
    std::optional<Cheaper> cheaper = {};
    std::optional<bool> decodes = {}, claimRefuted = {}, poolHoldsFile = {};

    [[nodiscard]] bool fits(const Situation& situation) const;
};

/// Texts may hold {size} {each} {storage} {latency} {resident} {mapped} {touched} {room} {room_set_by}
/// {pages} {file}: the figures of the facts. They are sentences without a full stop.
struct AdviceRule {
    std::string_view id;
    AdviceCondition when;
    std::vector<ArmChoice> arms;  ///< the advised first, `read` among them; none: the rule only adds
    std::string_view reason;
    std::string_view changes;  ///< what would change the advice; of rules that decide
    std::string_view basis;    ///< who says so
};
/// Rules that decide come first; the last of them fits everywhere.
[[nodiscard]] std::span<const AdviceRule> adviceRules();

struct Reason {
    std::string text;   ///< a fact with its figure and what follows from it
    std::string basis;  ///< who says that it follows
};

struct Advice {
    std::string rule;                  ///< id of the one that decided
    std::vector<ArmRequest> arms;      ///< worth measuring, the advised first; `read` is among them
    std::vector<Reason> reasons;       ///< what decided first
    std::vector<std::string> changes;  ///< what would change it
    std::vector<std::string> facts;    ///< all that was looked at: "Storage: …"
    std::vector<LeftOut> leftOut;      ///< arms of the rule that aren't available here
    [[nodiscard]] const ArmRequest& arm() const { return arms.front(); }
};

/// Looks: some milliseconds, and up to 200 for the latency of the storage. Reads at most 64 pages of the file
/// beside what `workload` resolves by. `memoryCap`: what the program may have. Error: input, as inspectInput
/// and WorkloadType::resolve; usage; cancelled.
[[nodiscard]] Result<AdviceFacts> adviceFacts(const std::string& path, const std::string& workload,
                                              const Parameters& workloadParameters,
                                              std::optional<Bytes> memoryCap = {},
                                              const std::stop_token& stop = {});

[[nodiscard]] Advice advise(const AdviceFacts& facts);

/// "mmap-window:window=8MiB", and its threads where there is more than one: "read, 2 threads".
[[nodiscard]] std::string armText(const ArmRequest& arm);

/// A short study of the advised arms in the state the file was found in, `read` its baseline: `request` but
/// for arms, rounds, cache state and, of large files, the limit where the workload can stop near it.
[[nodiscard]] StudyRequest adviceStudy(const AdviceFacts& facts, const Advice& advice, StudyRequest request);

struct AdviceVerdict {
    /// tied: `read` can't be told from the advised arm. unranked: no verdict, with the reason.
    enum class Kind { holds, contradicted, tied, unranked } kind = Kind::unranked;
    std::string sentence;
};
/// What a study of adviceStudy says of its advice, in one sentence, with the state and part it measured.
[[nodiscard]] AdviceVerdict judgeAdvice(const Study& study, const ArmRequest& advised);

}  // namespace mmapscope
