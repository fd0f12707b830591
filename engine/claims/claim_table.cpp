// The claims themselves.
#include <algorithm>

#include "claims/claim.h"

namespace mmapscope {
namespace {

constexpr std::string_view kZ = "the Rust crate mmapzstd 0.3.0";
constexpr std::string_view kH = "the pull request autobrr/mkbrr #173 and its review";
constexpr std::string_view kP = "\"It's the Fault Policy, Not the Page Size\"";
constexpr std::string_view kMmapPage = "mmap(2)";
constexpr std::string_view kMadvise = "madvise(2)";
constexpr std::string_view kHugetlb = "Documentation/admin-guide/mm/hugetlbpage.rst";
constexpr std::string_view kThp = "Documentation/admin-guide/mm/transhuge.rst";
constexpr std::string_view kCgroup = "Documentation/admin-guide/cgroup-v2.rst";
constexpr std::string_view kZConditions =
    "synthetic corpus of 256 MiB, zstd level 3, about 128.5 MiB compressed, warm cache; i9-12900K, Linux "
    "6.17";
constexpr std::string_view kPConditions =
    "tick CSV of 22 GB, 554 million rows; macOS on Apple Silicon, 16 KiB pages";

std::vector<Claim> zstdClaims() {
    return {
        {"Z1",
         "zstd decoding",
         "A naive mmap, copied through a staging buffer, is 24 % slower than read with 64 KiB",
         kZConditions,
         "The staging copy is a cost of the decoder's input path and not of the mapping; the arm mmap beside "
         "it has none. What a mapping itself costs hangs on the size of the cached folios, since one fault "
         "maps a whole large folio.",
         {kZ, kMmapPage},
         {{"zstd", "mmap with the staging copy against read", Figure::speed, "mmap, staging", "read", 0.764},
          {"zstd", "mmap with the staging copy against mmap without", Figure::speed, "mmap, staging", "mmap",
           0.8, Nearness::factorTwo, false}}},
        {"Z2",
         "zstd decoding",
         "Without the staging copy, and populated, mmap is 5 % slower than read",
         kZConditions,
         "Populating maps everything in one call and saves the faults, but nothing is decoded meanwhile.",
         {kZ, kMmapPage},
         {{"zstd", "mmap-populate against read", Figure::speed, "mmap-populate", "read", 0.951}}},
        {"Z3",
         "zstd decoding",
         "MADV_HUGEPAGE on a file mapping changes nothing (6 % slower than read)",
         kZConditions,
         "For a file that is cached already the advice comes too late: the folios are as large as whoever "
         "filled the cache made them. That the mapping is not eligible doesn't mean that nothing is mapped "
         "by huge entries.",
         {kZ, kMadvise, kThp},
         {{"zstd", "mmap-hugepage against read", Figure::speed, "mmap-hugepage", "read", 0.935},
          {"zstd", "mmap-hugepage against plain mmap", Figure::speed, "mmap-hugepage", "mmap", 1}}},
        {"Z4",
         "zstd decoding",
         "Copying the file into huge pages makes decoding 15 % faster than read; about 55,000 minor faults "
         "an "
         "open with a heap copy between, 107 without",
         kZConditions,
         "The published figure has the filling of the huge pages outside its clock and the baseline's "
         "reading "
         "inside. A program pays for both, so the whole run is shown beside it: the difference is what the "
         "filling costs. Faults here are of the whole run, with the decoder's own among them, which weigh "
         "more "
         "in a smaller sample.",
         {kZ, kHugetlb},
         {{"zstd", "hugetlb-copy, filling outside the clock, against read", Figure::speedAfterSetup,
           "hugetlb-copy", "read", 1.148},
          {"zstd", "hugetlb-memfd, filling outside the clock, against read", Figure::speedAfterSetup,
           "hugetlb-memfd", "read", 1.152},
          {"zstd", "hugetlb-copy, filling inside the clock as programs pay it, against read", Figure::speed,
           "hugetlb-copy", "read", 1.148, Nearness::factorTwo, false},
          {"zstd", "hugetlb-memfd, filling inside the clock as programs pay it, against read", Figure::speed,
           "hugetlb-memfd", "read", 1.152, Nearness::factorTwo, false},
          {"zstd", "hugetlb-copy: bytes of the file a minor fault", Figure::bytesPerFault, "hugetlb-copy", "",
           2450, Nearness::factorTwo, false},
          {"zstd", "hugetlb-memfd: bytes of the file a minor fault", Figure::bytesPerFault, "hugetlb-memfd",
           "", 1.26e6, Nearness::factorTwo, false}}},
        {"Z5",
         "zstd decoding",
         "Streaming through a scratch of huge pages of 8 MiB is 10 to 13 % slower than read",
         kZConditions,
         "Each window is copied once more than read copies it; what huge pages save in address translation "
         "has to pay for that.",
         {kZ, kHugetlb},
         {{"zstd", "hugetlb-stream against read", Figure::speed, "hugetlb-stream", "read", 0.902}},
         "Its second figure is of 1 GiB of compressed input; samples here are smaller."},
        {"Z6",
         "zstd decoding",
         "On real ticks, compressed 8.5 : 1, huge pages and read are tied: decoding dominates",
         "BTCUSD ticks, 214 MiB to 1.8 GiB, zstd, warm cache; i9-12900K, Linux 6.17; filling outside the "
         "clock",
         "The better a file compresses, the fewer bytes have to be brought a second of decoding, and the "
         "less "
         "any way of bringing them matters.",
         {kZ},
         {{"zstd-ticks", "hugetlb-memfd, filling outside the clock, against read", Figure::speedAfterSetup,
           "hugetlb-memfd", "read", 1.007},
          {"zstd-ticks", "hugetlb-memfd, filling inside the clock, against read", Figure::speed,
           "hugetlb-memfd", "read", 1.007, Nearness::factorTwo, false},
          {"zstd-ticks", "hugetlb-copy, filling outside the clock, against read", Figure::speedAfterSetup,
           "hugetlb-copy", "read", 0.901, Nearness::factorTwo, false}},
         "The ticks here are synthetic, and compress less well than the real ones."},
        {"Z7",
         "zstd decoding",
         "read is fastest with 64 KiB: 256 KiB loses 6 %, 1 MiB and 4 MiB lose 10 %",
         kZConditions,
         "Offered as the reason: a small buffer stays in the second-level cache beside the decoder's own "
         "state. "
         "Which buffer is best then differs from CPU to CPU; no cache miss is counted here.",
         {kZ, "read(2)"},
         {{"zstd", "read with 256 KiB against 64 KiB", Figure::speed, "read:256KiB", "read", 0.94},
          {"zstd", "read with 1 MiB against 64 KiB", Figure::speed, "read:1MiB", "read", 0.90},
          {"zstd", "read with 4 MiB against 64 KiB", Figure::speed, "read:4MiB", "read", 0.90}}},
        {"Z8",
         "zstd decoding",
         "Huge pages are faster because of the TLB's reach",
         "offered as the explanation of Z4, for 128 MiB and an L2 dTLB of 1,536 entries; no TLB counter was "
         "read",
         "Shown beside, without filling: the same bytes in memory before the clock starts, on base pages and "
         "with "
         "MADV_HUGEPAGE. A streaming pass touches each page about once, so reach alone would save little.",
         {kZ, kThp},
         {{"zstd-memory", "decoding from huge pages against base pages", Figure::speed, "memory:huge",
           "memory", 1.15, Nearness::factorTwo, false}},
         "what the cause is takes a count of TLB misses, which these studies don't make: that huge pages are "
         "faster, or not, doesn't tell why"},
    };
}

std::vector<Claim> hashingClaims() {
    return {
        {"H1",
         "hashing",
         "Mapped windows hash as fast as read, with less system time and some 2,000 times fewer bytes "
         "allocated",
         "BitTorrent pieces on a local NVMe disk",
         "Where SHA-1 is much slower than either way of bringing bytes, the wall time has to tie; a CPU with "
         "instructions for it lets the way show. The windows save the copy and the buffers, and pay with "
         "faults.",
         {kH, kMmapPage},
         {{"pieces", "mmap-window against pread, wall time", Figure::speed, "mmap-window", "pread", 1},
          {"pieces", "mmap-window against pread, system time", Figure::systemTime, "mmap-window", "pread",
           0.8, Nearness::factorTwo, true, true},
          {"pieces", "mmap-window against pread, bytes of heap", Figure::heapBytes, "mmap-window", "pread",
           0.0005, Nearness::factorTwo, true, true}}},
        {"H2",
         "hashing",
         "On a FUSE filesystem mmap is 10 % slower than read, and twice the workers are 20 % faster",
         "mergerfs",
         "Each fault that isn't answered from the cache goes to the filesystem's daemon. Tested through a "
         "mergerfs made for it, whose own cache is cold and the file below it warm.",
         {kH, "Documentation/filesystems/fuse.rst"},
         {{"pieces-fuse", "mmap-window against pread", Figure::speed, "mmap-window", "pread", 0.9},
          {"pieces-fuse", "mmap-window by 4 threads against 2", Figure::speed, "mmap-window, 4 threads",
           "mmap-window", 1.2}}},
        {"H3",
         "hashing",
         "Suggested in review: one mapping and one coordinator that prefetches in file order, instead of "
         "windows "
         "that each worker maps",
         "no figure was published; storage that is read cold",
         "A coordinator keeps requests in file order and a bounded distance ahead. It helps where storage "
         "waits for the program; where hashing is the slower part there is little to win.",
         {kH, "readahead(2)"},
         {{"pieces-cold", "mmap-prefetch against mmap-window, cold", Figure::speed, "mmap-prefetch",
           "mmap-window", 1.1, Nearness::factorTwo, true, true},
          {"pieces-cold", "pread-prefetch against pread, cold", Figure::speed, "pread-prefetch", "pread", 1.1,
           Nearness::factorTwo, false, true}},
         "Defaults by storage class need spinning disks and network storage, which only those who have them "
         "can test."},
    };
}

std::vector<Claim> parsingClaims() {
    return {
        {"P1",
         "parsing",
         "The parser alone takes about 11 GB/s",
         kPConditions,
         "Measured on bytes that are in memory before the clock starts, by one thread. It is a rate of "
         "another machine and another parser; what matters is whether the parser is far faster than the "
         "bytes come.",
         {kP},
         {{"ticks-memory", "bytes parsed a second", Figure::bytesPerSecond, "memory", "", 11e9}}},
        {"P2",
         "parsing",
         "mmap is 1.2 to 1.3 times read while the file fits in memory, and 0.78 times once it doesn't",
         kPConditions,
         "Memory is made scarce by a cap on each run's control group: twice the file's size, and half of it. "
         "How "
         "far a mapping falls behind past the cap hangs on how far the kernel reads ahead for it.",
         {kP, kCgroup},
         {{"ticks-fits", "it fits: mmap against read", Figure::speed, "mmap", "read", 1.25},
          {"ticks-exceeds", "it doesn't: mmap against read", Figure::speed, "mmap", "read", 0.78}},
         "Where the crossover lies between the two is a question for a sweep: mmapscope-cli sweep."},
        {"P3",
         "parsing",
         "read takes no major faults at any size; mmap takes up to one a page",
         kPConditions,
         "A major fault is one that had to wait for storage. Readahead brings many pages with each, so there "
         "are far fewer of them than pages.",
         {kP, "getrusage(2)"},
         {{"ticks-exceeds", "major faults of read", Figure::majorFaults, "read", "", 0, Nearness::atMost},
          {"ticks-exceeds", "bytes a major fault of mmap", Figure::bytesPerMajorFault, "mmap", "", 16384}},
         "What macOS does can't be seen here."},
        {"P4",
         "parsing",
         "Linux maps 64 KiB with each minor fault (and so takes a quarter of macOS's)",
         "cached file, base pages of 4 KiB",
         "Fault-around maps the cached pages around the one that was touched, 64 KiB by default. Of a file "
         "with large folios one fault maps more: so the file's folios are made small for this.",
         {kP, "Documentation/filesystems/locking.rst (map_pages)"},
         {{"small-folios", "bytes a minor fault of mmap, folios of one page", Figure::bytesPerFault, "mmap",
           "", 65536}},
         "The comparison needs macOS."},
        {"P5",
         "parsing",
         "MADV_SEQUENTIAL is 15 % faster with as many faults; MADV_WILLNEED is the slowest",
         kPConditions,
         "What advice does is the kernel's choice: here one MADV_WILLNEED reads at most a device's "
         "readahead, "
         "and MADV_SEQUENTIAL doubles it. Tested where the file doesn't fit under the cap.",
         {kP, kMadvise},
         {{"ticks-exceeds", "mmap-sequential against mmap", Figure::speed, "mmap-sequential", "mmap", 1.15},
          {"ticks-exceeds",
           "mmap-willneed against mmap",
           Figure::speed,
           "mmap-willneed",
           "mmap",
           0.9,
           {},
           true,
           true}}},
        {"P6",
         "parsing",
         "Method: one parser for all, a fresh process each, warm-up discarded, limits at line ends, sizes "
         "swept",
         kPConditions,
         "Every study here is made so, and its arms are interleaved besides.",
         {kP},
         {},
         "a method and not a figure: there is nothing to agree with"},
    };
}

}  // namespace

std::span<const Claim> publishedClaims() {
    static const std::vector<Claim> kClaims = [] {
        std::vector<Claim> all = zstdClaims();
        for (auto more : {hashingClaims(), parsingClaims()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return kClaims;
}

const Claim* findClaim(std::string_view id) {
    const auto all = publishedClaims();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Claim& claim) { return claim.id == id; });
    return it == all.end() ? nullptr : &*it;
}

}  // namespace mmapscope
