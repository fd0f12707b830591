#include "source/prefetcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/process_limits.h"
#include "core/text.h"
#include "source/read_ahead.h"

namespace mmapscope {

Prefetcher::Prefetcher(PrefetchPlan plan, const OpenFile& file, const MappedFile* mapped,
                       const SourceInput& input)
    : plan_(plan), file_(file), mapped_(mapped), accounts_(*input.accounts), consumers_(input.ranges.size()) {
    plan_.step = std::min(plan_.step, plan_.ahead);
    for (std::size_t i = 0; i < consumers_.size(); ++i) {
        consumers_[i].range = input.ranges[i];
        consumers_[i].asked = roundDown(input.ranges[i].begin, pageSize());
        consumers_[i].position.store(input.ranges[i].begin.count());
    }
}

void Prefetcher::finish() noexcept {
    quit_.store(true);
    news_.fetch_add(1);
    news_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

Status Prefetcher::start() {
    try {
        thread_ = std::jthread([this] { coordinate(); });
    } catch (const std::system_error& error) {
        return fail(ErrorKind::unavailable, threadError("the prefetching thread", error.code()));
    }
    return {};
}

void Prefetcher::reached(std::size_t range, Bytes position) noexcept {
    consumers_[range].position.store(position.count());
    news_.fetch_add(1);
    news_.notify_one();
}

Status Prefetcher::status() const {
    return refused_.load(std::memory_order_acquire) ? refusal_ : Status();
}

std::string Prefetcher::note() const {
    return fmt::format("the coordinator asked for {} in {} calls of at most {}, at most {} ahead",
                       formatBytes(total_), calls_, formatBytes(plan_.step), formatBytes(plan_.ahead));
}

bool Prefetcher::allAsked() const {
    return std::all_of(consumers_.begin(), consumers_.end(),
                       [](const Consumer& c) { return c.asked >= c.range.end; });
}

Prefetcher::Consumer* Prefetcher::nextDue(Range& part) {
    const auto atWork =
        static_cast<std::uint64_t>(std::count_if(consumers_.begin(), consumers_.end(), [](const Consumer& c) {
            return Bytes(c.position.load()) < c.range.end;
        }));
    const Bytes share = roundDown(plan_.ahead / std::max<std::uint64_t>(atWork, 1), pageSize());
    Consumer* due = nullptr;
    Bytes leastLead(UINT64_MAX);
    for (Consumer& c : consumers_) {
        const Bytes position = roundDown(Bytes(c.position.load()), pageSize());
        c.asked = std::max(c.asked, position);  // what the consumer already passed needs no asking
        if (c.asked >= c.range.end) {
            continue;
        }
        const Bytes lead = c.asked - position;
        const Bytes step = std::min({plan_.step, share, c.range.end - c.asked});
        if (!step.isZero() && lead + step <= share && lead < leastLead) {
            leastLead = lead;
            due = &c;
            part = {c.asked, c.asked + step};
        }
    }
    return due;
}

Status Prefetcher::ask(Range part) {
    ++calls_;
    total_ += part.length();
    int errnum = 0;
    switch (plan_.how) {
        case AskBy::willneed:
            return mapped_->advise(part, MADV_WILLNEED);
        case AskBy::populate:
            return mapped_->populate(part, accounts_.stop());
        case AskBy::readahead:
            errnum =
                readahead(file_.fd(), static_cast<off64_t>(part.begin.count()), part.length().size()) == 0
                    ? 0
                    : errno;
            break;
        case AskBy::fadvise:
            errnum = posix_fadvise(file_.fd(), static_cast<off_t>(part.begin.count()),
                                   static_cast<off_t>(part.length().count()), POSIX_FADV_WILLNEED);
            break;
    }
    if (errnum != 0) {
        return failErrno(ErrorKind::unavailable,
                         fmt::format("asking for {} of {} ahead of time", formatBytes(part.length()),
                                     printable(file_.path())),
                         errnum);
    }
    return {};
}

void Prefetcher::coordinate() {
    ThreadAccount account(accounts_);
    while (!allAsked()) {
        const std::uint32_t seen = news_.load();
        if (quit_.load() || !checkpoint(accounts_.stop())) {
            return;
        }
        Range part;
        Consumer* const due = nextDue(part);
        if (due == nullptr) {
            news_.wait(seen);
            continue;
        }
        due->asked = part.end;
        if (auto status = ask(part); !status) {
            refusal_ = std::move(status);
            refused_.store(true, std::memory_order_release);
            return;
        }
    }
}

Result<std::span<const std::byte>> PrefetchedCursor::next() {
    prefetcher_.reached(index_, position_);
    if (auto status = prefetcher_.status(); !status) {
        return tl::unexpected(status.error());
    }
    auto span = inner_->next();
    if (span) {
        position_ += Bytes(span->size());
    }
    return span;
}

ParameterSpec aheadParameter() {
    return {.name = "ahead",
            .kind = ParameterKind::bytes,
            .defaultValue = "64MiB",
            .help = "How far in front of the consumers the coordinator asks, all threads together",
            .least = mib(1)};
}

ParameterSpec howParameter(std::vector<std::string_view> choices, std::string_view help) {
    return {.name = "how",
            .kind = ParameterKind::choice,
            .defaultValue = "readahead",
            .help = help,
            .choices = std::move(choices)};
}

PrefetchPlan prefetchPlan(const Parameters& parameters) {
    const std::string& how = textOf(parameters, "how");
    return {bytesOf(parameters, "ahead"), kDefaultReadAhead,
            how == "fadvise"    ? AskBy::fadvise
            : how == "willneed" ? AskBy::willneed
            : how == "populate" ? AskBy::populate
                                : AskBy::readahead};
}

}  // namespace mmapscope
