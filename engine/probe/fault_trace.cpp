#include "probe/fault_trace.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>

#include "core/cpu_list.h"
#include "core/unique_fd.h"
#include "probe/fields.h"
#include "probe/perf_events.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kDrainPeriod = std::chrono::milliseconds(5);
/// Data pages of a ring; the last but one fits what perf_event_mlock_kb leaves everyone (512 KiB and a page).
constexpr std::size_t kRingPages[] = {1024, 128, 32, 1};
/// Faults there is room for without asking for memory while the arm works.
constexpr std::size_t kFaultsExpected = 1U << 20U;

/// PERF_RECORD_SAMPLE as sample_type below lays it out.
struct SampleRecord {
    perf_event_header header;
    std::uint64_t identifier;
    std::uint32_t pid, tid;
    std::uint64_t time;
    std::uint64_t address;
};
/// The fixed part of PERF_RECORD_MMAP2; the file's name and sample_id follow.
struct Mmap2Record {
    perf_event_header header;
    std::uint32_t pid, tid;
    std::uint64_t address, length, offset;
    std::uint32_t major, minor;
    std::uint64_t inode, generation;
    std::uint32_t protection, flags;
};
/// What sample_id_all appends to records that are not samples.
struct SampleId {
    std::uint32_t pid, tid;
    std::uint64_t time;
    std::uint64_t identifier;
};
struct LostRecord {
    perf_event_header header;
    std::uint64_t id, lost;
};

