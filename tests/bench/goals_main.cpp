// Every speed goal in one go: what this build reaches on this machine against the programs it is measured by.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "bench/bench_support.h"
#include "bench/goals_report.h"
#include "report/study_file.h"
#include "study/environment.h"

using namespace mmapscope;

namespace {

enum Exit { kAllMet = 0, kSomeMissed = 1, kUsage = 2, kSomeUnavailable = 3, kStopped = 130 };

/// Other programs take the second core from whoever needs two: from here on it is said.
constexpr double kBusy = 0.3;

struct Options {
    bench::Settings settings{std::filesystem::temp_directory_path().string()};
    std::string only, markdown;
    bool quick = false;
    bool list = false;
};

/// Turns what would end the program into a stop request, so that the files are removed. To be called before
/// there is any other thread, which all inherit the mask.
std::stop_token stopOnSignals() {
    static std::stop_source source;
    static sigset_t watched;
    sigemptyset(&watched);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&watched, number);
    }
    pthread_sigmask(SIG_BLOCK, &watched, nullptr);
    std::thread([] {
        for (int number = 0;; sigwait(&watched, &number)) {
            if (number != 0) {
                source.request_stop();
            }
        }
    }).detach();
    return source.get_token();
}

std::string conditionsOf(const Options& options) {
    std::string text;
    if (const auto self = inspectFile("/proc/self/exe")) {
        const Environment here = readEnvironment(*self);
        text = fmt::format("{}, {} cores{}, Linux {}, libzstd {}, OpenSSL {}", here.cpu, here.cores,
                           here.virtualMachine ? " (" + *here.virtualMachine + ")" : "", here.kernel,
                           here.libzstd, here.openssl);
    }
    double load = 0;
    if (::getloadavg(&load, 1) == 1) {
        text += fmt::format("; load average at the start {:.2f}", load);
    }
    return text + fmt::format("; {} rounds{}{}", options.settings.rounds,
                              options.settings.cpuTime ? ", CPU time" : "",
                              options.quick ? ", quick: files too small for figures to be trusted" : "");
}

void list(const std::vector<bench::Group>& groups) {
    for (const bench::Group& group : groups) {
        fmt::print("{}\n", group.title);
        for (const bench::Goal& goal : group.goals) {
            fmt::print("  {} / {}: at least {}\n", goal.numerator.label(), goal.denominator.label(),
                       goal.least);
        }
    }
}

/// On a terminal one line that is written over; else nothing, so that a log stays readable.
void say(const std::string& what) {
    if (::isatty(STDERR_FILENO) == 1) {
        fmt::print(stderr, "\r\033[K{}", what);
    }
}

int report(const Options& options, const std::vector<bench::Group>& groups,
           const std::vector<bench::GroupTimes>& times, const std::string& conditions) {
    std::size_t met = 0;
    std::size_t missed = 0;
    std::size_t unavailable = 0;
    std::vector<std::vector<bench::GoalResult>> results;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        results.push_back(judge(groups[i], times[i], options.settings.seed));
        fmt::print("{}", tableOf(groups[i].title, results.back()));
        for (const bench::GoalResult& result : results.back()) {
            ++(!result.ratio ? unavailable : result.met() ? met : missed);
        }
    }
    fmt::print("\n{} met, {} missed, {} not available here\n", met, missed, unavailable);
    if (!options.markdown.empty()) {
        const auto written = writeFileAtomically(options.markdown, markdownOf(groups, results, conditions));
        if (!written) {
            return bench::giveUp(written.error());
        }
    }
    return missed > 0 ? kSomeMissed : unavailable > 0 ? kSomeUnavailable : kAllMet;
}

int run(const Options& options) {
    const auto stop = stopOnSignals();
    const auto groups = matching(bench::goalTable(options.quick), options.only);
    if (groups.empty()) {
        return bench::giveUp({ErrorKind::usage, "no goal matches '" + options.only + "' (see --list)"});
    }
    if (options.list) {
        list(groups);
        return kAllMet;
    }
    const std::string conditions = conditionsOf(options);
    fmt::print("{}\n", conditions);
    double load = 0;
    if (::getloadavg(&load, 1) == 1 && load > kBusy) {
        fmt::print("Warning: this machine is busy; what needs both cores will look slower than it is.\n");
    }
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    const auto times = bench::measure(groups, options.settings, stop, say);
    say("");
    if (!times) {
        const int status = bench::giveUp(times.error());
        return times.error().kind == ErrorKind::cancelled ? kStopped : status;
    }
    const int status = report(options, groups, *times, conditions);
    fmt::print("{:.0f} s in all\n",
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Every speed goal, measured in interleaved rounds");
    app.footer("Exit status: 0 all goals met; 1 some missed; 3 some not available here; 130 stopped.");
    app.add_option("--rounds", options.settings.rounds)->capture_default_str()->check(CLI::Range(1U, 1000U));
    app.add_option("--only", options.only, "goals whose title or contestants match (may hold * and ?)");
    app.add_option("--markdown", options.markdown, "also write the table to this file");
    app.add_option("--dir", options.settings.folder,
                   "where the files are made, about 6 GiB; removed at the end")
        ->capture_default_str()
        ->check(CLI::ExistingDirectory);
    app.add_option("--seed", options.settings.seed, "of the order within rounds")->capture_default_str();
    app.add_flag(
        "--cpu-time", options.settings.cpuTime,
        "compare CPU time, not wall time: for a busy machine; says nothing of threads, waiting and fio");
    app.add_flag("--quick", options.quick, "smaller files: to see that all works");
    app.add_flag("--list", options.list, "only name the goals");
    CLI11_PARSE(app, argc, argv);
    return run(options);
}
