// How fast each scanner reads each known schema, held against a loop that finds every line feed with memchr
// on the same bytes: once on more bytes than a cache holds, once on few that stay in it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <ctime>
#include <functional>

#include "bench/bench_support.h"
#include "corpus/content.h"
#include "study/statistics.h"
#include "workload/tick_lines.h"
#include "workload/tick_scanner.h"

using namespace mmapscope;

namespace {

struct Options {
    unsigned size = 128;
    unsigned hot = 1;
    unsigned rounds = 9;
    std::string schema;
};

/// Whole rows without a header, kTickPadding readable bytes behind them.
struct Rows {
    std::string bytes;
    std::size_t length = 0;

    [[nodiscard]] std::string_view text() const { return {bytes.data(), length}; }
};

Result<Rows> rowsOf(const TickSchema& schema, Bytes size) {
    CorpusRequest request;
    request.kind = CorpusKind::ticks;
    request.size = size;
    request.schema = schema.name;
    auto content = makeContent(request);
    if (!content) {
        return tl::unexpected(content.error());
    }
    Rows rows;
    rows.bytes.reserve(size.size() + kTickPadding);
    for (auto block = (*content)->next(); !block.empty(); block = (*content)->next()) {
        rows.bytes.append(block.data(), block.size());
    }
    if (schema.usualHeader) {
        rows.bytes.erase(0, rows.bytes.find('\n') + 1);
    }
    rows.length = rows.bytes.size();
    rows.bytes.append(kTickPadding, '\0');
    return rows;
}

std::uint64_t countFeeds(std::string_view text) {
    std::uint64_t feeds = 0;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
        const auto* feed = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        if (feed == nullptr) {
            break;
        }
        ++feeds;
        p = feed + 1;
    }
    return feeds;
}

/// The bytes brought into the core and nothing done with them but a sum: what memory allows.
std::uint64_t readOnly(std::string_view text) {
    std::array<std::uint64_t, 8> sums{};
    for (std::size_t at = 0; at + sizeof sums <= text.size(); at += sizeof sums) {
        std::array<std::uint64_t, 8> words;
        std::memcpy(words.data(), text.data() + at, sizeof words);
        for (std::size_t i = 0; i < words.size(); ++i) {
            sums[i] += words[i];
        }
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t part : sums) {
        sum ^= part;
    }
    return sum;
}

struct Contestant {
    std::string name;
    /// Takes the text so many times.
    std::function<std::uint64_t(std::string_view, unsigned)> run;
    std::vector<double> seconds{};
};

/// This thread's alone: what others do on the same cores disturbs less.
double cpuSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double timeOf(const Contestant& one, std::string_view text, unsigned times) {
    static volatile std::uint64_t sink = 0;
    const double start = cpuSeconds();
    sink = sink + one.run(text, times);
    return (cpuSeconds() - start) / times;
}

/// A loop over bytes alone.
template <class Function>
Contestant plain(std::string name, Function function) {
    return {std::move(name), [function](std::string_view text, unsigned times) {
                std::uint64_t sum = 0;
                for (unsigned i = 0; i < times; ++i) {
                    sum += function(text);
                }
                return sum;
            }};
}

std::vector<Contestant> contestants(const TickPlan& plan) {
    std::vector<Contestant> all{plain("memchr", countFeeds), plain("read only", readOnly)};
    for (const TickScanner* scanner : tickScanners()) {
        if (!scanner->supported(plan)) {
            continue;
        }
        all.push_back({std::string(scanner->name), [&plan, scanner](std::string_view text, unsigned times) {
                           TickLines lines(plan, false, Bytes(1), *scanner);
                           for (unsigned i = 0; i < times; ++i) {
                               (void)lines.consume(text);
                           }
                           lines.finish();
                           return lines.totals().rows;
                       }});
    }
    return all;
}

void compare(const TickPlan& plan, const TickSchema& schema, std::string_view text, bool hot,
             unsigned rounds) {
    auto all = contestants(plan);
    const unsigned times = hot ? 200 : 1;
    for (unsigned round = 0; round <= rounds; ++round) {
        for (Contestant& one : all) {
            const double seconds = timeOf(one, text, times);
            if (round > 0) {  // the first is to warm up
                one.seconds.push_back(seconds);
            }
        }
    }
    const double rows = static_cast<double>(countFeeds(text));
    const double base = median(all.front().seconds);
    for (const Contestant& one : all) {
        const double seconds = median(one.seconds);
        std::vector<double> ratios;
        for (std::size_t i = 0; i < rounds; ++i) {
            ratios.push_back(all.front().seconds[i] / one.seconds[i]);
        }
        fmt::print("{:26} {:6} {:10} {:8.2f} {:8.2f} {:8.2f} {:9.1f}\n", schema.name,
                   hot ? "cached" : "memory", one.name, static_cast<double>(text.size()) / seconds / 1e9,
                   base / seconds, median(ratios), seconds * 1e9 / rows);
    }
}

Status run(const Options& options) {
    fmt::print("{:26} {:6} {:10} {:>8} {:>8} {:>8} {:>9}\n", "schema", "bytes", "who", "GB/s", "x memchr",
               "paired", "ns/row");
    for (const TickSchema& schema : knownTickSchemas()) {
        if (!options.schema.empty() && schema.name != options.schema) {
            continue;
        }
        const TickPlan plan = makeTickPlan(schema);
        for (const bool hot : {false, true}) {
            const auto rows = rowsOf(schema, mib(hot ? options.hot : options.size));
            if (!rows) {
                return tl::unexpected(rows.error());
            }
            compare(plan, schema, rows->text(), hot, options.rounds);
        }
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Tick CSV scanners against memchr for line feeds."};
    Options options;
    app.add_option("--size", options.size, "MiB that don't fit a cache")->capture_default_str();
    app.add_option("--hot", options.hot, "MiB that do")->capture_default_str();
    app.add_option("--rounds", options.rounds)->capture_default_str()->check(CLI::Range(1, 1000));
    app.add_option("--schema", options.schema, "one known schema instead of all");
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    return status ? 0 : bench::giveUp(status.error());
}
