// The files of a measurement, in a folder that goes with them.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "bench/goals.h"
#include "core/result.h"
#include "probe/file_facts.h"

namespace mmapscope::bench {

class Corpora {
  public:
    /// A new folder in `parent`. Error: failed.
    [[nodiscard]] static Result<Corpora> create(const std::string& parent);
    Corpora(Corpora&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    Corpora(const Corpora&) = delete;
    Corpora& operator=(const Corpora&) = delete;
    ~Corpora();

    /// Makes the file unless it is there already. Error: as makeCorpus, inspectFile.
    [[nodiscard]] Result<FileFacts> file(const Corpus& corpus, const std::stop_token& stop);
    /// A name that no file has.
    [[nodiscard]] std::string newName();

  private:
    explicit Corpora(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_;
    unsigned names_ = 0;
};

}  // namespace mmapscope::bench
