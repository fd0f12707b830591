// A coordinator thread that asks the kernel for what the consumers will need next: in file order, a bounded
// distance ahead, in calls no larger than the device's readahead.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "source/mapped_file.h"
#include "source/source.h"

namespace mmapscope {

enum class AskBy {
    readahead,  ///< readahead(2)
    fadvise,    ///< posix_fadvise(2), POSIX_FADV_WILLNEED
    willneed,   ///< madvise(2), MADV_WILLNEED, on the mapping
    populate    ///< madvise(2), MADV_POPULATE_READ, on the mapping: also fills the page tables
};

struct PrefetchPlan {
    Bytes ahead;  ///< in front of all consumers together; shared out equally among those still at work
    Bytes step;   ///< the largest call
    AskBy how = AskBy::readahead;
};

class Prefetcher {
  public:
    /// `mapped` is needed by willneed and populate alone. All outlive the prefetcher.
    Prefetcher(PrefetchPlan plan, const OpenFile& file, const MappedFile* mapped, const SourceInput& input);
    ~Prefetcher() { finish(); }
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// Error: unavailable, when no thread can be made.
    [[nodiscard]] Status start();
    /// The consumer of a range has used everything before `position`.
    void reached(std::size_t range, Bytes position) noexcept;
    /// Error: what the kernel answered to the coordinator, if it refused.
    [[nodiscard]] Status status() const;
    /// Ends the thread. Safe to call more than once.
    void finish() noexcept;
    /// What was asked for; to be called after finish().
    [[nodiscard]] std::string note() const;

  private:
    struct alignas(64) Consumer {
        std::atomic<std::uint64_t> position{0};
        Range range;
        Bytes asked;  // the coordinator's alone
    };
    /// Whom to ask for next, and which part: the consumer closest to running dry; nullptr when none is due.
    [[nodiscard]] Consumer* nextDue(Range& part);
    [[nodiscard]] bool allAsked() const;
    [[nodiscard]] Status ask(Range part);
    void coordinate();

    PrefetchPlan plan_;
    const OpenFile& file_;
    const MappedFile* mapped_;
    Accounts& accounts_;
    std::vector<Consumer> consumers_;
    std::atomic<std::uint32_t> news_{0};  // counts up whenever the coordinator should look again
    std::atomic<bool> quit_{false};
    std::atomic<bool> refused_{false};
    Status refusal_;  // valid once refused_
    std::uint64_t calls_ = 0;
    Bytes total_;
    std::jthread thread_;
};

/// Hands on another cursor's spans and tells the prefetcher how far they were used.
class PrefetchedCursor : public Cursor {
  public:
    PrefetchedCursor(std::unique_ptr<Cursor> inner, Prefetcher& prefetcher, std::size_t index, Range range)
        : inner_(std::move(inner)), prefetcher_(prefetcher), index_(index), position_(range.begin) {}

    [[nodiscard]] Result<std::span<const std::byte>> next() override;
    [[nodiscard]] Status intact() const override { return inner_->intact(); }

  private:
    std::unique_ptr<Cursor> inner_;
    Prefetcher& prefetcher_;
    std::size_t index_;
    Bytes position_;
};

/// The parameters `ahead` and `how`, and the plan they make with the readahead of the file's device.
[[nodiscard]] ParameterSpec aheadParameter();
[[nodiscard]] ParameterSpec howParameter(std::vector<std::string_view> choices, std::string_view help);
[[nodiscard]] PrefetchPlan prefetchPlan(const Parameters& parameters);

}  // namespace mmapscope
