// How often studies of the same thing are told apart, and how often a study with one arm really made slower
// is: studies one after the other, compared as `mmapscope-cli compare` does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "bench/bench_support.h"
#include "bench/padded_study.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "run/worker_client.h"
#include "study/arm_figures.h"
#include "study/side_by_side.h"
#include "study/statistics.h"

using namespace mmapscope;

namespace {

constexpr std::uint32_t kPaddedArm = 2;
/// One in twenty may err: Holm's promise for a comparison as a whole.
constexpr std::size_t kWrongOneIn = 20;

struct Options {
    std::string file;
    std::string workload = "scan";
    std::string size = "64MiB";
    std::vector<std::string> sources{"read", "pread", "mmap", "mmap-sequential", "mmap-window"};
    unsigned pairs = 60;
    unsigned padded = 21;
    unsigned rounds = 15;
    double pad = 0.10;
    std::string walls;
};

using Sitting = std::shared_ptr<const Study>;
using Side = std::vector<Sitting>;

Result<StudyRequest> requestOf(const Options& options) {
    StudyRequest request;
    request.file = options.file;
    request.workload = options.workload;
    request.rounds = options.rounds;
    auto parameters = bench::defaultParameters(options.workload);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    request.workloadParameters = std::move(*parameters);
    for (const std::string& source : options.sources) {
        auto arm = bench::armRequest(source);
        if (!arm) {
            return tl::unexpected(arm.error());
        }
        request.arms.push_back(std::move(*arm));
    }
    auto worker = findWorkerProgram();
    if (!worker) {
        return tl::unexpected(worker.error());
    }
    request.workerProgram = std::move(*worker);
    return request;
}

/// `count` studies one after the other, each with that arm `pad` longer.
Result<Side> sittings(const StudyRequest& request, unsigned count, double pad) {
    Side all;
    for (unsigned i = 0; i < count; ++i) {
        auto study = bench::paddedStudy(request, kPaddedArm, pad);
        if (!study) {
            return tl::unexpected(study.error());
        }
        all.push_back(std::make_shared<const Study>(std::move(*study)));
        fmt::print(stderr, "\r{} of {} ", i + 1, count);
    }
    fmt::print(stderr, "\r");
    return all;
}

struct Tally {
    std::size_t comparisons = 0;
    std::size_t apart = 0;            ///< with any arm called faster or slower
    std::size_t found = 0;            ///< with the padded arm called slower
    std::size_t othersApart = 0;      ///< with another arm called faster or slower
    std::vector<double> lows, highs;  ///< of the padded arm's intervals
};

/// Compares the two sides and counts; tells of every arm that was told apart.
Status compare(const Side& first, const Side& other, Tally& tally, bool quiet) {
    std::vector<NamedStudy> studies;
    for (const auto& [name, side] : {std::pair("first", &first), {"other", &other}}) {
        for (const Sitting& sitting : *side) {
            studies.push_back({name, sitting});
        }
    }
    const auto compared = compareStudies(studies);
    if (!compared) {
        return tl::unexpected(compared.error());
    }
    if (!compared->sides[1].refusal.empty()) {
        return fail(ErrorKind::failed, compared->sides[1].refusal);
    }
    ++tally.comparisons;
    bool any = false;
    bool others = false;
    for (std::uint32_t row = 0; row < compared->rows.size(); ++row) {
        const ComparedArm& arm = compared->rows[row].sides[1];
        if (!arm.change) {
            return fail(ErrorKind::failed, fmt::format("{}: {}", compared->rows[row].id, arm.reason));
        }
        if (row == kPaddedArm) {
            tally.lows.push_back(arm.change->interval.low);
            tally.highs.push_back(arm.change->interval.high);
        }
        if (arm.change->verdict == Verdict::tied) {
            continue;
        }
        any = true;
        others = others || row != kPaddedArm;
        tally.found += row == kPaddedArm && arm.change->verdict == Verdict::slower ? 1 : 0;
        if (!quiet) {
            const RatioInterval& interval = arm.change->interval;
            fmt::print("  {} {}: {:.3f} [{:.3f}–{:.3f}]\n", compared->rows[row].id, name(arm.change->verdict),
                       interval.ratio, interval.low, interval.high);
        }
    }
    tally.apart += any ? 1 : 0;
    tally.othersApart += others ? 1 : 0;
    return {};
}

/// Sittings [from, from + count) of those.
Side part(const Side& all, std::size_t from, std::size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// Holds when at most one in twenty was told apart.
Result<bool> tellSame(const char* what, const Side& all, std::size_t aSide, std::size_t apart) {
    Tally tally;
    const std::size_t step = apart > aSide ? 1 : 2 * aSide;
    for (std::size_t i = 0; i + apart + aSide <= all.size(); i += step) {
        if (auto status = compare(part(all, i, aSide), part(all, i + apart, aSide), tally, false); !status) {
            return tl::unexpected(status.error());
        }
    }
    fmt::print("{}: {} of {} comparisons called an arm faster or slower\n", what, tally.apart,
               tally.comparisons);
    return tally.apart * kWrongOneIn <= tally.comparisons;
}

/// How often the slower arm was found: told, not judged, for that depends on how much this machine scatters.
Status tellPadded(const char* what, const Options& options, const Side& same, const Side& padded,
                  std::size_t aSide) {
    Tally tally;
    for (std::size_t i = 0; i + aSide <= padded.size(); i += aSide) {
        const Side first = part(same, same.size() - padded.size() + i, aSide);
        if (auto status = compare(first, part(padded, i, aSide), tally, true); !status) {
            return status;
        }
    }
    fmt::print(
        "{} made {:.0f} % longer, {}: called slower in {} of {}, others called in {}; median interval "
        "{:.3f}–{:.3f}\n",
        options.sources[kPaddedArm], options.pad * 100, what, tally.found, tally.comparisons,
        tally.othersApart, median(tally.lows), median(tally.highs));
    return {};
}

Status writeWalls(const std::string& path, const std::string& study, const Side& all) {
    std::string out = "study,sitting,arm,wall_ns\n";
    for (std::size_t sitting = 0; sitting < all.size(); ++sitting) {
        for (std::uint32_t arm = 0; arm < all[sitting]->arms.size(); ++arm) {
            std::string walls;
            for (const double wall : goodWalls(*all[sitting], arm)) {
                walls += fmt::format("{}{:.0f}", walls.empty() ? "" : " ", wall);
            }
            out += fmt::format("{},{},{},{}\n", study, sitting, all[sitting]->arms[arm].id, walls);
        }
    }
    return writeFileAtomically(path, out);
}

int run(const Options& options) {
    const auto request = requestOf(options);
    if (!request) {
        return bench::giveUp(request.error());
    }
    const auto same = sittings(*request, 2 * options.pairs, 0);
    const auto padded = sittings(*request, options.padded, options.pad);
    if (!same || !padded) {
        return bench::giveUp(same ? padded.error() : same.error());
    }
    if (!options.walls.empty()) {
        if (const auto written = writeWalls(options.walls, options.workload, *same); !written) {
            return bench::giveUp(written.error());
        }
    }
    // Too few to judge by, but told.
    if (const auto told = tellSame("three a side", *same, 3, 3); !told) {
        return bench::giveUp(told.error());
    }
    for (const auto& [what, aSide] : {std::pair("one a side", std::size_t{1}), {"three a side", 3}}) {
        if (const auto told = tellPadded(what, options, *same, *padded, aSide); !told) {
            return bench::giveUp(told.error());
        }
    }
    bool holds = true;
    for (const auto& told : {tellSame("one after the other", *same, 1, 1),
                             tellSame("the first half against the second", *same, 1, options.pairs)}) {
        if (!told) {
            return bench::giveUp(told.error());
        }
        holds = holds && *told;
    }
    fmt::print("{}\n", holds ? "holds: at most 5 % of equal studies told apart"
                             : "does not hold: more than 5 % of equal studies told apart");
    return holds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Studies of the same thing side by side");
    app.add_option("FILE", options.file, "default: a made file of --size, removed at the end");
    app.add_option("--size", options.size)->capture_default_str();
    app.add_option("--workload", options.workload)->capture_default_str();
    app.add_option("--sources", options.sources, "at least three; the third is what is made slower")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--pairs", options.pairs, "of equal studies")
        ->capture_default_str()
        ->check(CLI::Range(3U, 1000U));
    app.add_option("--padded", options.padded, "studies with one arm made slower")
        ->capture_default_str()
        ->check(CLI::Range(3U, 1000U));
    app.add_option("--pad", options.pad, "by this share of its wall time")->capture_default_str();
    app.add_option("--rounds", options.rounds)->capture_default_str()->check(CLI::Range(5U, 1000U));
    app.add_option("--walls", options.walls, "write what was measured here, as CSV");
    CLI11_PARSE(app, argc, argv);
    if (options.padded > 2 * options.pairs) {
        return bench::giveUp(
            {ErrorKind::usage, "--padded needs as many equal studies: at most twice --pairs"});
    }
    if (options.sources.size() <= kPaddedArm) {
        return bench::giveUp({ErrorKind::usage, "--sources needs three or more"});
    }
    if (!options.file.empty()) {
        return run(options);
    }
    const auto size = parseBytes(options.size);
    if (!size) {
        return bench::giveUp(size.error());
    }
    const bench::TemporaryCorpus corpus(*size);
    if (!corpus.made()) {
        return bench::giveUp(corpus.made().error());
    }
    options.file = corpus.path();
    return run(options);
}
