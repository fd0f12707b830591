// The rules of advise(), in the order they are tried. What each rests on stands with it.
#include "study/advisor.h"

namespace mmapscope {
namespace {

constexpr std::string_view kReview =
    "measurements and review of autobrr/mkbrr pull request 173 (mmap against read for hashing)";
constexpr std::string_view kTouchMeasurement =
    "measured just now on this file; no rule can know it: on 4 KiB folios mmap was 0.65× read on one CPU and "
    "1.3 to 1.9× on another, on large ones 1.3 to 2.3× (mmapscope's own measurements, Linux 6.18, ext4)";
constexpr std::string_view kColdMeasurement =
    "mmapscope's own measurement: 13 cold studies of scan, ticks, pieces and zstd on one virtual disk with "
    "8 MiB readahead (2 busy CPUs, Linux 6.18): mmap-sequential 1.11 to 1.34× read in 5 and not told apart "
    "in "
    "8, read-thread faster in none and slower in 2; no other device was measured";
constexpr std::string_view kSeekBasis =
    "review of autobrr/mkbrr pull request 173 (few sequential readers, no mmap on disks that rotate); "
    "readahead(2)";

const std::vector<AdviceRule>& table() {
    static const std::vector<AdviceRule> rules = {
        {.id = "empty",
         .when = {.size = SizeClass::empty},
         .arms = {{"read"}},
         .reason = "there are no bytes: mmap refuses a length of 0 (EINVAL), and the first read says that "
                   "the end is reached",
         .changes = "if the file grows, ask again",
         .basis = "mmap(2), read(2)"},
        {.id = "small-file",
         .when = {.size = SizeClass::small},
         .arms = {{"read"}, {"mmap"}},
         .reason = "{each} is little: mapping it, its page faults and unmapping cost more than the "
                   "few reads it takes",
         .changes = "for files of 1 MiB and more the page cache and the storage decide",
         .basis = kReview},
        {.id = "network",
         .when = {.media = {Medium::network}},
         .arms = {{"pread"}, {"read"}, {"pread-prefetch"}},
         .reason = "it lies on {storage}: each request is a round trip, and large reads need fewer than page "
                   "faults do; a connection that breaks is an error of pread and a SIGBUS of mmap",
         .changes = "if it is read many times and stays cached, mmap may win: measure it warm",
         .basis = kReview},
        {.id = "fuse",
         .when = {.media = {Medium::fuse}},
         .arms = {{"pread"}, {"read"}, {"pread-prefetch"}},
         .reason = "it lies on {storage}: each request goes through a process, and large reads need fewer of "
                   "them than page faults do",
         .changes = "if it is read many times and stays cached, mmap may win: measure it warm",
         .basis = "autobrr/mkbrr pull request 173: on mergerfs mmap about 10 % slower than read; "
                  "Documentation/filesystems/fuse-io.rst"},
        {.id = "larger-than-memory",
         .when = {.room = Room::tooLarge},
         .arms = {{"read"}, {"read-thread"}, {"mmap-sequential"}},
         .reason = "{size} do not fit into the {room} that may be had ({room_set_by}): every pass comes from "
                   "the storage again, and pages that are mapped are dearer to reclaim than a buffer that is "
                   "used again",
         .changes = "with memory for all of it, or where only a part that fits is read, mmap may win",
         .basis = "a published tick-data study: mmap 0.78× read once the set no longer fits; mmapscope's own "
                  "measurement under a 256 MiB cap: 0 to 16 % slower past it"},
        {.id = "cached-mapping-costs-less",
         .when = {.cached = {Cached::whole}, .cheaper = Cheaper::mapping},
         .arms = {{"mmap"}, {"read"}, {"mmap-populate"}},
         .reason = "{resident} of it is in memory, one page fault maps {mapped} on average, and {touched}: "
                   "the faults cost less than read's copy",
         .changes =
             "once it is no longer cached, the storage decides and mmap may lose its lead; where "
             "whoever filled the cache leaves small folios (small writes, random reads), faults are more",
         .basis = kTouchMeasurement},
        {.id = "cached-copying-costs-less",
         .when = {.cached = {Cached::whole}, .cheaper = Cheaper::copying},
         .arms = {{"read"}, {"mmap-populate"}, {"mmap"}},
         .reason = "{resident} of it is in memory, one page fault maps {mapped} on average, and {touched}: "
                   "the faults of a mapping cost more than read's copy",
         .changes =
             "if its folios are small, and it is evicted and read anew in order, they may become large, "
             "and mmap wins",
         .basis = kTouchMeasurement},
        {.id = "cached",
         .when = {.cached = {Cached::whole}},
         .arms = {{"read"}, {"mmap"}},
         .reason = "{resident} of it is in memory, but what a mapping of it costs can't be measured here, "
                   "and that decides between read and mmap",
         .changes = "a measurement on this file says more than any rule",
         .basis = kTouchMeasurement},
        {.id = "seeks",
         .when = {.media = {Medium::seeking}, .cached = {Cached::notWhole, Cached::unknown}},
         .arms = {{"read"}, {"read-thread"}, {"pread-prefetch"}},
         .reason = "it lies on {storage} ({latency}) and comes from there: one reader in file order keeps "
                   "readahead going, and each further one costs seeks",
         .changes = "if it is read again while all of it is cached, the storage no longer counts: ask again "
                    "then",
         .basis = kSeekBasis},
        {.id = "no-seeks",
         .when = {.media = {Medium::seekless}, .cached = {Cached::notWhole, Cached::unknown}},
         .arms = {{"mmap-sequential"}, {"read"}, {"read-thread"}},
         .reason = "it lies on {storage} ({latency}) and {resident} of it is in memory: readahead brings the "
                   "rest to either, and a mapping saves read's copy",
         .changes = "if it is read again while all of it is cached, what a mapping costs decides: ask again "
                    "then; if the file may shrink while it is read, read gives an error where a mapping is "
                    "a SIGBUS",
         .basis = kColdMeasurement},
        {.id = "unknown-storage",
         .when = {},
         .arms = {{"read"}, {"mmap-sequential"}, {"read-thread"}},
         .reason = "how fast the storage is isn't told here ({storage}; {latency}): read is never far from "
                   "the best, and readahead works for it",
         .changes = "a measurement on this file says more than any rule",
         .basis = "read(2), readahead(2): no rule without a fact"},

        {.id = "claim-refuted",
         .when = {.claimRefuted = true},
         .arms = {},
         .reason = "the disk says that it rotates, but {latency}: nothing moves there, as far as can be seen "
                   "from here",
         .changes = {},
         .basis = "Documentation/ABI/stable/sysfs-block: queue/rotational is what the device or hypervisor "
                  "claims"},
        {.id = "decoding",
         .when = {.decodes = true},
         .arms = {},
         .reason = "decoding {file} costs more time than fetching its bytes: expect a small difference",
         .changes = {},
         .basis = "the crate mmapzstd's figures on real ticks: hugetlb-memfd 2,668, read 2,649 MB/s"},
        {.id = "huge-pages",
         .when = {.size = SizeClass::large, .poolHoldsFile = true},
         .arms = {},
         .reason = "{pages} huge pages are free, enough for all of it; still not advised, since the time to "
                   "fill them is part of the time it takes",
         .changes = {},
         .basis = "mmapscope's own measurement: huge-page copies lose 20 to 25 % to read once filling is on "
                  "the clock"},
    };
    return rules;
}

template <class T>
bool among(const std::vector<T>& wanted, T is) {
    for (const T one : wanted) {
        if (one == is) {
            return true;
        }
    }
    return wanted.empty();
}

template <class T>
bool equals(const std::optional<T>& wanted, T is) {
    return !wanted || *wanted == is;
}

}  // namespace

std::span<const AdviceRule> adviceRules() {
    return table();
}

bool AdviceCondition::fits(const Situation& s) const {
    return among(media, s.medium) && equals(size, s.size) && among(cached, s.cached) &&
           equals(folios, s.folios) && equals(room, s.room) && equals(cheaper, s.cheaper) &&
           equals(decodes, s.decodes) && equals(claimRefuted, s.claimRefuted) &&
           equals(poolHoldsFile, s.poolHoldsFile);
}

}  // namespace mmapscope
