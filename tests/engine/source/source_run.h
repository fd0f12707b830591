// Runs a source over a file as a run does: one thread a range, `intact` asked after each span.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "source/guarded_mapping.h"
#include "source/source.h"
#include "support/variants.h"

namespace mmapscope::test {

/// A file's bytes, different at every offset modulo a prime.
inline std::vector<std::byte> patternBytes(std::size_t size) {
    std::vector<std::byte> bytes(size);
    std::uint32_t state = 12345;
    for (auto& b : bytes) {
        state = state * 1664525U + 1013904223U;
        b = static_cast<std::byte>(state >> 24U);
    }
    return bytes;
}

inline void writeFile(const std::string& path, const std::vector<std::byte>& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

struct Delivered {
    Status status;
    std::uint64_t bytes = 0;  ///< over all ranges
    bool equal = true;        ///< to `expected`, in order
    std::vector<std::string> notes;
    std::size_t liveMappings = 0;  ///< after close()
};

struct SourceRun {
    const SourceType* type = nullptr;
    std::string parameters = {};
    std::string path = {};
    Bytes fileBytes = {};
    std::vector<Range> ranges = {};
    /// What the ranges must hold, from the file's first byte on; not compared when empty.
    std::span<const std::byte> expected = {};
    /// Called with each span before it is looked at.
    std::function<void(std::size_t range, std::span<const std::byte>)> onSpan = {};
};

inline Status consumeRange(const SourceRun& run, Source& source, const SourceInput& input, std::size_t index,
                           std::uint64_t& bytes, bool& equal) {
    auto cursor = source.cursor(index);
    if (!cursor) {
        return tl::unexpected(cursor.error());
    }
    Bytes at = input.ranges[index].begin;
    for (;;) {
        const auto span = (*cursor)->next();
        if (!span) {
            return tl::unexpected(span.error());
        }
        if (span->empty()) {
            break;
        }
        if (span->size() > kMaxSpan.size()) {
            return fail(ErrorKind::failed, "a span is longer than kMaxSpan");
        }
        if (run.onSpan) {
            run.onSpan(index, *span);
        }
        if (!run.expected.empty()) {
            equal = equal && at.size() + span->size() <= run.expected.size() &&
                    std::memcmp(span->data(), run.expected.data() + at.size(), span->size()) == 0;
        }
        at += Bytes(span->size());
        bytes += span->size();
        if (auto status = (*cursor)->intact(); !status) {
            return status;
        }
    }
    if (at != input.ranges[index].end) {
        return fail(ErrorKind::failed, "the source ended before its range did");
    }
    return (*cursor)->intact();
}

inline Delivered deliver(const SourceRun& run, std::stop_token stop = {}) {
    Delivered delivered;
    auto parameters = parseParameters(run.type->parameters, run.parameters);
    if (!parameters) {
        delivered.status = tl::unexpected(parameters.error());
        return delivered;
    }
    auto accounts = std::make_unique<Accounts>(std::move(stop));
    const SourceInput input{run.path, run.fileBytes, run.ranges, accounts.get()};
    {
        const auto source = run.type->create(*parameters);
        ThreadAccount opener(*accounts);
        delivered.status = source->prepare(input);
        if (delivered.status) {
            delivered.status = source->open(input);
        }
        if (delivered.status) {
            std::mutex mutex;
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < run.ranges.size(); ++i) {
                threads.emplace_back([&, i] {
                    ThreadAccount account(*accounts);
                    std::uint64_t bytes = 0;
                    bool equal = true;
                    auto status = consumeRange(run, *source, input, i, bytes, equal);
                    const std::scoped_lock lock(mutex);
                    delivered.bytes += bytes;
                    delivered.equal = delivered.equal && equal;
                    if (!status && delivered.status) {
                        delivered.status = status;
                    }
                });
            }
        }
        source->close();
        source->close();
        delivered.notes = source->notes();
    }
    std::vector<MappedRange> live(16);
    delivered.liveMappings = liveMappings(live);
    return delivered;
}

/// What `type` says of the file, looked at as the product does.
inline Availability availabilityOf(const SourceRun& run) {
    const auto facts = inspectFile(run.path);
    const auto parameters = parseParameters(run.type->parameters, run.parameters);
    if (!facts || !parameters) {
        return Availability::no("the test's file or parameters are wrong");
    }
    return run.type->availability(*facts, *parameters, {run.ranges.front().begin, run.ranges.back().end},
                                  static_cast<unsigned>(run.ranges.size()));
}

}  // namespace mmapscope::test
