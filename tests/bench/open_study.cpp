// How long a study with a million samples takes to open and to save, and how much memory that needs.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "core/text.h"
#include "report/study_file.h"
#include "study/random.h"
#include "study/statistics.h"

using namespace mmapscope;

namespace {

constexpr std::uint32_t kRuns = 60;
constexpr double kGoalSeconds = 1;
constexpr Bytes kGoalMemory = mib(200);

/// Figures that move as they do in a run: some at every look, most seldom.
Sample sampleAt(std::uint64_t look, SplitMix64& random) {
    Sample sample;
    sample.tNs = static_cast<std::int64_t>(look * 1'000'000 + random.next() % 60'000);
    sample.bytesIn = look * 3'000'000 + random.next() % 200'000;
    sample.bytesOut = 0;
    sample.minorFaults = look * 46 + random.next() % 3;
    sample.majorFaults = look / 1000;
    sample.rssAnon = 900'000 + (look / 500) * 4096;
    sample.rssFile = 2'000'000 + look * 2'900'000;
    sample.rssShmem = 0;
    sample.hugetlb = 0;
    sample.pageTables = 90'000 + look / 40 * 4096;
    sample.poolFree = sample.poolTotal = 0;
    sample.storageRead = 0;
    sample.thpEligible = 0;
    sample.anonHuge = sample.shmemPmdMapped = sample.privateHugetlb = sample.sharedHugetlb = sample.locked =
        0;
    sample.filePmdMapped = look / 10 * (2U << 20U);
    sample.mappedSize = 256U << 20U;
    sample.mappedRss = look / 10 * 29'000'000;
    sample.kernelPage = sample.mmuPage = 4096;
    sample.vmFlags = 0x55;
    sample.voluntarySwitches = look / 20;
    sample.involuntarySwitches = look / 300;
    sample.pressureMemoryUs = 0;
    sample.pressureIoUs = look / 50 * 3;
    sample.workingsetRefaults = 0;
    sample.tlbShootdowns = look / 10 + random.next() % 2;
    return sample;
}

Study largeStudy(std::uint64_t samples) {
    constexpr std::uint32_t kArms = 4;
    SplitMix64 random(1);
    Study study;
    study.plan.file = "/data/file";
    study.plan.fileBytes = gib(2);
    study.plan.workload = "scan";
    for (std::uint32_t arm = 0; arm < kArms; ++arm) {
        study.arms.push_back({fmt::format("mmap#{}", arm), "mmap", {}, "scan", {}, 1});
    }
    for (std::uint32_t i = 0; i < kRuns; ++i) {
        RunRecord run;
        run.arm = i % kArms;
        run.round = i / kArms;
        run.status = RunStatus::ok;
        run.wall = std::chrono::seconds(17);
        run.bytesIn = gib(2);
        for (std::uint64_t look = 0; look < samples / kRuns; ++look) {
            run.sampling.samples.push_back(sampleAt(look, random));
        }
        study.runs.push_back(std::move(run));
    }
    study.complete = true;
    summarize(study);
    return study;
}

struct Cost {
    double seconds = 0;
    Bytes memory;
    bool good = false;
};

/// In a process of its own, so that its peak is this work's alone.
template <class Work>
Cost costOf(Work work) {
    int pipe[2];
    if (::pipe(pipe) != 0) {
        return {};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        rusage before{}, after{};
        ::getrusage(RUSAGE_SELF, &before);
        const auto start = std::chrono::steady_clock::now();
        Cost cost;
        cost.good = work();
        cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        ::getrusage(RUSAGE_SELF, &after);
        cost.memory = kib(static_cast<std::uint64_t>(after.ru_maxrss - before.ru_maxrss));
        ::_exit(::write(pipe[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
    }
    ::close(pipe[1]);
    Cost cost;
    if (::read(pipe[0], &cost, sizeof cost) != sizeof cost) {
        cost = {};
    }
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    return cost;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t samples = 1'000'000;
    std::string folder = std::filesystem::temp_directory_path();
    CLI::App app("Opening a large study");
    app.add_option("--samples", samples, "In all runs together")->capture_default_str();
    app.add_option("--folder", folder, "Where the study is written")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    bool met = true;
    for (const char* suffix : {".mmapscope", ".json"}) {
        const std::string path = fmt::format("{}/mmapscope-bench-open-{}{}", folder, ::getpid(), suffix);
        const Cost saved = costOf([&] { return saveStudy(largeStudy(samples), path).has_value(); });
        std::error_code ignored;
        const auto size = std::filesystem::file_size(path, ignored);
        const Cost opened = costOf([&] {
            const auto study = loadStudy(path);
            std::uint64_t read = 0;
            for (const RunRecord& run : study ? study->runs : std::vector<RunRecord>()) {
                read += run.sampling.samples.size();
            }
            return read > 0 && read + kRuns > samples;
        });
        std::filesystem::remove(path, ignored);
        const bool good =
            saved.good && opened.good && opened.seconds < kGoalSeconds && opened.memory < kGoalMemory;
        met = met && good;
        fmt::print("{} samples, {} of {}: opened in {:.2f} s with {} (goal {} s, {}): {}\n", samples,
                   formatBytes(Bytes(size)), suffix, opened.seconds, formatBytes(opened.memory), kGoalSeconds,
                   formatBytes(kGoalMemory),
                   !opened.good ? "FAILED"
                   : good       ? "met"
                                : "missed");
    }
    return met ? 0 : 1;
}
