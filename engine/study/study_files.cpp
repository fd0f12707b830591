#include "study/study_files.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/text.h"
#include "workload/workload.h"

namespace mmapscope {

std::vector<NamedFile> filesOf(const std::string& workload, const Parameters& parameters, FileRole role) {
    std::vector<NamedFile> files;
    const WorkloadType* type = findWorkload(workload);
    if (type == nullptr) {
        return files;
    }
    for (const ParameterSpec& spec : type->parameters) {
        const std::string& path = textOf(parameters, spec.name);
        if (spec.file == role && !path.empty()) {
            files.push_back({fmt::format("{}=", spec.name), path});
        }
    }
    return files;
}

Status checkKeepsRead(const std::string& path, const std::string& measured, const std::string& workload,
                      const Parameters& parameters) {
    if (auto keeps = checkKeepsMeasured(path, measured); !keeps) {
        return keeps;
    }
    for (const NamedFile& file : filesOf(workload, parameters, FileRole::reads)) {
        if (isSameFile(path, file.path)) {
            return fail(ErrorKind::usage,
                        fmt::format("{} is the file that {} reads and would be overwritten; "
                                    "choose another name",
                                    printable(path), file.by));
        }
    }
    return {};
}

Status checkKeepsRead(const std::string& path, const Study& study) {
    Status keeps = checkKeepsMeasured(path, study.plan.file);
    for (const Arm& arm : study.arms) {
        if (keeps) {
            keeps = checkKeepsRead(path, study.plan.file, arm.workload, arm.workloadParameters);
        }
    }
    return keeps;
}

}  // namespace mmapscope
