#include "report/study_file.h"

#include <fmt/format.h>

#include "core/text.h"
#include "report/study_text.h"

namespace mmapscope {

Result<std::string> asStudyFile(std::string json, std::string_view path) {
    if (!path.ends_with(kStudySuffix)) {
        return json;
    }
    return compressed(json);
}

Status saveStudy(const Study& study, const std::string& path) {
    if (auto keeps = checkKeepsMeasured(path, study.plan.file); !keeps) {
        return keeps;
    }
    const auto content = asStudyFile(studyToJson(study), path);
    return content ? writeFileAtomically(path, *content) : Status(tl::unexpected(content.error()));
}

Result<Study> loadStudy(const std::string& path) {
    const auto read = [&](bool sparing) -> Result<Study> {
        auto text = readStudyText(path, kMostStudyText);
        if (!text) {
            return tl::unexpected(text.error());
        }
        auto study = sparing ? studyFromJson(text->view(), [&](std::size_t upTo) { text->release(upTo); })
                             : studyFromJson(text->view());
        if (!study) {
            return fail(study.error().kind, fmt::format("{}: {}", printable(path), study.error().message));
        }
        return study;
    };
    auto study = read(true);
    // Read with all its text at hand, so that what is wrong is told by where it is.
    return study ? std::move(study) : read(false);
}

}  // namespace mmapscope
