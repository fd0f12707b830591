// What the bench commands share.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/parameters.h"
#include "corpus/corpus.h"
#include "source/source.h"
#include "study/study_runner.h"
#include "workload/workload.h"

namespace mmapscope::bench {

/// Prints the error and gives the exit status.
inline int giveUp(const Error& error) {
    fmt::print(stderr, "{}\n", error.message);
    return 2;
}

/// A corpus of pseudo-random bytes, removed at the end.
class TemporaryCorpus {
  public:
    explicit TemporaryCorpus(Bytes size)
        : path_(std::filesystem::temp_directory_path() / fmt::format("mmapscope-bench-{}", ::getpid())) {
        CorpusRequest request;
        request.size = size;
        request.out = path_.string();
        made_ = makeCorpus(request, {});
    }
    ~TemporaryCorpus() { std::filesystem::remove(path_, ignored_); }
    TemporaryCorpus(const TemporaryCorpus&) = delete;
    TemporaryCorpus& operator=(const TemporaryCorpus&) = delete;

    [[nodiscard]] const Result<Bytes>& made() const { return made_; }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
    std::error_code ignored_;
    Result<Bytes> made_ = Bytes(0);
};

/// One arm named as on the command line: "read", "read:256KiB".
inline Result<ArmRequest> armRequest(std::string_view text) {
    const std::size_t colon = text.find(':');
    const SourceType* type = findSource(text.substr(0, colon));
    if (type == nullptr) {
        return fail(ErrorKind::usage, fmt::format("no source \"{}\"", text));
    }
    auto parameters =
        parseParameters(type->parameters, colon == std::string_view::npos ? "" : text.substr(colon + 1));
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    return ArmRequest{std::string(type->id), std::move(*parameters), 1};
}

inline Result<Parameters> defaultParameters(const std::string& workload) {
    const WorkloadType* type = findWorkload(workload);
    if (type == nullptr) {
        return fail(ErrorKind::usage, fmt::format("no workload \"{}\"", workload));
    }
    return parseParameters(type->parameters, "");
}

}  // namespace mmapscope::bench
