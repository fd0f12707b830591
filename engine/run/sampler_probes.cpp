#include "run/sampler_probes.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probe/fields.h"
#include "probe/huge_pages.h"
#include "probe/machine_counters.h"
#include "probe/task_status.h"

namespace mmapscope {
namespace {

UniqueFd openToRead(const std::string& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

/// What the text takes now, and some more for counters that get longer.
std::vector<char> roomFor(const UniqueFd& fd) {
    constexpr std::size_t kMore = 4096;
    std::vector<char> room(kMore);
    std::size_t held = 0;
    while (fd) {
        const ssize_t got =
            ::pread(fd.get(), room.data() + held, room.size() - held, static_cast<off_t>(held));
        if (got <= 0) {
            break;
        }
        held += static_cast<std::size_t>(got);
        room.resize(held + held / 8 + kMore);
    }
    return room;
}

std::uint64_t orAbsent(const std::optional<std::uint64_t>& value) noexcept {
    return value.value_or(kNotAvailable);
}

/// The first value becomes the base.
std::uint64_t since(std::uint64_t& base, std::uint64_t value) noexcept {
    if (value == kNotAvailable) {
        return kNotAvailable;
    }
    if (base == kNotAvailable) {
        base = value;
    }
    return value >= base ? value - base : 0;
}

std::uint64_t orNotAvailable(const std::optional<Bytes>& value) noexcept {
    return value ? value->count() : kNotAvailable;
}

}  // namespace

Sampler::Probes::Probes(const Accounts& accounts)
    : accounts_(accounts),
      status_(openToRead("/proc/self/status")),
      io_(openToRead("/proc/self/io")),
      poolFree_(openToRead(poolDirectory(kHugePage) + "/free_hugepages")),
      poolTotal_(openToRead(poolDirectory(kHugePage) + "/nr_hugepages")),
      pressureMemory_(openToRead("/proc/pressure/memory")),
      pressureIo_(openToRead("/proc/pressure/io")),
      vmstat_(openToRead("/proc/vmstat")),
      interrupts_(openToRead("/proc/interrupts")),
      large_(roomFor(interrupts_)) {}

std::string_view Sampler::Probes::text(const UniqueFd& fd) noexcept {
    if (!fd) {
        return {};
    }
    const ssize_t got = ::pread(fd.get(), buffer_.data(), buffer_.size(), 0);
    return {buffer_.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

std::uint64_t Sampler::Probes::number(const UniqueFd& fd) noexcept {
    return parseUnsigned(trimmed(text(fd))).value_or(kNotAvailable);
}

void Sampler::Probes::readCheap(Sample& sample) noexcept {
    const TaskStatus status = parseTaskStatus(text(status_));
    sample.rssAnon = orNotAvailable(status.rssAnon);
    sample.rssFile = orNotAvailable(status.rssFile);
    sample.rssShmem = orNotAvailable(status.rssShmem);
    sample.hugetlb = orNotAvailable(status.hugetlb);
    sample.pageTables = orNotAvailable(status.pageTables);
    sample.storageRead = orNotAvailable(parseReadBytes(text(io_)));
    sample.poolFree = number(poolFree_);
    sample.poolTotal = number(poolTotal_);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    sample.voluntarySwitches = since(voluntaryBase_, static_cast<std::uint64_t>(usage.ru_nvcsw));
    sample.involuntarySwitches = since(involuntaryBase_, static_cast<std::uint64_t>(usage.ru_nivcsw));
    // Last, so that they are as of the sample's time, which is taken right after.
    const AccountTotals totals = accounts_.totals();
    sample.bytesIn = totals.bytesIn;
    sample.bytesOut = totals.bytesOut;
    sample.minorFaults = totals.minorFaults;
    sample.majorFaults = totals.majorFaults;
}

void Sampler::Probes::readMachine(Sample& sample) noexcept {
    sample.pressureMemoryUs = since(pressureMemoryBase_, orAbsent(parsePressure(text(pressureMemory_))));
    sample.pressureIoUs = since(pressureIoBase_, orAbsent(parsePressure(text(pressureIo_))));
    sample.workingsetRefaults = since(refaultsBase_, orAbsent(parseRefaults(text(vmstat_))));
    sample.tlbShootdowns = since(shootdownsBase_, orAbsent(parseTlbShootdowns(largeText(interrupts_))));
}

std::string_view Sampler::Probes::largeText(const UniqueFd& fd) noexcept {
    std::size_t held = 0;
    while (fd && held < large_.size()) {
        // seq_file gives a piece at a time.
        const ssize_t got =
            ::pread(fd.get(), large_.data() + held, large_.size() - held, static_cast<off_t>(held));
        if (got <= 0) {
            break;
        }
        held += static_cast<std::size_t>(got);
    }
    return {large_.data(), held < large_.size() ? held : 0};  // full: there may be more
}

std::uint64_t Sampler::Probes::findMappings() noexcept {
    mappings_ = std::min(liveMappings(found_), found_.size());
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < mappings_; ++i) {
        ranges_[i] = {found_[i].begin, found_[i].end};
        covered += found_[i].end - found_[i].begin;
    }
    return covered;
}

void Sampler::Probes::readDear(Sample& sample) noexcept {
    const auto figures = smaps_.sum(std::span(ranges_.data(), mappings_));
    if (!figures) {
        return;  // unmapped meanwhile: the last look stands
    }
    sample.thpEligible = figures->thpEligible ? std::uint64_t{*figures->thpEligible} : kNotAvailable;
    sample.anonHuge = orNotAvailable(figures->anonHuge);
    sample.filePmdMapped = orNotAvailable(figures->filePmdMapped);
    sample.shmemPmdMapped = orNotAvailable(figures->shmemPmdMapped);
    sample.mappedSize = orNotAvailable(figures->size);
    sample.mappedRss = orNotAvailable(figures->rss);
    sample.kernelPage = orNotAvailable(figures->kernelPage);
    sample.mmuPage = orNotAvailable(figures->mmuPage);
    sample.privateHugetlb = orNotAvailable(figures->privateHugetlb);
    sample.sharedHugetlb = orNotAvailable(figures->sharedHugetlb);
    sample.locked = orNotAvailable(figures->locked);
    sample.vmFlags = figures->vmFlags.value_or(kNotAvailable);
}

}  // namespace mmapscope
