// Running a workload over a file's bytes in chosen pieces and threads, as a run would.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/text.h"
#include "probe/file_facts.h"
#include "workload/workload.h"

namespace mmapscope::testing {

/// A file with these bytes in a folder of its own.
class TestFile {
  public:
    explicit TestFile(const QByteArray& bytes, const QString& name = QStringLiteral("input.bin"))
        : bytes_(bytes) {
        QFile file(folder_.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
            qFatal("can't write the test's input");
        }
        file.close();
        name_ = name.toStdString();
        path_ = folder_.filePath(name).toStdString();
    }

    [[nodiscard]] FileFacts facts() const { return inspectFile(path_).value(); }
    [[nodiscard]] const QByteArray& bytes() const { return bytes_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] QString folder() const { return folder_.path(); }

  private:
    QTemporaryDir folder_;
    QByteArray bytes_;
    std::string name_;
    std::string path_;
};

/// Resolved parameters of `pieces`, for what is made without its registry entry.
inline Parameters piecesParameters(Bytes piece) {
    return {{"piece", formatBytesExact(piece)}, {"name", "n"}, {"engine", "multi"}, {"torrent", ""}};
}

struct RunOptions {
    std::string parameters = {};
    std::size_t span = SIZE_MAX;
    unsigned threads = 1;
    bool digest = false;
    bool resolve = true;  ///< false: as if resolve had let the file through
    Bytes limit = Bytes(UINT64_MAX);
    std::stop_token stop = {};
};

/// Feeds `bytes` in spans of `span` bytes, each in an allocation of its own so that a sanitizer sees a read
/// past it.
[[nodiscard]] inline Status feed(Workload& workload, std::span<const std::byte> bytes, std::size_t span) {
    while (!bytes.empty()) {
        const std::size_t length = std::min(bytes.size(), span);
        if (length == bytes.size()) {
            return workload.consume(bytes);
        }
        const std::vector<std::byte> copy(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
        if (auto status = workload.consume(copy); !status) {
            return status;
        }
        bytes = bytes.subspan(length);
    }
    return {};
}

[[nodiscard]] inline Result<Outcome> runWorkload(const WorkloadType& type, const TestFile& file,
                                                 const RunOptions& options) {
    const FileFacts facts = file.facts();
    auto parameters = parseParameters(type.parameters, options.parameters);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    if (options.resolve) {
        parameters = type.resolve(facts, *parameters);
        if (!parameters) {
            return tl::unexpected(parameters.error());
        }
    }
    const Bytes limit = std::min(options.limit, facts.bytes);
    const auto ranges = type.split(facts, *parameters, limit, options.threads);
    if (!ranges) {
        return tl::unexpected(ranges.error());
    }
    if (ranges->size() != options.threads || ranges->front().begin != Bytes(0) ||
        ranges->back().end != limit) {
        return fail(ErrorKind::failed, "the split doesn't cover the range");
    }
    const auto all =
        std::as_bytes(std::span(file.bytes().constData(), static_cast<std::size_t>(file.bytes().size())));
    std::vector<std::unique_ptr<Workload>> workloads;
    std::vector<Workload*> pointers;
    Bytes end;
    for (const Range& range : *ranges) {
        if (range.begin != end || range.end < range.begin) {
            return fail(ErrorKind::failed, "the ranges don't touch");
        }
        end = range.end;
        auto made =
            type.create(*parameters, {range, {Bytes(0), limit}, file.name(), options.digest, options.stop});
        if (!made) {
            return tl::unexpected(made.error());
        }
        const auto part = all.subspan(range.begin.size(), range.length().size());
        if (auto status = feed(**made, part, options.span); !status) {
            return tl::unexpected(status.error());
        }
        if (auto status = (*made)->finish(); !status) {
            return tl::unexpected(status.error());
        }
        pointers.push_back(made->get());
        workloads.push_back(std::move(*made));
    }
    return pointers.front()->outcome(pointers);
}

[[nodiscard]] inline std::string textOf(const Outcome& outcome) {
    std::string text;
    for (const auto& [key, value] : outcome.fields) {
        text += key + "=";
        if (const auto* number = std::get_if<std::uint64_t>(&value.data)) {
            text += fmt::format("{}", *number);
        } else if (const auto* word = std::get_if<std::string>(&value.data)) {
            text += *word;
        } else {
            text += "{" + textOf(std::get<Outcome>(value.data)) + "}";
        }
        text += " ";
    }
    return text;
}

/// One line for comparing and for failure messages.
[[nodiscard]] inline std::string textOf(const Result<Outcome>& result) {
    return result ? textOf(*result)
                  : fmt::format("{}: {}", mmapscope::name(result.error().kind), result.error().message);
}

[[nodiscard]] inline QByteArray randomBytes(std::size_t size, std::uint32_t seed) {
    std::mt19937 random(seed);
    QByteArray bytes(static_cast<qsizetype>(size), Qt::Uninitialized);
    for (char& c : bytes) {
        c = static_cast<char>(random());
    }
    return bytes;
}

/// Half random, half repeated, so that it compresses and has literals too.
[[nodiscard]] inline QByteArray mixedBytes(std::size_t size, std::uint32_t seed) {
    QByteArray bytes = randomBytes(size, seed);
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        if ((i / 4096) % 2 == 1) {
            bytes[i] = static_cast<char>(0xAB);
        }
    }
    return bytes;
}

}  // namespace mmapscope::testing
