#include "run/consumer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace mmapscope {
namespace {

/// A look at the faults costs 0.3 to 0.5 µs: not more often than keeps it under half a percent of the run.
constexpr Nanoseconds kFaultPeriod = std::chrono::microseconds(100);

}  // namespace

void Consumer::run() {
    nextStamp_ = input_.step;
    if (input_.split) {
        splitAt_ = Clock::now();
    }
    for (;;) {
        const auto span = cursor_.next();
        if (input_.split) {
            splitInto(deliver_);
        }
        if (!span) {
            errors_.report(span.error());
            break;
        }
        if (span->empty()) {
            if (checkLength()) {
                if (const auto finished = workload_.finish(); !finished) {
                    errors_.report(finished.error());
                }
                if (input_.split) {
                    splitInto(consume_);
                }
            }
            break;
        }
        if (!firstByte_) {
            firstByte_ = now();
            stamp(*firstByte_, true);
            if (input_.look) {
                input_.look();
                nextLook_ = input_.range.length() / 4;
            }
        }
        workload_.lookAhead(*span);
        const bool consumed = consume(*span);
        if (input_.split) {
            splitInto(consume_);
        }
        if (const auto intact = cursor_.intact(); !intact) {
            errors_.report(intact.error(), ErrorRank::bytes);
            break;
        }
        if (!consumed) {
            break;
        }
    }
    // The last page may have been replaced after the last look; also when the workload stumbled over zeros.
    if (const auto intact = cursor_.intact(); !intact) {
        errors_.report(intact.error(), ErrorRank::bytes);
    }
    stamp(now(), true);
}

void Consumer::splitInto(Nanoseconds& part) {
    const auto t = Clock::now();
    part += t - splitAt_;
    splitAt_ = t;
}

bool Consumer::consume(std::span<const std::byte> span) {
    const std::size_t most = std::min(input_.step, kMaxPiece).size();
    auto& bytesIn = account_.counters().bytesIn;
    while (!span.empty()) {
        if (input_.stop.stop_requested()) {
            errors_.report(cancelled().value());
            return false;
        }
        const auto piece = span.first(std::min(span.size(), most));
        span = span.subspan(piece.size());
        if (const auto done = workload_.consume(piece); !done) {
            errors_.report(done.error());
            return false;
        }
        delivered_ += Bytes(piece.size());
        bytesIn.store(delivered_.count(), std::memory_order_relaxed);
        if (delivered_ >= nextStamp_) {
            const Nanoseconds t = now();
            stamp(t, t - faultsRead_ >= kFaultPeriod);
            nextStamp_ = roundDown(delivered_, input_.step) + input_.step;
        }
        lookIfDue();
    }
    return true;
}

bool Consumer::checkLength() {
    if (delivered_ == input_.range.length()) {
        return true;
    }
    errors_.report({ErrorKind::failed,
                    fmt::format("the source delivered {} of the {} bytes from offset {}", delivered_.count(),
                                input_.range.length().count(), input_.range.begin.count())});
    return false;
}

void Consumer::stamp(Nanoseconds t, bool withFaults) {
    if (withFaults) {
        account_.publish();
        faultsRead_ = t;
    }
    stamps_.add(
        {t.count(), delivered_.count(), account_.counters().minorFaults.load(std::memory_order_relaxed)});
}

void Consumer::lookIfDue() {
    if (!input_.look || delivered_ < nextLook_) {
        return;
    }
    input_.look();
    // The last one is due exactly when everything is consumed, before the cursor lets its mapping go.
    const Bytes length = input_.range.length();
    nextLook_ =
        delivered_ >= length ? Bytes(UINT64_MAX) : std::min(delivered_ + length / 4 + Bytes(1), length);
}

}  // namespace mmapscope
