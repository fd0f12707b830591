#include "app/gui/study_export.h"

#include "core/atomic_file.h"
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

}  // namespace mmapscope
