// What every test needs that holds all sources to one outcome: inputs, verdicts, and the comparison. The
// registries drive it, so a new source, workload or parameter is covered without a change here.
#pragma once

#include <zstd.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/execute.h"
#include "run/record_json.h"
#include "run_support.h"

namespace mmapscope::test {

enum class Kind { bytes, ticks, zstd, zstdOfTicks };
/// zstdOfTicks is for a parameter alone (`then=ticks`).
inline constexpr Kind kKinds[] = {Kind::bytes, Kind::ticks, Kind::zstd};

inline const char* name(Kind kind) {
    return kind == Kind::bytes   ? "bytes"
           : kind == Kind::ticks ? "ticks"
           : kind == Kind::zstd  ? "zstd"
                                 : "zstd of ticks";
}

/// 4 KiB of noise and 4 KiB of 0xAB in turn.
inline std::string makeBytes(std::uint64_t size) {
    static const std::string noise = randomBytes(1U << 20U);
    std::string bytes;
    bytes.reserve(size + 8192);
    for (std::size_t at = 0; bytes.size() < size; at += 4096) {
        bytes.append(noise, at % noise.size(), 4096);
        bytes.append(4096, '\xAB');
    }
    bytes.resize(size);
    return bytes;
}

/// Cut wherever the size says: the last row may be half a row, which must be the same half for all.
inline std::string makeTicks(std::uint64_t size) {
    std::string text;
    text.reserve(size + 64);
    for (std::uint64_t row = 0; text.size() < size; ++row) {
        text += fmt::format("{},{}.{:02},0.{:05},{}\n", 1700000000000U + row * 3, 40000 + row % 977,
                            row % 100, row * 7919 % 100000, row % 2 == 0 ? 'B' : 'S');
    }
    text.resize(size);
    return text;
}

/// Two frames with their sizes, so that it can be split.
inline std::string makeZstd(const std::string& content) {
    std::string file;
    const std::size_t middle = content.size() / 2;
    for (const std::string_view half :
         {std::string_view(content).substr(0, middle), std::string_view(content).substr(middle)}) {
        std::string frame(ZSTD_compressBound(half.size()), '\0');
        frame.resize(ZSTD_compress(frame.data(), frame.size(), half.data(), half.size(), 1));
        file += frame;
    }
    return file;
}

/// `size` is that of the content.
inline std::string makeInput(Kind kind, std::uint64_t size) {
    switch (kind) {
        case Kind::bytes:
            return makeBytes(size);
        case Kind::ticks:
            return makeTicks(size);
        case Kind::zstd:
            return makeZstd(makeBytes(size));
        case Kind::zstdOfTicks:
            return makeZstd(makeTicks(size));
    }
    return {};
}

/// The inputs a test has asked for, each written once into one directory.
class Inputs {
  public:
    explicit Inputs(std::string directory) : directory_(std::move(directory)) {}

    const std::string& operator()(Kind kind, std::uint64_t size) {
        std::string& path = paths_[{kind, size}];
        if (path.empty()) {
            path = fmt::format("{}/{}-{}", directory_, name(kind), size);
            writeFile(path, makeInput(kind, size));
        }
        return path;
    }

  private:
    std::string directory_;
    std::map<std::pair<Kind, std::uint64_t>, std::string> paths_;
};

/// What a run came to, as far as strategies must agree on it.
struct Verdict {
    RunStatus status = RunStatus::failed;
    std::optional<ErrorKind> kind;
    Json outcome;
    std::string reason;

    [[nodiscard]] bool refused() const { return status == RunStatus::unavailable && !reason.empty(); }
};

inline Verdict runRequest(const Result<RunRequest>& asked) {
    if (!asked) {
        const bool unavailable = asked.error().kind == ErrorKind::unavailable;
        return {unavailable ? RunStatus::unavailable : RunStatus::failed,
                asked.error().kind,
                {},
                asked.error().message};
    }
    RunRequest request = *asked;
    request.phase = Phase::inspection;  // with the digests
    request.sampling = false;
    const RunRecord r = executeRun(request, nullptr, {});
    return {r.status, r.errorKind, r.outcome ? outcomeToJson(*r.outcome) : Json(), r.error};
}

inline Verdict runOne(const std::string& path, const SourceType& source, const WorkloadType& workload,
                      unsigned threads, std::string_view workloadText = {}, std::string_view sourceText = {},
                      std::optional<Bytes> limit = {}) {
    return runRequest(requestFor(path, std::string(source.id), std::string(workload.id), threads, sourceText,
                                 workloadText, limit));
}

/// Key by key over the keys both have, as a study compares: a digest of the whole needs one thread.
inline bool outcomesAgree(const Json& a, const Json& b) {
    bool common = a.is_null() && b.is_null();
    for (const auto& item : a.items()) {
        if (b.contains(item.key())) {
            common = true;
            if (b[item.key()] != item.value()) {
                return false;
            }
        }
    }
    return common;
}

inline bool agree(const Verdict& a, const Verdict& b) {
    return a.status == b.status && a.kind == b.kind && outcomesAgree(a.outcome, b.outcome);
}

inline std::string describe(const Verdict& v) {
    return v.status == RunStatus::ok
               ? dumpJson(v.outcome)
               : fmt::format("{} ({}): {}", mmapscope::name(v.status),
                             v.kind ? mmapscope::name(*v.kind) : std::string_view("?"), v.reason);
}

/// The input a workload is made for: the one it is suggested for, else the first it can work on.
inline Kind inputFor(const WorkloadType& workload, Inputs& inputs) {
    constexpr std::uint64_t kSome = 65537;
    for (const Kind kind : kKinds) {
        const auto facts = inspectFile(inputs(kind, kSome));
        if (facts && suggestWorkload(*facts).id == workload.id) {
            return kind;
        }
    }
    for (const Kind kind : kKinds) {
        if (runOne(inputs(kind, kSome), *allSources().front(), workload, 1).status == RunStatus::ok) {
            return kind;
        }
    }
    return Kind::bytes;
}

}  // namespace mmapscope::test
