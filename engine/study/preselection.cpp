#include "study/preselection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "core/accounting.h"
#include "core/text.h"
#include "source/folder.h"

namespace mmapscope {
namespace {

constexpr Bytes kLeastPerThread = mib(1);

constexpr std::string_view kReview =
    "measurements and review of autobrr/mkbrr pull request 173 (mmap against read for hashing)";

const std::vector<PreselectionRow>& table() {
    static const std::vector<PreselectionRow> rows = {
        {StorageClass::nvme,
         {{"read"},
          {"mmap"},
          {"mmap-populate"},
          {"mmap-window", "", "pieces"},
          {"mmap-sequential", "", "ticks"},
          {"read-thread", "", "zstd"},
          {"io-uring"}},
         ThreadRule::perCore,
         ThreadRule::perCore,
         "NVMe answers many requests at once, so a thread for each core is worth it, and no strategy is "
         "ruled "
         "out",
         kReview},
        {StorageClass::ssd,
         {{"read"},
          {"mmap"},
          {"mmap-populate"},
          {"mmap-window", "", "pieces"},
          {"mmap-sequential", "", "ticks"},
          {"read-thread", "", "zstd"}},
         ThreadRule::perCore,
         ThreadRule::perCore,
         "an SSD seeks for free, so a thread for each core is worth it, and no strategy is ruled out",
         kReview},
        {StorageClass::rotational,
         {{"read"}, {"pread"}, {"read-thread"}, {"pread-prefetch"}},
         ThreadRule::one,
         ThreadRule::two,
         "a disk that rotates is fastest with one sequential reader and large requests: each further thread "
         "and each page fault out of order costs a seek",
         kReview},
        {StorageClass::virtualDisk,
         {{"read"},
          {"mmap"},
          {"mmap-populate"},
          {"mmap-window", "", "pieces"},
          {"mmap-sequential", "", "ticks"},
          {"read-thread", "", "zstd"}},
         ThreadRule::one,
         ThreadRule::perCore,
         "nothing is known of the device itself, so no strategy is favoured",
         "Documentation/ABI/stable/sysfs-block: queue/rotational is what the hypervisor claims"},
        {StorageClass::fuse,
         {{"read"}, {"pread"}, {"read-thread"}, {"pread-prefetch"}, {"mmap-window", "", "pieces"}},
         ThreadRule::twoPerCore,
         ThreadRule::twoPerCore,
         "each request to a FUSE filesystem is a round trip to its process: large reads need fewer than page "
         "faults do, and more threads than cores hide the wait",
         "autobrr/mkbrr pull request 173: on mergerfs mmap about 10 % slower than read, two workers a core "
         "about 20 % faster than one; Documentation/filesystems/fuse-io.rst"},
        {StorageClass::network,
         {{"read"}, {"pread"}, {"read-thread"}, {"pread-prefetch"}},
         ThreadRule::twoPerCore,
         ThreadRule::twoPerCore,
         "each request over the network is a round trip: large reads and reading ahead need fewer than page "
         "faults do, and more threads than cores hide the wait",
         kReview},
        {StorageClass::memory,
         {{"read"}, {"mmap"}, {"mmap-populate"}, {"mmap-sequential", "", "ticks"}},
         ThreadRule::one,
         ThreadRule::perCore,
         "the file is in memory already: nothing is waited for, so a copy (read) is compared with none "
         "(mmap)",
         "Documentation/filesystems/tmpfs.rst: its pages are the page cache"},
        {StorageClass::unknown,
         {{"read"}, {"mmap"}, {"mmap-populate"}},
         ThreadRule::one,
         ThreadRule::perCore,
         "what the file lies on can't be told, so only the three basic strategies are compared",
         "no rule without a fact"},
    };
    return rows;
}

bool keepsWhole(const ArmChoice& arm) {
    const SourceType* type = findSource(arm.source);
    return arm.source == "mmap-populate" ||
           (type != nullptr && (type->traits.holdsWhole || type->traits.ceiling));
}

unsigned threadsBy(ThreadRule rule, unsigned cores) {
    const std::size_t wanted = rule == ThreadRule::one       ? 1U
                               : rule == ThreadRule::two     ? 2U
                               : rule == ThreadRule::perCore ? cores
                                                             : 2U * cores;
    return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, Accounts::kMaxArmThreads));
}

