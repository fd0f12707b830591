#include "app/gui/study_export.h"

#include "report/study_file.h"
#include "report/tables.h"
#include "study/study_files.h"

namespace mmapscope {

std::string exportText(const Study& study, ExportFormat format) {
    switch (format) {
        case ExportFormat::runsCsv:
            return runsToCsv(study);
        case ExportFormat::summaryCsv:
            return summaryToCsv(study);
        case ExportFormat::markdown:
            return studyToMarkdown(study);
        case ExportFormat::json:
            return studyToJson(study);
    }
    return {};
}

QString exportSuffix(ExportFormat format) {
    switch (format) {
        case ExportFormat::runsCsv:
        case ExportFormat::summaryCsv:
            return QStringLiteral("csv");
        case ExportFormat::markdown:
            return QStringLiteral("md");
        case ExportFormat::json:
            return QStringLiteral("json");
    }
    return {};
}

Status exportStudy(const Study& study, ExportFormat format, const std::string& path) {
    if (auto keeps = checkKeepsRead(path, study); !keeps) {
        return keeps;
    }
    return writeFileAtomically(path, exportText(study, format));
}

}  // namespace mmapscope
