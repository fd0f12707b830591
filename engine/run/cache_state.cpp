#include "run/cache_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <thread>

#include "core/accounting.h"
#include "core/reopen.h"
#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/folios.h"
#include "probe/mappers.h"
#include "probe/meminfo.h"
#include "probe/residency.h"
#include "run/cache_fill.h"

namespace mmapscope {
namespace {

constexpr double kWarm = 0.99;  ///< least share resident
constexpr double kCold = 0.01;  ///< most share resident
constexpr int kEvictions = 6;  ///< tries: pages may sit in per-CPU batches or be under writeback for a moment
constexpr double kEvictionShare = 0.1;  ///< of the progress

constexpr std::string_view kReadaheadSized = "readahead-sized";
constexpr std::string_view kSmall = "4 KiB";
constexpr std::string_view kUnknown = "unknown";

std::string_view folioHintOf(CacheState state) {
    switch (state) {
        case CacheState::warm:
            return kReadaheadSized;
        case CacheState::warmSmall:
            return pageSize() == kib(4) ? kSmall : kUnknown;
        default:
            return kUnknown;
    }
}

/// Which files were last given folios of a known size, so that a later look that finds one still resident can
/// say so without claiming what another program's reading made.
class LastPrepared {
  public:
    void set(const FileStamp& stamp, CacheState state, std::string_view hint) {
        const std::lock_guard lock(mutex_);
        if (known_.size() >= kMost) {
            known_.clear();
        }
        known_[{stamp.device, stamp.inode}] = {stamp, state, std::string(hint)};
    }
    [[nodiscard]] std::string hintFor(const FileStamp& stamp, CacheState state) {
        const std::lock_guard lock(mutex_);
        const auto it = known_.find({stamp.device, stamp.inode});
        return it != known_.end() && it->second.state == state && it->second.stamp == stamp
                   ? it->second.hint
                   : std::string(kUnknown);
    }

  private:
    struct Known {
        FileStamp stamp;
        CacheState state = CacheState::asis;
        std::string hint;
    };
    static constexpr std::size_t kMost = kMostMembers + 1024;
    std::mutex mutex_;
    std::map<std::pair<dev_t, ino_t>, Known> known_;
};

LastPrepared& lastPrepared() {
    static LastPrepared last;
    return last;
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100.0);
}

class Preparation {
  public:
    Preparation(const FileFacts& file, Range range, CacheState state, std::stop_token stop,
                std::function<void(double)> progress)
        : file_(file), range_(range), stop_(std::move(stop)), progress_(std::move(progress)) {
        facts_.state = state;
        facts_.folioHint = kUnknown;
    }
    /// Its dirty pages were written a moment ago.
    void knownClean() { clean_ = true; }
    Result<CacheFacts> run(bool force);

  private:
    void look();
    Status evictAll();
    Status fill();
    void judgeCold();
    void judgeWarm();
    [[nodiscard]] std::optional<std::string_view> observedFolios() const;
    [[nodiscard]] std::string whyKept() const;
    [[nodiscard]] std::string whyNotKept() const;
    [[nodiscard]] bool wanted() const { return residency_ && residency_->fraction() >= kWarm; }
    /// tmpfs and its like; not a disk in memory (zram), whose page cache can be evicted.
    [[nodiscard]] bool memoryBacked() const {
        return file_.storage == StorageClass::memory && major(file_.stamp.device) == 0;
    }
    FillProgress share(double from, double to) const;

    const FileFacts& file_;
    const Range range_;
    const std::stop_token stop_;
    const std::function<void(double)> progress_;
    UniqueFd fd_;
    CacheFacts facts_;
    std::optional<Residency> residency_;
    std::string hidden_;  ///< why residency can't be told
    bool clean_ = false;  ///< as far as the kernel doesn't tell
    double kept_ = 0;     ///< share that eviction left
};

FillProgress Preparation::share(double from, double to) const {
    if (!progress_) {
        return {};
    }
    const auto total = static_cast<double>(std::max<std::uint64_t>(range_.length().count(), 1));
    return [this, from, to, total](Bytes done) {
        progress_(from + (to - from) * std::min(1.0, static_cast<double>(done.count()) / total));
    };
}

void Preparation::look() {
    if (auto seen = residencyOf(file_, range_)) {
        residency_ = *seen;
        facts_.residentBefore = seen->fraction();
    } else {
        residency_.reset();
        facts_.residentBefore.reset();
        hidden_ = seen.error().message;
    }
}

Status Preparation::evictAll() {
    for (int attempt = 1;; ++attempt) {
        // mincore can't tell dirty pages and a file that isn't ours tells nothing. Of a file known to be
        // clean it is left out: fdatasync(2) flushes the disk's cache even then, which adds up over many
        // files.
        const bool told = residency_ && residency_->dirtyKnown;
        const bool clean = told ? residency_->dirty.isZero() : clean_ && attempt == 1;
        if (!clean) {
            if (Status written = writeBack(fd_.get(), range_, stop_); !written) {
                return written;
            }
        }
        const FillProgress progress = attempt == 1 ? share(0.0, kEvictionShare) : FillProgress();
        if (Status evicted = evict(fd_.get(), range_, stop_, progress); !evicted) {
            return evicted;
        }
        look();
        if (!residency_ || residency_->resident.isZero() || attempt == kEvictions) {
            break;
        }
        if (attempt > 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5 * attempt));
        }
    }
    kept_ = residency_ ? residency_->fraction() : 0.0;
    return {};
}

