#include "bench/goals_corpora.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "core/text.h"

namespace mmapscope::bench {

Result<Corpora> Corpora::create(const std::string& parent) {
    std::string pattern = (std::filesystem::path(parent) / "mmapscope-goals-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        return failErrno(ErrorKind::failed, "making a folder in " + printable(parent), errno);
    }
    return Corpora(pattern);
}

Corpora::~Corpora() {
    if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
}

Result<FileFacts> Corpora::file(const Corpus& corpus, const std::stop_token& stop) {
    const std::string path = (folder_ / corpus.name).string();
    if (!std::filesystem::exists(path)) {
        CorpusRequest request = corpus.request;
        request.out = path;
        if (const auto made = makeCorpus(request, stop); !made) {
            return tl::unexpected(made.error());
        }
    }
    return inspectFile(path);
}

std::string Corpora::newName() {
    return (folder_ / fmt::format("output-{}", ++names_)).string();
}

}  // namespace mmapscope::bench
