#include "app/cli/outputs.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/text.h"
#include "report/study_file.h"
#include "report/tables.h"
#include "study/study_files.h"

namespace mmapscope::cli {
namespace {

/// One of the files asked for; "-" is standard output.
Exit writeTo(const std::string& path, const std::string& content) {
    if (path.empty()) {
        return Exit::done;
    }
    if (path == "-") {
        return print(content);
    }
    const auto status = writeFileAtomically(path, content);
    return status ? Exit::done : report(status.error());
}

}  // namespace

Exit writeAll(const RunOptions& options, const Study& study, const std::string& note) {
    Exit worst = Exit::done;
    const auto keep = [&](Exit e) { worst = e == Exit::done ? worst : e; };
    keep(writeTo(options.json, options.json.empty() ? std::string() : studyToJson(study)));
    keep(writeTo(options.csv, options.csv.empty() ? std::string() : runsToCsv(study)));
    keep(writeTo(options.summaryCsv, options.summaryCsv.empty() ? std::string() : summaryToCsv(study)));
    keep(writeTo(options.markdown, options.markdown.empty() ? std::string() : studyToMarkdown(study)));
    if (!options.writesToStandardOutput()) {
        keep(print(studyToText(study) + (note.empty() ? "" : fmt::format("\nNote: {}\n", note))));
    }
    return worst;
}

Status checkOutputs(const RunOptions& options, const StudyRequest& request) {
    const NamedFile outputs[] = {{"--json", options.json},
                                 {"--csv", options.csv},
                                 {"--summary-csv", options.summaryCsv},
                                 {"--markdown", options.markdown}};
    const auto written = filesOf(request.workload, request.workloadParameters, FileRole::writes);
    for (const NamedFile& file : written) {
        if (auto keeps =
                checkKeepsRead(file.path, options.file, request.workload, request.workloadParameters);
            !keeps) {
            return keeps;
        }
    }
    for (const auto& [option, path] : outputs) {
        if (path.empty()) {
            continue;
        }
        const bool toStandardOutput = path == "-";
        if (!toStandardOutput) {
            if (auto keeps = checkKeepsRead(path, options.file, request.workload, request.workloadParameters);
                !keeps) {
                return keeps;
            }
            for (const NamedFile& file : written) {
                if (isSameFile(path, file.path) && isReplacedWhenWritten(path)) {
                    return fail(ErrorKind::usage,
                                fmt::format("{} and {} both write to {}; give one another name", option,
                                            file.by, printable(path)));
                }
            }
            if (auto writable = checkWritable(path); !writable) {
                return writable;
            }
        }
        for (const auto& [other, otherPath] : outputs) {
            if (&otherPath == &path) {
                break;
            }
            if (otherPath.empty() || !isReplacedWhenWritten(path)) {
                continue;
            }
            if (toStandardOutput ? otherPath == "-" : otherPath != "-" && isSameFile(path, otherPath)) {
                return fail(ErrorKind::usage,
                            fmt::format("{} and {} both write to {}; give one another name", other, option,
                                        toStandardOutput ? "standard output" : printable(path)));
            }
        }
    }
    return {};
}

}  // namespace mmapscope::cli
