#include "source/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

constexpr std::size_t kMostNotes = 3;

/// One thread's part of one file.
struct Part {
    std::unique_ptr<Source> source;
    SourceInput input;
};

class FolderCursor : public Cursor {
  public:
    explicit FolderCursor(std::vector<Part>& parts) : parts_(parts) {}
    ~FolderCursor() override { leave(); }

    Result<std::span<const std::byte>> next() override {
        for (;;) {
            if (cursor_ != nullptr) {
                auto span = cursor_->next();
                if (!span || !span->empty()) {
                    return span;
                }
                // The file's last span was consumed: were its last bytes really the file's?
                if (auto intact = cursor_->intact(); !intact) {
                    return tl::unexpected(intact.error());
                }
                leave();
            }
            if (at_ == parts_.size()) {
                return std::span<const std::byte>();
            }
            if (auto entered = enter(); !entered) {
                return tl::unexpected(entered.error());
            }
        }
    }

    Status intact() const override { return cursor_ == nullptr ? Status() : cursor_->intact(); }

  private:
    Status enter() {
        Part& part = parts_[at_];
        if (auto opened = part.source->open(part.input); !opened) {
            return opened;
        }
        auto cursor = part.source->cursor(0);
        if (!cursor) {
            return tl::unexpected(cursor.error());
        }
        cursor_ = std::move(*cursor);
        return {};
    }

    void leave() noexcept {
        if (at_ < parts_.size()) {
            cursor_.reset();
            parts_[at_].source->close();
            ++at_;
        }
    }

    std::vector<Part>& parts_;
    std::size_t at_ = 0;
    std::unique_ptr<Cursor> cursor_;
};

class FolderSource : public Source {
  public:
    FolderSource(const SourceType& type, const Parameters& parameters)
        : type_(type), parameters_(parameters) {}

    Status prepare(const SourceInput& input) override {
        for (const Range& range : input.ranges) {
            auto& parts = lanes_.emplace_back();
            for (const FileMember& member : input.members) {
                const Bytes begin = std::max(range.begin, member.begin);
                const Bytes end = std::min(range.end, member.range().end);
                if (begin < end) {
                    parts.push_back(partOf(input, member, {begin - member.begin, end - member.begin}));
                }
            }
            for (Part& part : parts) {
                if (auto ready = part.source->prepare(part.input); !ready) {
                    return ready;
                }
            }
        }
        return {};
    }

    Status open(const SourceInput&) override { return {}; }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<FolderCursor>(lanes_[index]);
    }

    void close() noexcept override {
        for (auto& parts : lanes_) {
            for (Part& part : parts) {
                part.source->close();
            }
        }
    }

    std::vector<std::string> notes() const override {
        std::map<std::string, std::size_t> seen;
        for (const auto& parts : lanes_) {
            for (const Part& part : parts) {
                for (std::string& note : part.source->notes()) {
                    ++seen[std::move(note)];
                }
            }
        }
        std::vector<std::string> all;
        for (const auto& [note, files] : seen) {
            if (all.size() == kMostNotes) {
                all.push_back(fmt::format("and {} more notes of this kind", seen.size() - kMostNotes));
                break;
            }
            all.push_back(files == 1 ? note : fmt::format("{} (in {} files)", note, files));
        }
        if (smallFiles_ > 0) {
            all.push_back(
                fmt::format("{} file{} by pread: {}", smallFiles_, smallFiles_ == 1 ? "" : "s", whySmall_));
        }
        return all;
    }

  private:
    Part partOf(const SourceInput& input, const FileMember& member, Range range) {
        Part part;
        part.input.path = memberPath(input.path, member);
        part.input.fileBytes = member.stamp.size;
        part.input.ranges = {range};
        part.input.accounts = input.accounts;
        part.source = create(part.input);
        return part;
    }

    std::unique_ptr<Source> create(const SourceInput& part) {
        if (type_.traits.leavesSmallFiles) {
            FileFacts facts;
            facts.path = part.path;
            facts.bytes = part.fileBytes;
            const auto answer = type_.availability(facts, parameters_, {Bytes(0), part.fileBytes}, 1);
            if (!answer.available) {
                ++smallFiles_;
                whySmall_ = answer.reason;
                return preadSource.create(*parseParameters(preadSource.parameters, ""));
            }
        }
        return type_.create(parameters_);
    }

    const SourceType& type_;
    Parameters parameters_;
    std::vector<std::vector<Part>> lanes_;
    std::uint64_t smallFiles_ = 0;
    std::string whySmall_;
};

}  // namespace

std::unique_ptr<Source> makeSource(const SourceType& type, const Parameters& parameters,
                                   const SourceInput& input) {
    return input.members.empty() ? type.create(parameters) : std::make_unique<FolderSource>(type, parameters);
}

Availability availabilityFor(const SourceType& type, const FileFacts& input, const Parameters& parameters,
                             Range range, unsigned threads) {
    if (!input.isFolder()) {
        return type.availability(input, parameters, range, threads);
    }
    if (type.traits.ceiling) {
        return type.availability(input, parameters, range, threads);
    }
    // What a thread holds, it holds of one file at a time; the largest one asks for most.
    FileFacts largest;
    Range part;
    (void)forEachFile(input, range, [&](const FileFacts& file, Range own) -> Status {
        if (own.length() > part.length() || part.length().isZero()) {
            largest = file;
            part = own;
        }
        return {};
    });
    return largest.path.empty() ? type.availability(input, parameters, range, threads)
                                : type.availability(largest, parameters, part, threads);
}

}  // namespace mmapscope
