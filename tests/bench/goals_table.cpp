// The table of goals. A new goal is one line here.
#include <fmt/format.h>

#include <algorithm>

#include "bench/goals.h"
#include "core/text.h"
#include "workload/tick_scanner.h"

namespace mmapscope::bench {
namespace {

using Kind = Contestant::Kind;

Contestant arm(std::string workload, std::string source, unsigned threads = 1) {
    return {Kind::arm, std::move(workload), std::move(source), threads};
}
Contestant inMemory(std::string workload, unsigned threads = 1) {
    return arm(std::move(workload), "memory", threads);
}
Contestant bare(std::string name) {
    return {Kind::bare, std::move(name)};
}
Contestant fio(std::string options, std::string shown) {
    return {Kind::fio, std::move(options), {}, 1, std::move(shown)};
}
Contestant zstdProgram() {
    return {Kind::command, "zstd -dc {}", {}, 1, "zstd -dc FILE > /dev/null"};
}
Contestant mktorrent() {
    return {Kind::command, "mktorrent -t 2 -l 18 -o {new} {}", {}, 1, "mktorrent -t 2"};
}
Contestant dd() {
    return {Kind::command, "dd if={} bs=256K of=/dev/null", {}, 1, "dd bs=256K of=/dev/null"};
}

/// Sizes of the files, smaller for a quick look.
class Sizes {
  public:
    explicit Sizes(bool quick) : divisor_(quick ? 8 : 1) {}
    [[nodiscard]] CorpusRequest bytes(Bytes size) const { return of(CorpusKind::bytes, size); }
    [[nodiscard]] CorpusRequest zstd(Bytes size) const { return of(CorpusKind::zstd, size); }
    [[nodiscard]] CorpusRequest ticks(Bytes size, std::string schema = "generic") const {
        auto request = of(CorpusKind::ticks, size);
        request.schema = std::move(schema);
        return request;
    }
    [[nodiscard]] CorpusRequest zstdTicks(Bytes size, unsigned frames) const {
        auto request = ticks(size);
        request.compressed = true;
        request.frames = frames;
        return request;
    }

