#include "run/group_report.h"

#include "core/text.h"
#include "probe/fields.h"

namespace mmapscope {

std::optional<std::uint64_t> groupNumber(const std::optional<std::string>& text, std::string_view key) {
    if (!text) {
        return std::nullopt;
    }
    if (key.empty()) {
        return parseUnsigned(trimmed(*text));
    }
    Lines lines(*text);
    while (const auto line = lines.next()) {
        Fields fields(*line);
        if (fields.next() == key) {
            return parseUnsigned(fields.next());
        }
    }
    return std::nullopt;
}

CapReport groupReport(const GroupFiles& files, int version, const std::string& directory) {
    CapReport report;
    const auto events = files.read(directory + (version == 1 ? "/memory.oom_control" : "/memory.events"));
    report.outOfMemory = groupNumber(events, "oom_kill").value_or(0) > 0;
    const char* const peakFile = version == 1 ? "/memory.max_usage_in_bytes" : "/memory.peak";
    if (const auto peak = groupNumber(files.read(directory + peakFile))) {
        report.peak = Bytes(*peak);
    }
    const auto stat = files.read(directory + "/memory.stat");
    if (const auto file = groupNumber(stat, version == 1 ? "cache" : "file")) {
        report.fileBytes = Bytes(*file);
    }
    return report;
}

}  // namespace mmapscope
