#include "probe/folios.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <numeric>
#include <vector>

#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/kernel_calls.h"

namespace mmapscope {
namespace {

// Documentation/admin-guide/mm/pagemap.rst
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;
constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55U) - 1;
constexpr std::uint64_t kCompoundHead = std::uint64_t{1} << 15U;
constexpr std::uint64_t kCompoundTail = std::uint64_t{1} << 16U;

class Looker {
  public:
    Looker(int pagemap, int flags) : pagemap_(pagemap), flags_(flags) {}

    /// Maps the 2 MiB of the file around `at`, touches that page if it is resident, and counts.
    void look(int file, Bytes at, Bytes fileBytes) {
        const Bytes offset = roundDown(at, kHugePage);
        const Bytes length = std::min(kHugePage, roundUp(fileBytes - offset, pageSize()));
        // Aligned like the file, so that a 2 MiB folio can be mapped by one entry.
        const std::size_t reserved = kHugePage.size() * 2;
        void* const area = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) {
            return;
        }
        const auto address =
            (reinterpret_cast<std::uintptr_t>(area) + kHugePage.size() - 1) & ~(kHugePage.size() - 1);
        void* const window = ::mmap(reinterpret_cast<void*>(address), length.size(), PROT_READ,
                                    MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset.count()));
        if (window != MAP_FAILED) {
            count(static_cast<std::byte*>(window), length, (at - offset) / pageSize());
        }
        ::munmap(area, reserved);
    }
    std::vector<std::uint64_t> mapped;  ///< pages, a place each
    std::vector<std::uint64_t> folios;

  private:
    void count(std::byte* window, Bytes length, std::size_t page) {
        const std::size_t pages = length / pageSize();
        std::byte* const touched = window + page * pageSize().size();
        unsigned char resident = 0;
        if (::mincore(touched, pageSize().size(), &resident) != 0 || (resident & 1U) == 0) {
            return;
        }
        // Not a plain load: would the file shrink now, that would be SIGBUS, and this is EFAULT.
        if (::madvise(touched, pageSize().size(), kMadvPopulateRead) != 0) {
            return;
        }
        std::vector<std::uint64_t> entries(pages);
        const std::uint64_t first = reinterpret_cast<std::uintptr_t>(window) / pageSize().count();
        const std::size_t bytes = entries.size() * sizeof(std::uint64_t);
        if (::pread(pagemap_, entries.data(), bytes, static_cast<off_t>(first * sizeof(std::uint64_t))) !=
                static_cast<ssize_t>(bytes) ||
            (entries[page] & kPresent) == 0) {
            return;
        }
        mapped.push_back(static_cast<std::uint64_t>(std::count_if(
            entries.begin(), entries.end(), [](std::uint64_t e) { return (e & kPresent) != 0; })));
        if (const std::uint64_t frame = entries[page] & kFrame; frame != 0 && flags_ >= 0) {
            if (const auto folio = folioPages(frame)) {
                folios.push_back(*folio);
            }
        }
    }

    /// Pages of the folio a frame is in: a head and its tails, or a single page.
    [[nodiscard]] std::optional<std::uint64_t> folioPages(std::uint64_t frame) const {
        constexpr std::uint64_t kMost = 2048;
        std::array<std::uint64_t, kMost> flags{};
        const std::uint64_t from = frame > kMost / 2 ? frame - kMost / 2 : 0;
        const ssize_t got =
            ::pread(flags_, flags.data(), sizeof flags, static_cast<off_t>(from * sizeof frame));
        const std::uint64_t known = got > 0 ? static_cast<std::uint64_t>(got) / sizeof frame : 0;
        std::uint64_t head = frame - from;
        if (head >= known) {
            return std::nullopt;
        }
        if ((flags[head] & (kCompoundHead | kCompoundTail)) == 0) {
            return 1;
        }
        while (head > 0 && (flags[head] & kCompoundTail) != 0) {
            --head;
        }
        std::uint64_t end = head + 1;
        while (end < known && (flags[end] & kCompoundTail) != 0) {
            ++end;
        }
        return end - head;
    }

    int pagemap_;
    int flags_;
};