/// At most as many as the workload can be cut for and as leave each enough to do; the reason when it is less.
unsigned fitThreads(unsigned threads, const FileFacts& file, const WorkloadType& workload,
                    const Parameters& parameters, std::string& reason) {
    const std::uint64_t most = std::max<std::uint64_t>(1, file.bytes / kLeastPerThread);
    if (threads > most) {
        reason = fmt::format("{} are too few for more than {} thread{}", formatBytes(file.bytes), most,
                             most == 1 ? "" : "s");
        threads = static_cast<unsigned>(most);
    }
    if (threads > 1) {
        const auto resolved = resolveFor(workload, file, parameters);
        const auto parts = resolved ? workload.split(file, *resolved, file.bytes, threads)
                                    : Result<std::vector<Range>>(tl::unexpected(resolved.error()));
        if (!parts) {
            reason = parts.error().message;
            return 1;
        }
    }
    return threads;
}

/// Powers of two up to `most`, and `most` and `one` themselves.
std::vector<unsigned> upTo(unsigned most, unsigned one) {
    std::set<unsigned> counts{most, one};
    for (unsigned n = 1; n < most; n *= 2) {
        counts.insert(n);
    }
    return {counts.begin(), counts.end()};
}

}  // namespace

std::span<const PreselectionRow> preselectionTable() {
    return table();
}

const PreselectionRow& preselectionFor(StorageClass storage) {
    const auto found = std::find_if(table().begin(), table().end(),
                                    [&](const PreselectionRow& row) { return row.storage == storage; });
    return found == table().end() ? table().back() : *found;
}

std::string_view whyWorkload(const FileFacts& file, const WorkloadType& suggested) {
    if (suggested.id == "zstd") {
        return "begins with a zstd frame";
    }
    if (suggested.id == "ticks") {
        return "begins with rows of a tick CSV";
    }
    return file.isFolder()       ? "is a folder"
           : file.bytes.isZero() ? "is empty"
                                 : "is neither zstd nor a tick CSV of a known schema";
}

std::string workloadHint(const FileFacts& file, const WorkloadType& suggested) {
    if (suggested.id != "zstd") {
        return {};
    }
    const auto parsing = parseParameters(suggested.parameters, "then=ticks");
    const auto resolved = parsing ? resolveFor(suggested, file, *parsing) : parsing;
    return resolved ? fmt::format(
                          "this file decodes to tick CSV ({}): --workload zstd:then=ticks parses it in the "
                          "same pass",
                          printable(textOf(*resolved, "schema")))
                    : std::string();
}

Machine thisMachine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    return {std::max(1U, std::thread::hardware_concurrency()),
            pages > 0 ? pageSize() * static_cast<std::uint64_t>(pages) : Bytes(0)};
}

std::vector<ArmChoice> choicesFor(const FileFacts& file, std::string_view workload, Bytes memory,
                                  std::vector<LeftOut>* leftOut) {
    std::vector<ArmChoice> arms;
    for (const ArmChoice& arm : preselectionFor(file.storage).arms) {
        if (!arm.workload.empty() && arm.workload != workload) {
            continue;
        }
        if (file.bytes <= memory / 2 || !keepsWhole(arm)) {
            arms.push_back(arm);
        } else if (leftOut != nullptr) {
            leftOut->push_back(
                {std::string(arm.source), fmt::format("it would hold all {} in memory, more than half of {}",
                                                      formatBytes(file.bytes), formatBytes(memory))});
        }
    }
    return arms;
}

Preselection preselect(const FileFacts& file, const WorkloadType& workload, const Parameters& parameters,
                       const Machine& machine) {
    const PreselectionRow& row = preselectionFor(file.storage);
    Preselection result;
    result.basis = row.basis;
    result.reason = file.storageReason.empty() ? fmt::format("{} storage: {}", name(file.storage), row.reason)
                                               : fmt::format("{} storage ({}): {}", name(file.storage),
                                                             printable(file.storageReason), row.reason);
    result.threads =
        fitThreads(threadsBy(row.threads, machine.cores), file, workload, parameters, result.threadReason);
    const Range whole{Bytes(0), file.bytes};
    for (const ArmChoice& arm : choicesFor(file, workload.id, machine.memory, &result.leftOut)) {
        const SourceType& type = *findSource(arm.source);
        const Availability can = availabilityFor(
            type, file, *parseParameters(type.parameters, arm.parameters), whole, result.threads);
        if (can.available) {
            result.arms.push_back(arm);
        } else {
            result.leftOut.push_back({std::string(arm.source), can.reason});
        }
    }
    std::string fewer;
    const unsigned most = threadsBy(row.mostThreads, machine.cores);
    result.threadsOffered =
        upTo(std::max(result.threads, fitThreads(most, file, workload, parameters, fewer)), result.threads);
    return result;
}

}  // namespace mmapscope
