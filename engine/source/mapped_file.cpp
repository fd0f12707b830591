#include "source/mapped_file.h"

#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace mmapscope {

Status explainMapError(const Error& error, const std::string& path) {
    if (error.kind != ErrorKind::unavailable) {
        return fail(error.kind, fmt::format("{}: {}", printable(path), error.message));
    }
    const auto facts = inspectFile(path);
    return fail(error.kind,
                fmt::format("{} (on {}): {}", printable(path),
                            facts ? facts->filesystem : std::string("an unknown filesystem"), error.message));
}

namespace {

// An address that fits the file's offset modulo 2 MiB, free a moment ago; the kernel takes another one if it
// no longer is.
void* hugePagePlace(Bytes length, Bytes origin) {
    const Bytes room = roundUp(length, pageSize()) + kHugePage * 2;
    void* const free =
        mmap(nullptr, room.size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (free == MAP_FAILED) {
        return nullptr;
    }
    munmap(free, room.size());
    const Bytes address(reinterpret_cast<std::uintptr_t>(free));
    return reinterpret_cast<void*>((roundUp(address, kHugePage) + origin % kHugePage).size());
}

}  // namespace

Status MappedFile::open(const SourceInput& input, int extraFlags, Placement placement) {
    if (auto status = file_.open(input); !status) {
        return status;
    }
    const Range whole = input.whole();
    if (whole.length().isZero()) {
        return {};
    }
    origin_ = roundDown(whole.begin, pageSize());
    const Bytes length = whole.end - origin_;
    void* const hint = placement == Placement::hugePages ? hugePagePlace(length, origin_) : nullptr;
    auto mapping = GuardedMapping::map(MappingKind::file, length, PROT_READ, MAP_PRIVATE | extraFlags,
                                       file_.fd(), origin_, hint);
    if (!mapping) {
        return explainMapError(mapping.error(), file_.path());
    }
    mapping_ = std::move(*mapping);
    return {};
}

void MappedFile::close() noexcept {
    mapping_.unmap();
    file_.close();
}

Status MappedFile::advise(Range range, int advice) const {
    const Bytes begin = roundDown(range.begin, pageSize());
    return file_.explain(mapping_.advise(begin - origin_, range.end - begin, advice));
}

Status MappedFile::populate(Range range, const std::stop_token& stop) const {
    Bytes at = roundDown(range.begin, pageSize());
    while (at < range.end) {
        if (auto status = checkpoint(stop); !status) {
            return status;
        }
        const Bytes end = std::min(at + kStopStep, range.end);
        if (auto status = advise({at, end}, MADV_POPULATE_READ); !status) {
            return status;
        }
        at = end;
    }
    return {};
}

Status MappedFile::intact() const {
    auto status = mapping_.intact();
    return status ? status : file_.explain(status);
}

Result<std::span<const std::byte>> MappedCursor::next() {
    if (position_ == end_) {
        return std::span<const std::byte>();
    }
    if (auto status = checkpoint(stop_); !status) {
        return tl::unexpected(status.error());
    }
    const Range range{position_, std::min(end_, roundDown(position_ + span_, pageSize()))};
    if (auto status = beforeSpan(range); !status) {
        return tl::unexpected(status.error());
    }
    position_ = range.end;
    return mapped_.bytes(range);
}

Status MappedSource::open(const SourceInput& input) {
    input_ = &input;
    if (auto status = mapped_.open(input, extraFlags_, placement_); !status) {
        return status;
    }
    return input.whole().length().isZero() ? Status() : prepareMapping(input.whole());
}

Result<std::unique_ptr<Cursor>> MappedSource::cursor(std::size_t index) {
    return std::make_unique<MappedCursor>(mapped_, input_->ranges[index], input_->accounts->stop());
}

namespace {

class AdvisedMapping : public MappedSource {
  public:
    explicit AdvisedMapping(int advice) : advice_(advice) {}

  protected:
    Status prepareMapping(Range whole) override {
        return advice_ == 0 ? Status() : mapped().advise(whole, advice_);
    }

  private:
    int advice_;
};

}  // namespace

std::unique_ptr<Source> advisedMapping(int advice) {
    return std::make_unique<AdvisedMapping>(advice);
}

}  // namespace mmapscope