Bytes meanOf(const std::vector<std::uint64_t>& pages) {
    return pageSize() * std::accumulate(pages.begin(), pages.end(), std::uint64_t{0}) / pages.size();
}

Bytes largestOf(const std::vector<std::uint64_t>& pages) {
    return pageSize() * *std::max_element(pages.begin(), pages.end());
}

}  // namespace

Result<FolioLook> lookAtFolios(const FileFacts& file, Range range, unsigned places) {
    if (!file.owned && !file.writable) {
        return fail(ErrorKind::unavailable, "folio sizes: not your file, so what is resident isn't told");
    }
    const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (!pagemap) {
        return failErrno(ErrorKind::unavailable, "folio sizes: /proc/self/pagemap", errno);
    }
    const UniqueFd flags(::open("/proc/kpageflags", O_RDONLY | O_CLOEXEC));
    Looker looker(pagemap.get(), flags.get());
    // A folder's files are looked at where places fall into them: never all of 200,000.
    const Bytes step = std::max(pageSize(), range.length() / std::max(places, 1U));
    Bytes begin;
    const auto lookInto = [&](const std::string& path, Bytes length) -> Status {
        const Bytes end = begin + length;
        Bytes at = range.begin + step * (begin > range.begin ? (begin - range.begin + step - Bytes(1)) / step
                                                             : std::uint64_t{0});
        if (at < std::min(end, range.end)) {
            const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
            if (!fd) {
                return failErrno(ErrorKind::unavailable, printable(path), errno);
            }
            const auto stamp = stampOf(fd.get());
            if (!stamp) {
                return tl::unexpected(stamp.error());
            }
            for (const Bytes stop = std::min({end, range.end, begin + stamp->size}); at < stop; at += step) {
                looker.look(fd.get(), at - begin, stamp->size);
            }
        }
        begin = end;
        return {};
    };
    Status looked;
    if (file.isFolder()) {
        for (std::size_t i = 0; looked && i < file.members.size(); ++i) {
            looked = lookInto(memberPath(file.path, file.members[i]), file.members[i].stamp.size);
        }
    } else {
        looked = lookInto(file.path, file.bytes);
    }
    if (!looked) {
        return tl::unexpected(looked.error());
    }
    if (looker.mapped.empty()) {
        return fail(ErrorKind::unavailable, "folio sizes: none of the places looked at is in the page cache");
    }
    FolioLook look;
    look.places = static_cast<unsigned>(looker.mapped.size());
    look.meanMapped = meanOf(looker.mapped);
    look.largestMapped = largestOf(looker.mapped);
    if (!looker.folios.empty()) {
        look.meanFolio = meanOf(looker.folios);
        look.largestFolio = largestOf(looker.folios);
    }
    std::map<std::uint64_t, unsigned> sizes;
    for (const std::uint64_t pages : looker.folios.empty() ? looker.mapped : looker.folios) {
        ++sizes[pages];
    }
    for (const auto& [pages, count] : sizes) {
        look.sizes.push_back({pageSize() * pages, count});
    }
    return look;
}

unsigned FolioLook::placesTold() const {
    return std::accumulate(sizes.begin(), sizes.end(), 0U,
                           [](unsigned sum, const Share& share) { return sum + share.places; });
}

std::string folioText(const FolioLook& look, std::size_t most) {
    auto sizes = look.sizes;
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const auto& a, const auto& b) { return a.places > b.places; });
    const unsigned all = look.placesTold();
    // One size left over is told as shortly as "other sizes" is.
    const std::size_t told = sizes.size() - std::min(sizes.size(), most) <= 1 ? sizes.size() : most;
    std::string text;
    const auto add = [&](const std::string& what, unsigned places) {
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", what, 100.0 * places / all);
    };
    unsigned rest = all;
    for (std::size_t i = 0; i < told; ++i) {
        add(formatBytes(sizes[i].size), sizes[i].places);
        rest -= sizes[i].places;
    }
    if (told < sizes.size()) {
        add("other sizes", rest);
    }
    return text;
}

}  // namespace mmapscope
