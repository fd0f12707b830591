// The options of `run`, and the study they ask for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/host_options.h"
#include "core/result.h"
#include "report/formats.h"
#include "study/study_runner.h"

namespace CLI {
class App;
}

namespace mmapscope::cli {

struct RunOptions {
    std::string file;
    std::string workload;              ///< id[:parameters]; empty: by the file's kind
    std::vector<std::string> sources;  ///< id[:parameters] each; empty: by the storage
    std::vector<unsigned> threads;     ///< empty: 1, or by the storage when `sources` is empty too
    std::optional<unsigned> rounds;
    unsigned warmups = 1;
    std::optional<std::uint64_t> seed;
    std::string cache = "warm";
    std::string limit;
    std::string baseline;
    std::string pin;
    bool inProcess = false;
    bool noSamples = false;
    bool noWhy = false;
    std::optional<std::string> memoryCap;
    bool traceFaults = false;
    bool quiet = false;
    HostOptions where;
    std::string json, csv, summaryCsv, markdown, latex, html;

    /// All of `run`.
    void addTo(CLI::App& command);
    /// What `run` and `sweep` share: workload, arms, rounds, cache, cap, and the files to write.
    void addCommonTo(CLI::App& command);
    [[nodiscard]] bool writesToStandardOutput() const;
};

/// A file to write in one of reportFormats(); the option has the format's name.
struct OutputOption {
    ReportFormat format;
    std::string RunOptions::*path;
};
[[nodiscard]] std::span<const OutputOption> outputOptions();
/// "--summary-csv"
[[nodiscard]] std::string optionOf(ReportFormat format);

/// What was not asked for but chosen, in words.
struct Chosen {
    std::string because;  ///< one line: what, and what speaks for it; empty when all was named
    std::string hint;     ///< a parameter worth adding to the workload that was chosen; mostly empty
};

/// What isn't named is chosen by what `host` says of the file. Error: usage, input or unavailable, in one
/// line.
[[nodiscard]] Result<StudyRequest> studyRequest(const RunOptions& options, Host& host, Chosen& chosen);

}  // namespace mmapscope::cli
