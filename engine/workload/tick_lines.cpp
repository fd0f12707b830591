#include "workload/tick_lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/accounting.h"
#include "workload/tick_detect.h"

namespace mmapscope {
namespace {

/// The longest row and its line feed, and what ends within the padding of a span.
constexpr std::size_t kKeptRoom = kMaxTickRow + 1 + kTickPadding;

const char* findFeed(const char* p, const char* end) noexcept {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
}

/// Behind the last line feed of [p, end), or p.
const char* behindLastFeed(const char* p, const char* end) noexcept {
    const auto* feed = static_cast<const char*>(::memrchr(p, '\n', static_cast<std::size_t>(end - p)));
    return feed == nullptr ? p : feed + 1;
}

std::size_t lengthOf(const char* p, const char* end) noexcept {
    return static_cast<std::size_t>(end - p);
}

}  // namespace

TickLines::TickLines(const TickPlan& plan, bool header, Bytes begin, std::stop_token stop)
    : TickLines(plan, header, begin, bestTickScanner(plan), std::move(stop)) {}

TickLines::TickLines(const TickPlan& plan, bool header, Bytes begin, const TickScanner& scanner,
                     std::stop_token stop)
    : plan_(plan),
      scanner_(scanner),
      book_(scanner.prepare(plan)),
      header_(header),
      fileStart_(begin.isZero()),
      kept_(std::make_unique<char[]>(kKeptRoom + kTickPadding)),
      keptOffset_(begin.count()),
      pacer_(std::move(stop)) {
    countHeap(kKeptRoom + kTickPadding);
}

Status TickLines::consume(std::string_view bytes) {
    const char* p = bytes.data();
    const char* const end = p + bytes.size();
    if (skipping_) {
        p = skipRest(p, end);
    }
    if (keptLength_ > 0 || fileStart_) {
        p = completeLine(p, end);
    }
    while (lengthOf(p, end) > kTickPadding) {
        if (skipping_) {
            p = skipRest(p, end);
            continue;
        }
        const char* const limit = p + std::min(lengthOf(p, end) - kTickPadding, Pacer::kSlice);
        const char* const behind = behindLastFeed(p, limit);
        if (behind != p) {
            const std::size_t scanned = lengthOf(p, behind);
            scan(p, behind, keptOffset_);
            keptOffset_ += scanned;
            p = behind;
            if (Status status = pacer_.advance(scanned); !status) {
                return status;
            }
        } else if (lengthOf(p, limit) > kMaxTickRow) {
            rejectKept();
        } else {
            break;
        }
    }
    if (p < end) {
        keep(p, end);
    }
    return {};
}

void TickLines::finish() noexcept {
    if (keptLength_ > 0) {
        kept_[keptLength_++] = '\n';
        scanKept();
    }
}

const char* TickLines::completeLine(const char* p, const char* end) noexcept {
    if (p == end || skipping_) {
        return p;
    }
    const char* const feed = findFeed(p, end);
    const char* const behind = feed == nullptr ? end : feed + 1;
    if (keptLength_ + lengthOf(p, feed == nullptr ? end : feed) > kMaxTickRow) {
        rejectKept();
        return skipRest(p, end);
    }
    std::memcpy(kept_.get() + keptLength_, p, lengthOf(p, behind));
    keptLength_ += lengthOf(p, behind);
    if (feed != nullptr) {
        scanKept();
    }
    return behind;
}

const char* TickLines::skipRest(const char* p, const char* end) noexcept {
    const char* const feed = p == end ? nullptr : findFeed(p, end);
    const char* const behind = feed == nullptr ? end : feed + 1;
    skipping_ = feed == nullptr;
    keptOffset_ += lengthOf(p, behind);
    return behind;
}

void TickLines::keep(const char* p, const char* end) noexcept {
    if (skipping_) {
        p = skipRest(p, end);
    }
    if (p == end) {
        return;
    }
    std::memcpy(kept_.get(), p, lengthOf(p, end));
    const char* const from = kept_.get();
    const char* const to = from + lengthOf(p, end);
    const char* const behind = behindLastFeed(from, to);
    if (behind != from) {
        scan(from, behind, keptOffset_);
        keptOffset_ += lengthOf(from, behind);
    }
    keptLength_ = lengthOf(behind, to);
    std::memmove(kept_.get(), behind, keptLength_);
    if (keptLength_ > kMaxTickRow) {
        rejectKept();
    }
}

/// kept_ holds one whole line.
void TickLines::scanKept() noexcept {
    const char* from = kept_.get();
    const char* const to = from + keptLength_;
    std::uint64_t offset = keptOffset_;
    if (fileStart_) {
        if (std::string_view(from, keptLength_).starts_with(kUtf8ByteOrderMark)) {
            from += kUtf8ByteOrderMark.size();
            offset += kUtf8ByteOrderMark.size();
        }
        if (header_) {
            from = to;
        }
    }
    if (from != to) {
        scan(from, to, offset);
    }
    fileStart_ = false;
    keptOffset_ += keptLength_;
    keptLength_ = 0;
}

/// The row at keptOffset_ is too long; what belongs to it is passed over.
void TickLines::rejectKept() noexcept {
    totals_.reject({keptOffset_, TickFault::rowTooLong, 0});
    keptOffset_ += keptLength_;
    keptLength_ = 0;
    skipping_ = true;
    fileStart_ = false;
}

}  // namespace mmapscope