Status Preparation::fill() {
    const FillProgress progress = share(kEvictionShare, 1.0);
    switch (facts_.state) {
        case CacheState::warm:
            return fillSequentially(fd_.get(), range_, stop_, progress);
        case CacheState::warmSmall:
            return fillWithSmallFolios(fd_.get(), range_, stop_, progress);
        default:
            // Of a file that isn't ours mincore says "all there": then all of it is read.
            return residency_ ? fillMissing(fd_.get(), range_, stop_, progress)
                              : fillSequentially(fd_.get(), range_, stop_, progress);
    }
}

std::string Preparation::whyKept() const {
    if (memoryBacked()) {
        return fmt::format("{} keeps its files in memory and can't be evicted; put the file on a disk",
                           file_.filesystem);
    }
    std::string who;
    for (const Mapper& mapper : mappersOf(file_, 3)) {
        who +=
            fmt::format("{}{} (process {})", who.empty() ? "" : ", ", printable(mapper.command), mapper.pid);
    }
    if (!who.empty()) {
        return fmt::format("mapped by {}; end it, or use a copy of the file", who);
    }
    if (residency_ && !residency_->dirty.isZero()) {
        return fmt::format("{} are being written; wait until nothing writes to it",
                           formatBytes(residency_->dirty));
    }
    return "another process reads, maps or locks it, or this filesystem keeps its cache; use a copy of the "
           "file";
}

std::string Preparation::whyNotKept() const {
    const auto [resident, all] = formatBytesApart(residency_->resident, range_.length());
    const auto memory = readMeminfo();
    const auto available = memory ? memory->available : std::nullopt;
    if (available && range_.length() > *available) {
        return fmt::format(
            "{} of {} are in memory, of which {} are available; limit the range, or free memory", resident,
            all, formatBytes(*available));
    }
    return fmt::format(
        "{} of {} stay in the page cache: a cgroup's limit, a filesystem that bypasses the cache, or "
        "something else evicts it (see doctor)",
        resident, all);
}

void Preparation::judgeCold() {
    if (!residency_) {
        facts_.reason = fmt::format("evicted, but that can't be verified: {}", hidden_);
        return;
    }
    facts_.reached = residency_->fraction() <= kCold;
    if (!facts_.reached) {
        facts_.reason =
            fmt::format("{} ({}) stays in memory after {} evictions: {}", percent(residency_->fraction()),
                        formatBytes(residency_->resident), kEvictions, whyKept());
    }
}

/// Where the kernel shows folios (to root), what is there rather than what was prepared: a filesystem without
/// large folios has 4 KiB ones however it is read.
std::optional<std::string_view> Preparation::observedFolios() const {
    const auto look = lookAtFolios(file_, range_);
    if (!look || !look->largestFolio) {
        return std::nullopt;
    }
    if (*look->largestFolio == pageSize()) {
        return pageSize() == kib(4) ? kSmall : kUnknown;
    }
    return facts_.state == CacheState::warm ? kReadaheadSized : kUnknown;
}

void Preparation::judgeWarm() {
    if (!residency_) {
        facts_.reason = fmt::format("read, but that can't be verified: {}", hidden_);
        return;
    }
    facts_.reached = wanted();
    if (!facts_.reached) {
        facts_.reason = whyNotKept();
        return;
    }
    const bool wantsFolios = facts_.state == CacheState::warm || facts_.state == CacheState::warmSmall;
    if (wantsFolios && kept_ > kCold) {
        facts_.reason =
            fmt::format("{} could not be evicted before reading and keeps its folios as they were: {}",
                        percent(kept_), whyKept());
        // Resident it is, but a state that is all about small folios isn't there.
        facts_.reached = facts_.state == CacheState::warm;
    } else {
        facts_.folioHint = observedFolios().value_or(folioHintOf(facts_.state));
    }
}

