#include "report/study_file.h"

#include <fmt/format.h>

#include "core/text.h"
#include "report/study_text.h"

namespace mmapscope {

Status saveStudy(const Study& study, const std::string& path) {
    if (auto keeps = checkKeepsMeasured(path, study.plan.file); !keeps) {
        return keeps;
    }
    std::string text = studyToJson(study);
    if (path.ends_with(kStudySuffix)) {
        auto frame = compressed(text);
        if (!frame) {
            return tl::unexpected(frame.error());
        }
        text = std::move(*frame);
    }
    return writeFileAtomically(path, text);
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