UniqueFd openFaults(std::uint64_t config, int cpu, bool userOnly, bool maps) {
    perf_event_attr a{};
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = config;
    a.sample_period = 1;
    a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    a.sample_id_all = 1;
    a.disabled = 1;
    a.inherit = 1;
    a.exclude_kernel = userOnly ? 1 : 0;
    a.exclude_hv = 1;
    a.use_clockid = 1;
    a.clockid = CLOCK_MONOTONIC;
    a.mmap = maps ? 1 : 0;
    a.mmap_data = maps ? 1 : 0;
    a.mmap2 = maps ? 1 : 0;
    return UniqueFd(static_cast<int>(::syscall(SYS_perf_event_open, &a, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::uint64_t idOf(const UniqueFd& fd) {
    std::uint64_t id = 0;
    ::ioctl(fd.get(), PERF_EVENT_IOC_ID, &id);
    return id;
}

std::vector<unsigned> onlineCpus() {
    const auto text = readKernelText("/sys/devices/system/cpu/online");
    const auto list = text ? parseCpuList(trimmed(*text)) : Result<std::vector<unsigned>>(std::vector{0U});
    return list ? *list : std::vector{0U};
}

}  // namespace

/// One CPU's buffer, shared with the kernel.
struct FaultTracer::Ring {
    ~Ring() {
        if (base != nullptr) {
            ::munmap(base, (pages + 1) * pageSize().size());
        }
    }
    [[nodiscard]] bool map(int fd, std::size_t most) {
        for (const std::size_t one : kRingPages) {
            const std::size_t wanted = std::min(one, most);
            void* const at =
                ::mmap(nullptr, (wanted + 1) * pageSize().size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            if (at != MAP_FAILED) {
                base = at;
                pages = wanted;
                return true;
            }
        }
        return false;
    }

    int owner = -1;  ///< the event that was mapped
    void* base = nullptr;
    std::size_t pages = 0;
    std::vector<std::byte> record;  ///< one that wraps around, put together
};

/// Something was mapped, at a time.
struct FaultTracer::Map {
    std::int64_t tNs = 0;
    std::uint64_t begin = 0, end = 0, offset = 0;
    std::uint64_t inode = 0;
    std::uint32_t major = 0, minor = 0;
    std::string name;
};

struct FaultTracer::State {
    std::size_t ringPages = 0;
    std::vector<UniqueFd> events;
    std::vector<std::uint64_t> majorIds;  ///< sorted at start; inherited events keep their parent's
    std::map<unsigned, Ring> rings;
    bool userOnly = false;
    std::vector<TracedFault> faults;
    std::vector<Map> maps;
    std::uint64_t lost = 0;
    std::chrono::nanoseconds cpu{0};
    std::jthread drainer;

    void take(Ring& ring);
    void takeRecord(std::span<const std::byte> record);
};

FaultTracer::FaultTracer(std::size_t ringPages) : state_(std::make_unique<State>()) {
    state_->ringPages = ringPages;
}

FaultTracer::~FaultTracer() {
    state_->drainer = {};
}

Status FaultTracer::attach() {
    State& s = *state_;
    const PerfEvent& event = *findPerfEvent("perf_page_faults");
    const PerfFinding found = lookAtPerfEvent(event);
    if (!found.available) {
        return fail(ErrorKind::unavailable, fmt::format("faults can't be traced: {}{}{}", found.reason,
                                                        found.unlock.empty() ? "" : "; ", found.unlock));
    }
    s.userOnly = found.userOnly;
    for (const unsigned cpu : onlineCpus()) {
        const int on = static_cast<int>(cpu);
        UniqueFd minor = openFaults(PERF_COUNT_SW_PAGE_FAULTS_MIN, on, s.userOnly, true);
        UniqueFd major = openFaults(PERF_COUNT_SW_PAGE_FAULTS_MAJ, on, s.userOnly, false);
        if (!minor || !major) {
            return failErrno(ErrorKind::unavailable, "faults can't be traced: perf_event_open", errno);
        }
        Ring& ring = s.rings[cpu];
        if (ring.base == nullptr) {
            if (!ring.map(minor.get(), s.ringPages)) {
                return failErrno(ErrorKind::unavailable,
                                 "faults can't be traced: no memory may be locked for their buffer "
                                 "(kernel.perf_event_mlock_kb, ulimit -l)",
                                 errno);
            }
            ring.owner = minor.get();
        } else if (::ioctl(minor.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.owner) != 0) {
            return failErrno(ErrorKind::unavailable, "faults can't be traced: sharing a buffer", errno);
        }
        if (::ioctl(major.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.owner) != 0) {
            return failErrno(ErrorKind::unavailable, "faults can't be traced: sharing a buffer", errno);
        }
        s.majorIds.push_back(idOf(major));
        s.events.push_back(std::move(minor));
        s.events.push_back(std::move(major));
    }
    return {};
}

void FaultTracer::start() {
    State& s = *state_;
    std::sort(s.majorIds.begin(), s.majorIds.end());
    s.faults.reserve(kFaultsExpected);
    for (const UniqueFd& event : s.events) {
        ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
    }
    s.drainer = std::jthread([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(kDrainPeriod);
            drain();
        }
        timespec cpu{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        state_->cpu = std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
    });
}

void FaultTracer::drain() {
    for (auto& [cpu, ring] : state_->rings) {
        state_->take(ring);
    }
}

void FaultTracer::State::take(Ring& ring) {
    auto* const control = static_cast<perf_event_mmap_page*>(ring.base);
    const std::size_t size = ring.pages * pageSize().size();
    const auto* const data = static_cast<const std::byte*>(ring.base) + pageSize().size();
    // The kernel's side of this pair of barriers: perf_output_put_handle in kernel/events/ring_buffer.c.
    const std::uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
    std::uint64_t tail = control->data_tail;
    while (tail < head) {
        const std::size_t at = tail % size;
        perf_event_header header;  // records are aligned to 8 bytes: a header never wraps
        std::memcpy(&header, data + at, sizeof header);
        const std::size_t length = header.size;
        if (length < sizeof header) {
            break;
        }
        if (at + length <= size) {
            takeRecord({data + at, length});
        } else {
            ring.record.assign(data + at, data + size);
            ring.record.insert(ring.record.end(), data, data + (at + length - size));
            takeRecord(ring.record);
        }
        tail += length;
    }
    __atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

void FaultTracer::State::takeRecord(std::span<const std::byte> record) {
    perf_event_header header;
    std::memcpy(&header, record.data(), sizeof header);
    if (header.type == PERF_RECORD_SAMPLE && record.size() >= sizeof(SampleRecord)) {
        SampleRecord sample;
        std::memcpy(&sample, record.data(), sizeof sample);
        if (faults.size() == kMostFaults) {
            ++lost;
            return;
        }
        const bool major = std::binary_search(majorIds.begin(), majorIds.end(), sample.identifier);
        faults.push_back({static_cast<std::int64_t>(sample.time), sample.address, sample.tid, major});
    } else if (header.type == PERF_RECORD_MMAP2 && record.size() >= sizeof(Mmap2Record) + sizeof(SampleId)) {
        Mmap2Record mapped;
        SampleId id;
        std::memcpy(&mapped, record.data(), sizeof mapped);
        std::memcpy(&id, record.data() + record.size() - sizeof id, sizeof id);
        const auto* const name = reinterpret_cast<const char*>(record.data()) + sizeof mapped;
        const std::size_t most = record.size() - sizeof mapped - sizeof id;
        maps.push_back({static_cast<std::int64_t>(id.time), mapped.address, mapped.address + mapped.length,
                        mapped.offset, mapped.inode, mapped.major, mapped.minor,
                        std::string(name, ::strnlen(name, most))});
    } else if (header.type == PERF_RECORD_LOST && record.size() >= sizeof(LostRecord)) {
        LostRecord some;
        std::memcpy(&some, record.data(), sizeof some);
        lost += some.lost;
    }
}

std::vector<TracedFile> tracedFiles(const std::string& path, const FileStamp& stamp,
                                    const std::vector<FileMember>& members) {
    if (members.empty()) {
        return {{path, stamp.device, stamp.inode, Bytes(0)}};
    }
    std::vector<TracedFile> files;
    files.reserve(members.size());
    for (const FileMember& member : members) {
        files.push_back({memberPath(path, member), member.stamp.device, member.stamp.inode, member.begin});
    }
    return files;
}

namespace {

/// Finds the file that was mapped.
class FilesByInode {
  public:
    explicit FilesByInode(const std::vector<TracedFile>& files) {
        for (const TracedFile& file : files) {
            byInode_.emplace(file.inode, &file);
        }
    }
    /// Some filesystems tell another device number here than stat(2) does; then the name decides.
    [[nodiscard]] const TracedFile* find(std::uint64_t inode, std::uint32_t majorNumber,
                                         std::uint32_t minorNumber, const std::string& name) const {
        const auto [begin, end] = byInode_.equal_range(inode);
        for (auto it = begin; it != end; ++it) {
            const TracedFile& file = *it->second;
            const bool device = majorNumber == major(file.device) && minorNumber == minor(file.device);
            if (device || name == file.path) {
                return &file;
            }
        }
        return nullptr;
    }

  private:
    std::unordered_multimap<std::uint64_t, const TracedFile*> byInode_;
};

}  // namespace

TracedFaults FaultTracer::stop(const std::vector<TracedFile>& files) {
    State& s = *state_;
    for (const UniqueFd& event : s.events) {
        ::ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
    }
    s.drainer = {};  // asks it to stop, and joins
    drain();

    TracedFaults traced;
    traced.lost = s.lost;
    traced.userOnly = s.userOnly;
    traced.cpu = s.cpu;
    traced.faults = std::move(s.faults);
    std::stable_sort(traced.faults.begin(), traced.faults.end(),
                     [](const TracedFault& a, const TracedFault& b) { return a.tNs < b.tNs; });
    std::stable_sort(s.maps.begin(), s.maps.end(), [](const Map& a, const Map& b) { return a.tNs < b.tNs; });

    const FilesByInode known(files);
    struct Placed {
        const Map* map;
        const TracedFile* file;  ///< nullptr: none of ours
    };
    // begin → the mapping that lies there now; later ones replace what they cover.
    std::map<std::uint64_t, Placed> now;
    auto next = s.maps.cbegin();
    traced.offsets.reserve(traced.faults.size());
    for (const TracedFault& fault : traced.faults) {
        for (; next != s.maps.cend() && next->tNs <= fault.tNs; ++next) {
            auto it = now.lower_bound(next->begin);
            if (it != now.begin() && std::prev(it)->second.map->end > next->begin) {
                --it;
            }
            while (it != now.end() && it->first < next->end) {
                it = now.erase(it);
            }
            now.emplace(next->begin,
                        Placed{&*next, known.find(next->inode, next->major, next->minor, next->name)});
        }
        auto it = now.upper_bound(fault.address);
        std::uint64_t offset = TracedFaults::kElsewhere;
        if (it != now.begin()) {
            const auto& [map, file] = std::prev(it)->second;
            if (fault.address < map->end && file != nullptr) {
                offset = file->begin.count() +
                         roundDown(Bytes(fault.address - map->begin + map->offset), pageSize()).count();
            }
        }
        traced.offsets.push_back(offset);
    }
    return traced;
}

}  // namespace mmapscope
