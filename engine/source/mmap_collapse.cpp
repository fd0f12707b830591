// One mapping whose resident parts the kernel is asked to turn into huge pages, now (MADV_COLLAPSE,
// madvise(2)).
#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

bool allResident(std::span<const std::byte> region) {
    std::array<unsigned char, kHugePage.size() / 4096> pages{};
    void* const address = const_cast<std::byte*>(region.data());
    if (mincore(address, region.size(), pages.data()) != 0) {
        return false;
    }
    const auto end = pages.begin() + static_cast<long>(Bytes(region.size()) / pageSize());
    return std::all_of(pages.begin(), end, [](unsigned char page) { return (page & 1U) != 0; });
}

class CollapsedMapping : public MappedSource {
  public:
    CollapsedMapping() : MappedSource(0, Placement::hugePages) {}

    std::vector<std::string> notes() const override {
        std::string text = fmt::format("MADV_COLLAPSE: {} of {} regions of {} collapsed, {} not resident",
                                       collapsed_, regions_, formatBytes(kHugePage), absent_);
        if (refused_ > 0) {
            text += fmt::format(", {} refused ({})", refused_, refusal_);
        }
        return {text};
    }

  protected:
    Status prepareMapping(Range whole) override {
        for (Bytes at = roundUp(whole.begin, kHugePage); at + kHugePage <= whole.end; at += kHugePage) {
            if (auto status = checkpoint(input().accounts->stop()); !status) {
                return status;
            }
            ++regions_;
            if (auto status = collapse({at, at + kHugePage}); !status) {
                return status;
            }
        }
        if (collapsed_ == 0 && refused_ > 0) {
            return explainMapError({ErrorKind::unavailable, explained()}, mapped().file().path());
        }
        return {};
    }

  private:
    // hugepage_vma_check() and file_thp_enabled() of mm/: EINVAL for what can't be a huge page at all.
    [[nodiscard]] std::string explained() const {
        return refusal_.find("Invalid argument") == std::string::npos
                   ? refusal_
                   : refusal_ +
                         ": the kernel makes no huge pages of this file's cached pages. It does on tmpfs, "
                         "and "
                         "elsewhere only if built with CONFIG_READ_ONLY_THP_FOR_FS and while nobody has the "
                         "file open for writing; thp-copy has huge pages for any file";
    }

    Status collapse(Range region) {
        if (!allResident(mapped().bytes(region))) {
            ++absent_;
            return {};
        }
        auto status = mapped().advise(region, MADV_COLLAPSE);
        if (status) {
            ++collapsed_;
        } else if (status.error().kind == ErrorKind::unavailable) {
            ++refused_;
            refusal_ = status.error().message;
            return {};
        }
        return status;
    }

    std::uint64_t regions_ = 0;
    std::uint64_t collapsed_ = 0;
    std::uint64_t absent_ = 0;
    std::uint64_t refused_ = 0;
    std::string refusal_;
};

}  // namespace

const SourceType mmapCollapseSource{
    .id = "mmap-collapse",
    .summary = "mmap(2) of the whole file and MADV_COLLAPSE on what of it is resident",
    .parameters = {},
    .traits = {.mapsFile = true},
    .availability =
        [](const FileFacts& file, const Parameters& parameters, Range range, unsigned threads) {
            const Availability answer = somethingToMap(file, parameters, range, threads);
            return answer.available ? knowsAdvice(MADV_COLLAPSE, "MADV_COLLAPSE", "6.1") : answer;
        },
    .create = [](const Parameters&) -> std::unique_ptr<Source> {
        return std::make_unique<CollapsedMapping>();
    },
};

}  // namespace mmapscope