Result<CacheFacts> Preparation::run(bool force) {
    if (Status go = checkpoint(stop_); !go) {
        return tl::unexpected(go.error());
    }
    fd_.reset(::open(file_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd_) {
        return failReopen(ErrorKind::failed, file_.path, errno);
    }
    const auto stamp = stampOf(fd_.get());
    if (!stamp) {
        return tl::unexpected(stamp.error());
    }
    if (range_.begin >= range_.end) {
        facts_.reached = true;  // nothing to cache, nothing to evict
        return facts_;
    }
    look();
    if (facts_.state == CacheState::asis) {
        facts_.reached = true;
        if (!residency_) {
            facts_.reason = fmt::format("residency is not known: {}", hidden_);
        }
        facts_.folioHint = observedFolios().value_or(kUnknown);
        return facts_;
    }
    if (facts_.state == CacheState::cold) {
        if (Status evicted = evictAll(); !evicted) {
            return tl::unexpected(evicted.error());
        }
        judgeCold();
        lastPrepared().set(*stamp, facts_.state, kUnknown);
        return facts_;
    }
    if (wanted() && !force) {
        facts_.reached = true;
        facts_.folioHint = lastPrepared().hintFor(*stamp, facts_.state);
        return facts_;
    }
    const auto memory = readMeminfo();
    if (memory && memory->total && range_.length() > *memory->total) {
        const auto [wanted, there] = formatBytesApart(range_.length(), *memory->total);
        facts_.reason = fmt::format(
            "the range of {} is larger than this machine's {} of memory; limit the range", wanted, there);
        return facts_;
    }
    if (facts_.state != CacheState::resident) {
        if (Status evicted = evictAll(); !evicted) {
            return tl::unexpected(evicted.error());
        }
    }
    if (Status filled = fill(); !filled) {
        return tl::unexpected(filled.error());
    }
    look();
    judgeWarm();
    lastPrepared().set(*stamp, facts_.state, facts_.folioHint);
    return facts_;
}

/// What was just written to a folder goes to the disk at once, not file by file; syncfs(2) takes the whole
/// filesystem, so it isn't asked for where all is known to be clean. Whether it was done.
bool syncFolder(const FileFacts& folder, Range range) {
    const auto residency = residencyOf(folder, range);
    if (residency && residency->dirtyKnown && residency->dirty.isZero()) {
        return true;
    }
    const UniqueFd fd(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd && ::syncfs(fd.get()) == 0;
}

/// One file after the other; the state is reached when it is for all of them.
Result<CacheFacts> prepareFolder(const FileFacts& folder, Range range, CacheState state, bool force,
                                 const std::stop_token& stop, const std::function<void(double)>& report) {
    const bool evicts = state != CacheState::asis && state != CacheState::resident;
    const bool synced = evicts && syncFolder(folder, range);
    const auto total = static_cast<double>(std::max<std::uint64_t>(range.length().count(), 1));
    const auto count = static_cast<double>(std::max<std::size_t>(folder.members.size(), 1));
    CacheFacts all;
    all.state = state;
    all.reached = true;
    double resident = 0;
    double done = 0;
    bool known = true;
    std::uint64_t files = 0;
    std::uint64_t missed = 0;
    const Status prepared = forEachFile(folder, range, [&](const FileFacts& file, Range part) -> Status {
        const auto share = static_cast<double>(part.length().count()) / total;
        std::function<void(double)> progress;
        if (report) {
            // Small files cost what opening and evicting them costs, large ones their bytes.
            const double step = 0.5 * (share + 1.0 / count);
            progress = [&report, done, step](double own) { report(done + own * step); };
            progress(0.0);
            done += step;
        }
        Preparation preparation(file, part, state, stop, progress);
        if (synced && file.stamp.device == folder.stamp.device) {
            preparation.knownClean();
        }
        const auto one = preparation.run(force);
        if (!one) {
            return tl::unexpected(one.error());
        }
        known = known && one->residentBefore.has_value();
        resident += one->residentBefore.value_or(0) * share;
        if (!one->reason.empty() && all.reason.empty()) {
            all.reason = fmt::format("{}: {}", printable(file.path), one->reason);
        }
        missed += one->reached ? 0 : 1;
        all.folioHint = files == 0 || all.folioHint == one->folioHint ? one->folioHint : kUnknown;
        ++files;
        return {};
    });
    if (!prepared) {
        return tl::unexpected(prepared.error());
    }
    all.reached = missed == 0;
    if (missed > 1) {
        all.reason += fmt::format("; and so for {} of {} files", missed, files);
    }
    if (known) {
        all.residentBefore = files == 0 ? 1.0 : resident;
    }
    return all;
}

}  // namespace

Result<CacheFacts> prepareCache(const FileFacts& file, Range range, CacheState state, bool force,
                                std::stop_token stop, void (*progress)(double, void*), void* context) {
    std::function<void(double)> report;
    if (progress != nullptr) {
        report = [progress, context](double done) { progress(done, context); };
    }
    auto facts = file.isFolder() ? prepareFolder(file, range, state, force, stop, report)
                                 : Preparation(file, range, state, stop, report).run(force);
    if (facts && report) {
        report(1.0);
    }
    return facts;
}

}  // namespace mmapscope
