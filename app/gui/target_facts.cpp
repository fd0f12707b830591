#include "app/gui/target_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "core/unique_fd.h"
#include "report/study_file.h"
#include "report/study_text.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr std::size_t kResidencySteps = 256;
constexpr std::uint64_t kMostPages = std::uint64_t{1} << 20U;  ///< of 4 KiB: 4 GiB are looked at whole
constexpr unsigned kFolioPlaces = 64;
/// The format's name is the first key of a study file, and a zstd block, of which nothing can be had before
/// it is whole, has at most 128 KiB.
constexpr std::size_t kSniffed = 160U << 10U;

}  // namespace

Result<TargetFacts> inspectTarget(const std::string& path) {
    auto file = inspectInput(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    TargetFacts facts{std::move(*file), {}, {}};
    const WorkloadType& workload = suggestWorkload(facts.file);
    facts.workload = workload.id;
    if (const auto defaults = parseParameters(workload.parameters, "")) {
        if (const auto resolved = workload.resolve(facts.file, *defaults)) {
            facts.description = workload.describe(facts.file, *resolved);
        }
    }
    return facts;
}

bool looksLikeStudy(const std::string& path) {
    if (path.ends_with(kStudySuffix)) {
        return true;
    }
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    std::string bytes(kSniffed, '\0');
    const ssize_t count = fd ? ::pread(fd.get(), bytes.data(), bytes.size(), 0) : 0;
    const std::string_view head(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    return beginsAsStudy(head);
}

Result<ResidencyNow> lookAtResidency(const FileFacts& file) {
    const auto whole = residencyOf(file, {Bytes(0), file.bytes});
    if (!whole) {
        return tl::unexpected(whole.error());
    }
    return residencyPicture(file, kResidencySteps, kMostPages).map([&](ResidencyPicture&& picture) {
        return ResidencyNow{*whole, std::move(picture.shares)};
    });
}

Result<FolioLook> lookAtFolioSizes(const FileFacts& file) {
    return lookAtFolios(file, {Bytes(0), file.bytes}, kFolioPlaces);
}

}  // namespace mmapscope