  private:
    [[nodiscard]] CorpusRequest of(CorpusKind kind, Bytes size) const {
        CorpusRequest request;
        request.kind = kind;
        request.size = size / divisor_;
        return request;
    }
    std::uint64_t divisor_;
};

constexpr auto kStream = "zstd";
constexpr auto kRing = "zstd:engine=ring";
constexpr auto kEvp = "pieces:engine=evp";
constexpr auto kMulti = "pieces:engine=multi";

void addZstd(std::vector<Group>& table, const Sizes& sizes) {
    const CorpusRequest synthetic = sizes.zstd(mib(256));
    const Contestant baseline = arm(kStream, "read:64KiB");
    table.push_back({"zstd, synthetic {}, warm (large folios)",
                     {"synthetic.zst", synthetic},
                     CacheState::warm,
                     3,
                     {{arm(kRing, "mmap"), baseline, 1.40, inMemory(kRing)},
                      {arm(kRing, "mmap"), inMemory(kRing), 0.85},
                      {arm(kStream, "mmap"), inMemory(kStream), 0.85}}});
    table.push_back({"zstd, synthetic {}, warm-small (4 KiB folios)",
                     {"synthetic-small.zst", synthetic},
                     CacheState::warmSmall,
                     3,
                     {{arm(kStream, "read-thread"), baseline, 1.25, inMemory(kStream)},
                      {arm(kStream, "mmap-prefetch:how=populate"), baseline, 1.25, inMemory(kStream)}}});

    Group ticks{"zstd, ticks {}, one frame, warm",
                {"ticks.zst", sizes.zstdTicks(gib(1), 1)},
                CacheState::warm,
                1,
                {}};
    for (const auto* const engine : {kStream, kRing}) {
        for (const auto* const source :
             {"read:64KiB", "mmap", "mmap-populate", "mmap-window", "read-thread"}) {
            ticks.goals.push_back({arm(engine, source), zstdProgram(), 1.00, inMemory(engine)});
            ticks.goals.push_back({arm(engine, source), inMemory(engine), 0.97});
        }
    }
    table.push_back(std::move(ticks));

    Group frames{"zstd, ticks {}, 16 frames, warm",
                 {"frames.zst", sizes.zstdTicks(gib(1), 16)},
                 CacheState::warm,
                 1,
                 {}};
    for (const auto& [engine, source] : {std::pair{kStream, "read:64KiB"}, std::pair{kRing, "mmap"}}) {
        frames.goals.push_back({arm(engine, source, 2), arm(engine, source), 1.95, inMemory(engine, 2)});
    }
    table.push_back(std::move(frames));
}

void addPieces(std::vector<Group>& table, const Sizes& sizes) {
    table.push_back(
        {"pieces of 256 KiB, {}, warm",
         {"pieces.bin", sizes.bytes(gib(1))},
         CacheState::warm,
         1,
         {{arm(kEvp, "mmap"), inMemory(kEvp), 0.98},
          {arm(kEvp, "mmap", 2), inMemory(kEvp, 2), 0.98},
          {arm(kEvp, "mmap", 2), mktorrent(), 1.10, inMemory(kEvp, 2)},
          {arm(kMulti, "mmap-window", 2), mktorrent(), 4.50, inMemory(kMulti, 2)},
          {arm(kMulti, "mmap-window", 2), inMemory(kMulti, 2), 0.90},
          {arm(kMulti, "mmap-window", 2), arm(kMulti, "mmap-window"), 1.90, inMemory(kMulti, 2)}}});
}

/// What a scanner of that name must reach against memchr, on any schema and on the generic one.
struct ScannerGoal {
    std::string_view scanner;
    double anySchema;
    double generic;
};
constexpr ScannerGoal kScannerGoals[] = {
    {"avx512", 0.80, 1.25}, {"avx2", 0.35, 0.35}, {"portable", 0.25, 0.25}};

void addTicks(std::vector<Group>& table, const Sizes& sizes) {
    const Contestant memchr{Kind::buffer, "memchr for line feeds"};
    const Contestant sum{Kind::buffer, "sum of words"};
    for (const TickSchema& schema : knownTickSchemas()) {
        Group group{fmt::format("ticks {{}} in memory, one core, {}", schema.name),
                    {schema.name, sizes.ticks(mib(256), schema.name), true},
                    CacheState::asis,
                    2,
                    {}};
        for (const ScannerGoal& goal : kScannerGoals) {
            const double least = schema.name == "generic" ? goal.generic : goal.anySchema;
            group.goals.push_back({{Kind::scanner, std::string(goal.scanner)}, memchr, least, sum});
        }
        table.push_back(std::move(group));
    }
    table.push_back({"ticks, generic {}, warm",
                     {"ticks.csv", sizes.ticks(gib(1))},
                     CacheState::warm,
                     2,
                     {{arm("ticks", "mmap"), inMemory("ticks"), 0.90},
                      {arm("ticks", "mmap", 2), inMemory("ticks", 2), 0.90},
                      {arm("ticks", "mmap", 2), arm("ticks", "mmap"), 1.90, inMemory("ticks", 2)}}});
    table.push_back(
        {"ticks against a CSV library, generic {}, warm",
         {"library.csv", sizes.ticks(mib(256))},
         CacheState::warm,
         1,
         {{arm("ticks", "mmap"), arm("csv-library", "mmap"), 15, inMemory("ticks")},
          {arm("ticks", "read:256KiB"), arm("csv-library", "read:256KiB"), 15, inMemory("ticks")}}});
}

void addScan(std::vector<Group>& table, const Sizes& sizes) {
    const Contestant scan = arm("scan", "read:256KiB");
    const Contestant reads = bare("read 256 KiB");
    table.push_back({"scan, {}, warm",
                     {"scan.bin", sizes.bytes(gib(2))},
                     CacheState::warm,
                     1,
                     {{scan, dd(), 0.95, reads},
                      {scan, fio("--ioengine=sync --bs=256k --invalidate=0 --loops=4", "fio sync bs=256k"),
                       0.85, reads}}});
    table.push_back({"the runner itself, {}, warm",
                     {"runner.bin", sizes.bytes(mib(256))},
                     CacheState::warm,
                     8,
                     {{scan, bare("read 256 KiB, sum"), 0.99},
                      {arm("touch:stride=1TiB", "read:256KiB"), reads, 0.99},
                      {arm("scan", "mmap"), bare("mmap, sum"), 0.99}}});
    // fio takes the bytes and leaves them: what it reaches is what the storage gives.
    const auto peer = [](const char* block, int depth, int direct) {
        return fio(
            fmt::format("--ioengine=io_uring --fixedbufs=1 --bs={} --iodepth={} --direct={}", block, depth,
                        direct),
            fmt::format("fio io_uring bs={} iodepth={}{}", block, depth, direct == 1 ? " direct" : ""));
    };
    table.push_back(
        {"scan, {}, cold",
         {"cold.bin", sizes.bytes(gib(1))},
         CacheState::cold,
         1,
         {{arm("scan", "io-uring:256KiB,depth=8,direct=yes"), peer("256k", 8, 1), 0.97, peer("256k", 8, 1)},
          {arm("scan", "io-uring:256KiB,depth=8"), peer("256k", 8, 0), 0.97, peer("256k", 8, 0)},
          {arm("scan", "direct:1MiB,depth=2"), peer("1M", 2, 1), 0.97, peer("1M", 2, 1)}}});
}

}  // namespace

std::vector<Group> goalTable(bool quick) {
    const Sizes sizes(quick);
    std::vector<Group> table;
    addZstd(table, sizes);
    addPieces(table, sizes);
    addTicks(table, sizes);
    addScan(table, sizes);
    for (Group& group : table) {
        // As the file is, which the quick look makes smaller.
        const std::string size = formatBytes(group.corpus.request.size);
        group.title.replace(group.title.find("{}"), 2, size);
    }
    return table;
}

}  // namespace mmapscope::bench
