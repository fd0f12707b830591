#include "app/gui/study_export.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/text.h"
#include "study/study_files.h"

namespace mmapscope {

QString exportSuffix(ReportFormat format) {
    const std::string_view suffix = factsOf(format).suffix;
    return QString::fromLatin1(suffix.data(), static_cast<qsizetype>(suffix.size()));
}

Status exportStudy(const Study& study, std::string_view content, const std::string& path) {
    if (auto keeps = checkKeepsRead(path, study); !keeps) {
        return keeps;
    }
    return writeFileAtomically(path, content);
}

Status exportComparison(const std::vector<ComparedFile>& studies, std::string_view content,
                        const std::string& path) {
    for (const ComparedFile& study : studies) {
        if (!study.path.empty() && isSameFile(path, study.path)) {
            return fail(ErrorKind::usage,
                        fmt::format("{} is one of the studies and would be overwritten; choose another name",
                                    printable(path)));
        }
        if (auto keeps = checkKeepsRead(path, *study.named.study); !keeps) {
            return keeps;
        }
    }
    return writeFileAtomically(path, content);
}

}  // namespace mmapscope
