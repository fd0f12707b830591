#include "app/cli/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/publish/publish.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "report/study_file.h"
#include "report/summary_table.h"
#include "report/tables.h"
#include "study/study_files.h"

namespace mmapscope::cli {

Exit writeTo(const std::string& path, const std::string& content) {
    if (path == "-") {
        return print(content);
    }
    const auto status = writeFileAtomically(path, content);
    return status ? Exit::done : report(status.error());
}

Exit writeAll(const RunOptions& options, const std::shared_ptr<const Study>& study, const std::string& note) {
    Exit worst = Exit::done;
    const auto keep = [&](Exit e) { worst = worst == Exit::done ? e : worst; };
    for (const OutputOption& output : outputOptions()) {
        const std::string& path = options.*output.path;
        if (!path.empty()) {
            auto content = reportOf(study, output.format);
            if (content && output.format == ReportFormat::json) {
                content = asStudyFile(std::move(*content), path);
            }
            keep(content ? writeTo(path, *content) : report(content.error()));
        }
    }
    if (!options.writesToStandardOutput()) {
        keep(print(studyToText(*study) + (note.empty() ? "" : fmt::format("\nNote: {}\n", note))));
    }
    return worst;
}

Status checkOutputs(const RunOptions& options, const StudyRequest& asked) {
    // What another machine reads and writes is its own.
    const bool isHere = options.where.host.empty();
    const StudyRequest request = isHere ? asked : StudyRequest();
    const std::string read = isHere ? options.file : std::string();
    if (!options.html.empty()) {
        if (const auto drawing = checkDrawing(); !drawing) {
            return drawing;
        }
    }
    std::vector<NamedFile> outputs;
    for (const OutputOption& output : outputOptions()) {
        outputs.push_back({optionOf(output.format), options.*output.path});
    }
    const auto written = filesOf(request.workload, request.workloadParameters, FileRole::writes);
    for (const NamedFile& file : written) {
        if (auto keeps = checkKeepsRead(file.path, read, request.workload, request.workloadParameters);
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
            if (auto keeps = checkKeepsRead(path, read, request.workload, request.workloadParameters);
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
                return fail(ErrorKind::usage, writable.error().message);
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

Exit reportOutcome(const Study& study, bool tableIsAbove) {
    const auto first = [&](RunStatus status, std::string_view what) {
        const auto is = [&](const RunRecord& run) { return run.status == status; };
        const auto it = std::find_if(study.runs.begin(), study.runs.end(), is);
        if (it == study.runs.end()) {
            return false;
        }
        const auto count = std::count_if(study.runs.begin(), study.runs.end(), is);
        printError(tableIsAbove ? fmt::format("{} of {} runs {}: see \"Not ranked\" above", count,
                                              study.runs.size(), what)
                                : fmt::format("{} of {} runs {}; the first, of {}: {}", count,
                                              study.runs.size(), what, study.arms[it->arm].id, it->error));
        return true;
    };
    if (first(RunStatus::failed, "failed")) {
        return Exit::runFailed;
    }
    for (const auto& arm : study.summary) {
        if (arm.outcomesAgree == false) {
            printError(outcomeLine(study));
            return Exit::runFailed;
        }
    }
    return first(RunStatus::unavailable, "are not available here") ? Exit::unavailable : Exit::done;
}

}  // namespace mmapscope::cli
