// How often a study errs: the same arm twice, then the same arm twice with one of them really 3 % slower.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "bench/bench_support.h"
#include "bench/padded_study.h"
#include "core/text.h"
#include "run/worker_client.h"
#include "study/statistics.h"

using namespace mmapscope;

namespace {

struct Options {
    std::string file;
    std::string source = "read";
    std::string workload = "scan";
    /// Runs of some 20 ms: much shorter ones scatter by several percent even on a quiet machine.
    std::string size = "192MiB";
    unsigned repetitions = 200;
    unsigned padded = 40;
    unsigned rounds = 15;
    double pad = 0.03;
    bool inProcess = false;
};

Result<StudyRequest> requestOf(const Options& options) {
    StudyRequest request;
    request.file = options.file;
    request.workload = options.workload;
    const auto parameters = bench::defaultParameters(options.workload);
    const auto arm = bench::armRequest(options.source);
    if (!parameters || !arm) {
        return tl::unexpected(parameters ? arm.error() : parameters.error());
    }
    request.workloadParameters = *parameters;
    request.arms = {*arm, *arm};
    request.rounds = options.rounds;
    request.isolation = options.inProcess ? Isolation::inProcess : Isolation::worker;
    if (!options.inProcess) {
        auto worker = findWorkerProgram();
        if (!worker) {
            return tl::unexpected(worker.error());
        }
        request.workerProgram = *worker;
    }
    return request;
}

/// The verdict on the second arm, whose runs take `pad` of their wall time longer.
Result<ArmSummary> oneStudy(const StudyRequest& request, double pad) {
    return bench::paddedStudy(request, 1, pad).map([](const Study& study) { return study.summary[1]; });
}

struct Tally {
    std::map<std::string_view, unsigned> verdicts;
    std::vector<double> widths, ratios;
};

Result<Tally> repeat(const StudyRequest& request, double pad, unsigned times) {
    Tally tally;
    for (unsigned i = 0; i < times; ++i) {
        const auto summary = oneStudy(request, pad);
        if (!summary) {
            return tl::unexpected(summary.error());
        }
        ++tally.verdicts[name(summary->verdict)];
        tally.ratios.push_back(*summary->ratio);
        tally.widths.push_back(*summary->ratioHigh - *summary->ratioLow);
        fmt::print(stderr, "\r{} of {} ", i + 1, times);
    }
    fmt::print(stderr, "\r");
    return tally;
}

void print(const char* what, const Tally& tally, unsigned times) {
    fmt::print("{}: {} studies:", what, times);
    for (const auto& [verdict, count] : tally.verdicts) {
        fmt::print(" {} {}", verdict, count);
    }
    fmt::print("; median ratio {:.4f}, median width of its interval {:.2f} %\n", median(tally.ratios),
               median(tally.widths) * 100);
}

int run(const Options& options) {
    const auto request = requestOf(options);
    if (!request) {
        return bench::giveUp(request.error());
    }
    bool good = true;
    if (options.repetitions > 0) {
        auto same = repeat(*request, 0, options.repetitions);
        if (!same) {
            return bench::giveUp(same.error());
        }
        print("the same arm twice", *same, options.repetitions);
        const unsigned wrong = options.repetitions - same->verdicts[name(Verdict::tied)];
        good = wrong * 50 <= options.repetitions;  // 2 %
    }
    if (options.padded > 0) {
        auto slower = repeat(*request, options.pad, options.padded);
        if (!slower) {
            return bench::giveUp(slower.error());
        }
        print(fmt::format("one of them {:.1f} % longer", options.pad * 100).c_str(), *slower, options.padded);
        good = good && slower->verdicts[name(Verdict::slower)] * 2 > options.padded;
    }
    fmt::print("{}\n",
               good ? "holds: at most 2 % wrong verdicts, more than half of the padded studies found"
                    : "does not hold: more than 2 % wrong verdicts, or half of the padded studies missed");
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Studies of one arm against itself");
    app.add_option("FILE", options.file, "default: a made file of --size, removed at the end");
    app.add_option("--size", options.size)->capture_default_str();
    app.add_option("--source", options.source)->capture_default_str();
    app.add_option("--workload", options.workload)->capture_default_str();
    app.add_option("--repetitions", options.repetitions, "studies of equal arms")->capture_default_str();
    app.add_option("--padded", options.padded, "studies with one arm made slower")->capture_default_str();
    app.add_option("--pad", options.pad, "by this share of its wall time")->capture_default_str();
    app.add_option("--rounds", options.rounds)->capture_default_str()->check(CLI::Range(5U, 1000U));
    app.add_flag("--in-process", options.inProcess);
    CLI11_PARSE(app, argc, argv);
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
