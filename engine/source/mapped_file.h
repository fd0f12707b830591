// A file's range in one guarded, page-aligned mapping that all cursors share.
#pragma once

#include <stop_token>

#include "source/guarded_mapping.h"
#include "source/open_file.h"
#include "source/source.h"

namespace mmapscope {

/// Where in the address space a mapping goes.
enum class Placement {
    any,
    hugePages  ///< offsets in the file that are multiples of 2 MiB at such addresses: huge pages can be
               ///< mapped
};

class MappedFile {
  public:
    /// Opens the file and maps all that the run reads, MAP_PRIVATE and PROT_READ. An empty range maps
    /// nothing. Error: as OpenFile::open and GuardedMapping::map; a filesystem that can't map is named.
    [[nodiscard]] Status open(const SourceInput& input, int extraFlags = 0,
                              Placement placement = Placement::any);
    void close() noexcept;

    /// Precondition: within what was mapped.
    [[nodiscard]] std::span<const std::byte> bytes(Range range) const noexcept {
        return mapping_.bytes(range.begin - origin_, range.length());
    }
    /// madvise(2) on the pages that hold the range. Error: as GuardedMapping::advise; the file is named.
    [[nodiscard]] Status advise(Range range, int advice) const;
    /// MADV_POPULATE_READ on the range, in steps of kStopStep with a checkpoint before each.
    [[nodiscard]] Status populate(Range range, const std::stop_token& stop) const;
    [[nodiscard]] Status intact() const;

    [[nodiscard]] const OpenFile& file() const noexcept { return file_; }

  private:
    OpenFile file_;
    GuardedMapping mapping_;
    Bytes origin_;  // offset in the file of the mapping's first byte
};

/// mmap(2) refused for a file: names the filesystem where that is the reason.
[[nodiscard]] Status explainMapError(const Error& error, const std::string& path);

/// Cuts a range of the mapping into spans that end on page borders.
class MappedCursor : public Cursor {
  public:
    MappedCursor(const MappedFile& mapped, Range range, std::stop_token stop, Bytes span = kMaxSpan)
        : mapped_(mapped), position_(range.begin), end_(range.end), stop_(std::move(stop)), span_(span) {}

    [[nodiscard]] Result<std::span<const std::byte>> next() override;
    [[nodiscard]] Status intact() const override { return mapped_.intact(); }

  protected:
    /// Called with the bytes about to be handed out; everything before them has been consumed.
    [[nodiscard]] virtual Status beforeSpan(Range) { return {}; }
    [[nodiscard]] const MappedFile& mapped() const noexcept { return mapped_; }
    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

  private:
    const MappedFile& mapped_;
    Bytes position_;
    Bytes end_;
    std::stop_token stop_;
    Bytes span_;
};

/// One mapping for the whole run. A source of its own says what it does after the mapping is there.
class MappedSource : public Source {
  public:
    Status open(const SourceInput& input) override;
    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override;
    void close() noexcept override { mapped_.close(); }

  protected:
    explicit MappedSource(int extraFlags = 0, Placement placement = Placement::any)
        : extraFlags_(extraFlags), placement_(placement) {}

    /// On the clock, once the mapping is there; not called when there is nothing to map.
    [[nodiscard]] virtual Status prepareMapping(Range) { return {}; }
    [[nodiscard]] const MappedFile& mapped() const noexcept { return mapped_; }
    [[nodiscard]] const SourceInput& input() const noexcept { return *input_; }

  private:
    int extraFlags_;
    Placement placement_;
    MappedFile mapped_;
    const SourceInput* input_ = nullptr;
};

/// A MappedSource that gives the whole mapping one advice (0: none) and no more.
[[nodiscard]] std::unique_ptr<Source> advisedMapping(int advice);

}  // namespace mmapscope
