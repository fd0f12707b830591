// Files and requests for tests that execute runs.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <QTest>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "run/run_record.h"
#include "source/source.h"
#include "workload/workload.h"

namespace mmapscope::test {

inline std::string randomBytes(std::size_t count, std::uint64_t seed = 1) {
    std::mt19937_64 generator(seed);
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; i += 8) {
        const std::uint64_t word = generator();
        bytes.replace(i, std::min<std::size_t>(8, count - i), reinterpret_cast<const char*>(&word),
                      std::min<std::size_t>(8, count - i));
    }
    return bytes;
}

inline std::string writeFile(const std::string& path, std::string_view content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) {
        qFatal("can't write %s", path.c_str());
    }
    return path;
}

/// What a study would ask for; what can't be asked for is an error, as there.
inline Result<RunRequest> requestFor(const std::string& path, const std::string& source,
                                     const std::string& workload, unsigned threads = 1,
                                     std::string_view sourceText = {}, std::string_view workloadText = {},
                                     std::optional<Bytes> limit = {}) {
    const auto file = inspectInput(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const SourceType* sourceType = findSource(source);
    const WorkloadType* workloadType = findWorkload(workload);
    if (sourceType == nullptr || workloadType == nullptr) {
        return fail(ErrorKind::usage, "no such source or workload");
    }
    RunRequest request;
    request.path = file->path;
    request.stamp = file->stamp;
    request.members = file->members;
    request.source = source;
    request.workload = workload;
    auto sourceParameters = parseParameters(sourceType->parameters, sourceText);
    auto workloadParameters = parseParameters(workloadType->parameters, workloadText);
    if (!sourceParameters || !workloadParameters) {
        return tl::unexpected(sourceParameters ? workloadParameters.error() : sourceParameters.error());
    }
    request.sourceParameters = std::move(*sourceParameters);
    auto resolved = resolveFor(*workloadType, *file, *workloadParameters);
    if (!resolved) {
        return tl::unexpected(resolved.error());
    }
    request.workloadParameters = std::move(*resolved);
    auto end = limit ? workloadType->fitLimit(*file, request.workloadParameters, *limit)
                     : Result<Bytes>(file->bytes);
    if (!end) {
        return tl::unexpected(end.error());
    }
    auto ranges = workloadType->split(*file, request.workloadParameters, *end, threads);
    if (!ranges) {
        return tl::unexpected(ranges.error());
    }
    request.ranges = std::move(*ranges);
    return request;
}

inline RunRequest mustRequest(const std::string& path, const std::string& source, const std::string& workload,
                              unsigned threads = 1, std::string_view sourceText = {}) {
    auto request = requestFor(path, source, workload, threads, sourceText);
    if (!request) {
        qFatal("%s", request.error().message.c_str());
    }
    return *request;
}

/// Descriptors and mappings of this process: what a run must leave as it found it.
struct Holdings {
    std::size_t descriptors = 0;
    std::size_t mappingsOfFile = 0;
    std::size_t threads = 0;
    friend bool operator==(const Holdings&, const Holdings&) = default;
};

inline Holdings holdings(const std::string& path) {
    namespace fs = std::filesystem;
    Holdings now;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        ++now.descriptors;
    }
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/task")) {
        ++now.threads;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        now.mappingsOfFile += line.find(path) != std::string::npos ||
                                      line.find("/anon_hugepage") != std::string::npos ||
                                      line.find("memfd:") != std::string::npos
                                  ? 1U
                                  : 0U;
    }
    return now;
}

}  // namespace mmapscope::test
