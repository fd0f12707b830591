#include "workload/zstd_ticks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "workload/ticks.h"

namespace mmapscope {
namespace {

/// A block's 3 bytes of header and one more make 128 KiB at most (RFC 8878, 3.1.1.2): 32768 times as many.
constexpr std::uint64_t kMostExpansion = std::uint64_t{1} << 15U;

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Puts the true offset in place of the one that parts counted from their own places.
void setOffset(Outcome& outcome, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& placesAndBases) {
    for (auto& [name, value] : outcome.fields) {
        if (name != "first_reject") {
            continue;
        }
        for (auto& [key, offset] : std::get<Outcome>(value.data).fields) {
            if (key == "offset") {
                const std::uint64_t told = std::get<std::uint64_t>(offset.data);
                const auto after = std::find_if(placesAndBases.begin() + 1, placesAndBases.end(),
                                                [&](const auto& part) { return part.first > told; });
                const auto& [place, base] = *(after - 1);
                offset = base + (told - place);
            }
        }
    }
}

}  // namespace

Result<std::unique_ptr<Workload>> ZstdTicks::makeRows(const Parameters& parameters, Bytes begin,
                                                      std::stop_token stop) {
    WorkloadInput input;
    input.range = {begin, Bytes(UINT64_MAX)};
    input.whole = {Bytes(0), Bytes(UINT64_MAX)};
    input.stop = std::move(stop);
    return ticksWorkload.create(parameters, input);
}

Result<std::unique_ptr<ZstdTicks>> ZstdTicks::make(const Parameters& parameters, const WorkloadInput& input) {
    const Bytes place(input.range.begin.count() * kMostExpansion);
    // Its rows behind the head lie one further on, so that their offsets can be told from the head's.
    auto rows = makeRows(parameters, place.isZero() ? place : place + Bytes(1), input.stop);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    auto ticks = std::unique_ptr<ZstdTicks>(new ZstdTicks(parameters, input, place, std::move(*rows)));
    // Before the clock, so that the loop allocates nothing.
    ticks->tail_.reserve(kKept);
    ticks->head_.reserve(ticks->inHead_ ? kKept : 0);
    countHeap(ticks->tail_.capacity() + ticks->head_.capacity());
    return ticks;
}

Status ZstdTicks::consume(std::span<const std::byte> decoded) {
    bytes_ += decoded.size();
    if (inHead_) {
        const std::size_t feed = textOf(decoded).find('\n');
        const std::size_t length = feed == std::string_view::npos ? decoded.size() : feed + 1;
        head_.append(textOf(decoded.first(std::min(length, kKept - head_.size()))));
        if (feed == std::string_view::npos) {
            return {};
        }
        inHead_ = false;
        headBytes_ = bytes_ - decoded.size() + length;
        decoded = decoded.subspan(length);
    }
    return middle(decoded);
}

Status ZstdTicks::middle(std::span<const std::byte> decoded) {
    const std::string_view text = textOf(decoded);
    const std::size_t feed = text.rfind('\n');
    const std::size_t lines = feed == std::string_view::npos ? 0 : feed + 1;
    if (lines != 0) {
        if (!tail_.empty()) {
            if (auto status = rows_->consume(bytesOf(tail_)); !status) {
                return status;
            }
            tail_.clear();
        }
        tailRejected_ = false;
        if (auto status = rows_->consume(decoded.first(lines)); !status) {
            return status;
        }
    }
    const auto rest = decoded.subspan(lines);
    if (tailRejected_) {
        return rows_->consume(rest);
    }
    if (tail_.size() + rest.size() < kKept) {
        tail_.append(textOf(rest));
        return {};
    }
    // Longer than any row: the parser finds that out now, and passes over what follows up to a line feed.
    if (auto status = rows_->consume(bytesOf(tail_)); !status) {
        return status;
    }
    tail_.clear();
    tailRejected_ = true;
    return rows_->consume(rest);
}

Status ZstdTicks::finish() {
    return rows_->finish();
}

Result<Outcome> ZstdTicks::merged(std::span<const ZstdTicks* const> parts) {
    std::vector<std::unique_ptr<Workload>> joined;
    std::vector<Workload*> all;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> placesAndBases;
    std::string row;          // not complete yet
    std::uint64_t begin = 0;  // its place
    bool rejected = false;    // it is, already
    std::uint64_t base = 0;   // decoded bytes before this part
    const auto complete = [&]() -> Status {
        auto made = makeRows(parts.front()->parameters_, Bytes(begin), {});
        if (!made) {
            return tl::unexpected(made.error());
        }
        auto status = (*made)->consume(bytesOf(row));
        if (status) {
            status = (*made)->finish();
        }
        all.push_back(made->get());
        joined.push_back(std::move(*made));
        row.clear();
        return status;
    };
    for (const ZstdTicks* part : parts) {
        const std::uint64_t place = part->place_.count();
        placesAndBases.emplace_back(place, base);
        const std::uint64_t rowsPlace = place == 0 ? 0 : place + 1;
        if (rowsPlace != place) {
            placesAndBases.emplace_back(rowsPlace, base + part->headBytes_);
        }
        if (!part->head_.empty() && !rejected) {
            if (row.empty()) {
                // The file's first line may have nothing but empty parts before it.
                begin = base == 0 ? 0 : place;
            }
            row.append(part->head_, 0, kKept - std::min(kKept, row.size()));
        }
        if (part->bytes_ != 0 && !part->inHead_) {
            if (!part->head_.empty() && !rejected) {
                if (auto status = complete(); !status) {
                    return tl::unexpected(status.error());
                }
            }
            rejected = false;
        }
        all.push_back(part->rows_.get());
        if (!part->tail_.empty() || part->tailRejected_) {
            row = part->tail_;
            begin = rowsPlace + part->bytes_ - part->headBytes_ - row.size();
            rejected = part->tailRejected_;
        }
        base += part->bytes_;
    }
    if (!row.empty() && !rejected) {
        if (auto status = complete(); !status) {
            return tl::unexpected(status.error());
        }
    }
    auto outcome = all.front()->outcome(all);
    if (outcome) {
        setOffset(*outcome, placesAndBases);
    }
    return outcome;
}

}  // namespace mmapscope
