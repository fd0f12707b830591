// What sampling costs a run: with and without, in pairs, in workers, on a resident file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/bench_support.h"
#include "run/cache_state.h"
#include "run/worker_client.h"
#include "study/random.h"
#include "study/statistics.h"

using namespace mmapscope;

namespace {

struct Options {
    std::string file;
    std::string source = "read";
    std::string workload;
    unsigned pairs = 40;
    std::uint64_t seed = 1;
};

Result<RunRequest> requestOf(const Options& options, const FileFacts& file) {
    const std::string id =
        options.workload.empty() ? std::string(suggestWorkload(file).id) : options.workload;
    const auto defaults = bench::defaultParameters(id);
    const auto arm = bench::armRequest(options.source);
    if (!defaults || !arm) {
        return tl::unexpected(defaults ? arm.error() : defaults.error());
    }
    const WorkloadType& workload = *findWorkload(id);
    auto parameters = workload.resolve(file, *defaults);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    auto ranges = workload.split(file, *parameters, file.bytes, 1);
    if (!ranges) {
        return tl::unexpected(ranges.error());
    }
    RunRequest request;
    request.path = file.path;
    request.stamp = file.stamp;
    request.ranges = std::move(*ranges);
    request.source = arm->source;
    request.sourceParameters = arm->sourceParameters;
    request.workload = id;
    request.workloadParameters = std::move(*parameters);
    return request;
}

struct Walls {
    std::vector<double> with, without, costs;
    std::size_t samples = 0;
};

Status onePair(const std::string& worker, RunRequest request, const FileFacts& file, bool withFirst,
               Walls& walls) {
    for (const bool sampling : {withFirst, !withFirst}) {
        const auto cache = prepareCache(file, {Bytes(0), file.bytes}, CacheState::resident, false, {});
        if (!cache) {
            return tl::unexpected(cache.error());
        }
        request.sampling = sampling;
        const RunRecord record = runInWorker(worker, request, [](std::span<const Sample>) {}, {});
        if (record.status != RunStatus::ok) {
            return fail(record.errorKind.value_or(ErrorKind::failed), record.error);
        }
        (sampling ? walls.with : walls.without).push_back(static_cast<double>(record.wall.count()));
        if (sampling) {
            walls.costs.push_back(record.sampling.costFraction);
            walls.samples += record.sampling.samples.size();
        }
    }
    return {};
}

int run(const Options& options) {
    const auto file = inspectFile(options.file);
    if (!file) {
        return bench::giveUp(file.error());
    }
    const auto request = requestOf(options, *file);
    const auto worker = findWorkerProgram();
    if (!request || !worker) {
        return bench::giveUp(request ? worker.error() : request.error());
    }
    Walls warmup, walls;
    SplitMix64 random(options.seed);
    for (unsigned pair = 0; pair < options.pairs + 2; ++pair) {
        const auto done = onePair(*worker, *request, *file, random.below(2) == 0, pair < 2 ? warmup : walls);
        if (!done) {
            return bench::giveUp(done.error());
        }
    }
    const auto ratio = pairedRatio(walls.without, walls.with, options.seed);
    if (!ratio) {
        return bench::giveUp({ErrorKind::usage, "at least 5 pairs are needed"});
    }
    // pairedRatio speaks of throughput; here the question is how much longer the wall time is.
    const double wallRatio = 1 / ratio->ratio;
    fmt::print("{} over {} ({}), {} pairs: wall with sampling over without: {:.4f} [{:.4f}–{:.4f}]\n",
               options.source, request->workload, options.file, options.pairs, wallRatio, 1 / ratio->high,
               1 / ratio->low);
    fmt::print(
        "median wall {:.2f} ms without, {:.2f} ms with; {} samples in all; reported cost: median {:.2f} %\n",
        median(walls.without) / 1e6, median(walls.with) / 1e6, walls.samples, median(walls.costs) * 100);
    const bool good = wallRatio > 0.99 && wallRatio < 1.01;
    fmt::print("{}\n", good ? "holds: within 1 %" : "does not hold: not within 1 %");
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("The cost of sampling");
    app.add_option("FILE", options.file)->required();
    app.add_option("--source", options.source)->capture_default_str();
    app.add_option("--workload", options.workload, "default: by the file's kind");
    app.add_option("--pairs", options.pairs)->capture_default_str()->check(CLI::Range(5U, 10000U));
    app.add_option("--seed", options.seed, "of the order within pairs")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return run(options);
}
