#include "workload/tick_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "workload/input_file.h"
#include "workload/tick_detect.h"

namespace mmapscope {
namespace {

/// Lines longer than this make a file that can neither be split nor cut: 256 times what a row may have.
constexpr Bytes kLineEndSearch = mib(16);

Result<std::string> readHead(const FileFacts& file) {
    const auto input = InputFile::open(file.path);
    if (!input) {
        return tl::unexpected(input.error());
    }
    std::string head(std::min(file.bytes, kTickHead).size(), '\0');
    const auto got = input->readAt(Bytes(0), std::as_writable_bytes(std::span(head)));
    if (!got) {
        return tl::unexpected(got.error());
    }
    head.resize(*got);
    return head;
}

Error named(const FileFacts& file, Error error) {
    if (error.kind == ErrorKind::input) {
        error.message = fmt::format("{}: {}", printable(file.path), error.message);
    }
    return error;
}

/// Where the line that holds byte `at` ends (behind its line feed), or `end`. Nothing when the search went on
/// for kLineEndSearch without finding either.
Result<std::optional<Bytes>> lineEnd(const InputFile& input, Bytes at, Bytes end) {
    std::string block(kib(64).size(), '\0');
    const Bytes stop = std::min(end, at + kLineEndSearch);
    for (Bytes offset = at; offset < stop;) {
        const std::size_t wanted = std::min(block.size(), (stop - offset).size());
        const auto got = input.readAt(offset, std::as_writable_bytes(std::span(block.data(), wanted)));
        if (!got) {
            return tl::unexpected(got.error());
        }
        if (*got == 0) {
            return end;  // shrank; the run itself finds that out
        }
        const std::size_t feed = std::string_view(block.data(), *got).find('\n');
        if (feed != std::string_view::npos) {
            return offset + Bytes(feed + 1);
        }
        offset += Bytes(*got);
    }
    return stop == end ? std::optional(end) : std::nullopt;
}

}  // namespace

Result<Parameters> resolveTickFile(const FileFacts& file, const Parameters& parameters) {
    const auto bytes = readHead(file);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    auto resolved = resolveTicks({*bytes, bytes->size() >= file.bytes.size()}, parameters);
    return resolved ? std::move(resolved) : tl::unexpected(named(file, resolved.error()));
}

Result<Bytes> fitTickLimit(const FileFacts& file, const Parameters&, Bytes limit) {
    if (limit >= file.bytes || limit.isZero()) {
        return std::min(limit, file.bytes);
    }
    const auto input = InputFile::open(file.path);
    if (!input) {
        return tl::unexpected(input.error());
    }
    const auto end = lineEnd(*input, limit - Bytes(1), file.bytes);
    if (!end) {
        return tl::unexpected(end.error());
    }
    if (!*end) {
        return fail(ErrorKind::input,
                    fmt::format("{}: no line end within {} of byte {}, so it can't be cut there; give "
                                "another limit",
                                printable(file.path), formatBytes(kLineEndSearch), limit.count()));
    }
    return **end;
}

Result<std::vector<Range>> splitTickFile(const FileFacts& file, const Parameters&, Bytes limit,
                                         unsigned threads) {
    std::vector<Range> ranges;
    ranges.reserve(threads);
    std::optional<InputFile> input;
    Bytes begin;
    for (unsigned i = 1; i <= threads; ++i) {
        Bytes cut = limit;
        const Bytes target(static_cast<std::uint64_t>(static_cast<Uint128>(limit.count()) * i / threads));
        if (i < threads && target > Bytes(0) && begin < limit) {
            if (!input) {
                auto opened = InputFile::open(file.path);
                if (!opened) {
                    return tl::unexpected(opened.error());
                }
                input = std::move(*opened);
            }
            const auto end = lineEnd(*input, target - Bytes(1), limit);
            if (!end) {
                return tl::unexpected(end.error());
            }
            cut = std::max(begin, end->value_or(limit));
        } else if (i < threads) {
            cut = begin;
        }
        ranges.push_back({begin, cut});
        begin = cut;
    }
    return ranges;
}

std::string describeTickFile(const FileFacts& file, const Parameters& parameters) {
    const auto bytes = readHead(file);
    if (!bytes) {
        return {};
    }
    const TickHead head{*bytes, bytes->size() >= file.bytes.size()};
    const auto asGiven = detectTicks(head, parameters);
    if (!asGiven) {
        return {};
    }
    // Resolved parameters don't tell how they came about: where detection would choose the same, its reason
    // says more than "as asked for".
    Parameters open = parameters;
    open["schema"] = "auto";
    const auto chosen = detectTicks(head, open);
    const bool same = chosen && !asGiven->schema.name.empty() && chosen->schema.name == asGiven->schema.name;
    return describeTicks(same ? *chosen : *asGiven);
}

Outcome tickOutcome(const TickSchema& schema, const TickTotals& totals) {
    Outcome out;
    out.fields.emplace_back("rows", totals.rows);
    out.fields.emplace_back("rejected", totals.rejected);
    if (totals.rejected > 0) {
        Outcome reject;
        reject.fields.emplace_back("offset", totals.firstReject.offset);
        reject.fields.emplace_back("reason", describeReject(schema, totals.firstReject));
        out.fields.emplace_back("first_reject", std::move(reject));
    }
    Outcome sums;
    const TickPlan plan = makeTickPlan(schema);
    for (std::size_t i = 0; i < plan.columns; ++i) {
        const TickPlan::Step step = plan.steps[i];
        const TickKind kind = step.kind;
        if (kind == TickKind::time || kind == TickKind::text || kind == TickKind::skip) {
            continue;
        }
        const Int128 fraction = kind == TickKind::decimal ? totals.sums[step.slot + 1U] : 0;
        sums.fields.emplace_back(schema.columns[i].name, decimalText(totals.sums[step.slot], fraction));
    }
    out.fields.emplace_back("sums", std::move(sums));
    if (plan.hasClock && totals.rows > 0) {
        out.fields.emplace_back("first_time", static_cast<std::uint64_t>(totals.firstTime));
        out.fields.emplace_back("last_time", static_cast<std::uint64_t>(totals.lastTime));
    }
    return out;
}

}  // namespace mmapscope
