// Every source over every workload where files lie and programs run in practice: FUSE with and without a page
// cache of its own, filesystems in memory, sparse files, odd ends, little address space, no huge pages, no
// io_uring, no O_DIRECT. The outcome is that of an ordinary file, or the source says why it can't.
#include <sys/resource.h>
#include <sys/syscall.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>

#include "differential.h"
#include "support/child.h"
#include "support/forbid.h"
#include "support/mounts.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kSize = 2 * kMiB + 12345;

/// Content with long runs of zeros that begin and end inside pages.
std::string withZeros(Kind kind) {
    if (kind == Kind::zstd) {
        // A skippable frame (RFC 8878, 3.1.2) of 1 MiB between two frames.
        std::string skipped("\x50\x2A\x4D\x18\x00\x00\x10\x00", 8);
        return makeZstd(makeBytes(kMiB)) + skipped + std::string(kMiB, '\0') + makeZstd(makeBytes(70001));
    }
    std::string content = makeInput(kind, kSize);
    content.replace(100001, kMiB, kMiB, '\0');
    content.replace(content.size() - 300007, 300007, 300007, '\0');
    return content;
}

/// Whole blocks of zeros become holes.
void writeSparse(const std::string& path, std::string_view content) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    for (std::size_t at = 0; fd && at < content.size(); at += 4096) {
        const std::string_view block = content.substr(at, 4096);
        if (block.find_first_not_of('\0') != std::string_view::npos &&
            ::pwrite(fd.get(), block.data(), block.size(), static_cast<off_t>(at)) !=
                static_cast<ssize_t>(block.size())) {
            qFatal("can't write %s", path.c_str());
        }
    }
    if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(content.size())) != 0) {
        qFatal("can't write %s", path.c_str());
    }
}

/// Virtual size of this process (statm, proc(5)).
std::uint64_t addressSpace() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t pages = 0;
    statm >> pages;
    return pages * pageSize().count();
}

}  // namespace

class TestPlaces : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    Inputs ordinary_{makeDirectory("ordinary")};
    bool ownMounts_ = false;
    std::optional<PoolGuard> pool_;
    std::map<std::string, int> counts_;

    std::string makeDirectory(const std::string& name) {
        std::string path = dir_.filePath(QString::fromStdString(name)).toStdString();
        std::filesystem::create_directories(path);
        return path;
    }

    /// Sources whose runs differ from that of `read` on the ordinary file; empty when all agree or refuse.
    std::string differences(const std::string& place, const std::string& path, const std::string& ordinary,
                            const WorkloadType& workload, std::optional<Bytes> limit = {}) {
        std::string found;
        for (const unsigned threads : {1U, 3U}) {
            const Verdict reference =
                runOne(ordinary, *allSources().front(), workload, threads, {}, {}, limit);
            for (const SourceType* source : allSources()) {
                const Verdict v = runOne(path, *source, workload, threads, {}, {}, limit);
                ++counts_[fmt::format("{}: {}", place, name(v.status))];
                if (v.refused()) {
                    ++counts_[fmt::format("{}: {}: {}", place, source->id, v.reason)];
                } else if (!agree(v, reference) || v.outcome != reference.outcome) {
                    found += fmt::format("\n{} with {}: {}, not {}", source->id, threads, describe(v),
                                         describe(reference));
                }
            }
        }
        return found;
    }

    /// All workloads at one directory, which shows what is written to `below`.
    void everyWorkload(const std::string& place, const std::string& shown, const std::string& below) {
        Inputs written(below);
        for (const WorkloadType* workload : allWorkloads()) {
            const Kind kind = inputFor(*workload, ordinary_);
            const std::string there =
                shown + "/" + std::filesystem::path(written(kind, kSize)).filename().string();
            const std::string found = differences(place, there, ordinary_(kind, kSize), *workload);
            QVERIFY2(found.empty(), fmt::format("{}:{}", workload->id, found).c_str());
        }
        QVERIFY(counts_[place + ": ok"] > 0);
    }

    /// How often a place's reasons hold the words.
    int reasons(const std::string& place, std::string_view source, std::string_view words) {
        int number = 0;
        for (const auto& [what, count] : counts_) {
            if (what.starts_with(fmt::format("{}: {}: ", place, source)) &&
                what.find(words) != std::string::npos) {
                number += count;
            }
        }
        return number;
    }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        ownMounts_ = leaveMountNamespace();
        pool_.emplace(8);
        if (!pool_->ready()) {
            qWarning("huge pages: %s; their arms will only be unavailable", pool_->why().c_str());
        }
    }

    void onFuse_data() {
        QTest::addColumn<QString>("options");
        QTest::newRow("page cache") << "cache.files=partial";
        QTest::newRow("no page cache") << "cache.files=off";  // which is direct_io
    }
    void onFuse() {
        QFETCH(QString, options);
        if (!ownMounts_) {
            QSKIP("mounting needs root");
        }
        const std::string place = "fuse " + QString(options).replace('=', ' ').toStdString();
        const std::string below = makeDirectory(place + " below");
        const std::string shown = makeDirectory(place);
        Mount mount;
        if (const auto why = mount.mergerfs(below, shown, options.toStdString()); !why.empty()) {
            QSKIP(why.c_str());
        }
        writeFile(below + "/x", "x");
        const auto facts = inspectFile(shown + "/x");
        QVERIFY(facts);
        QCOMPARE(facts->storage, StorageClass::fuse);
        everyWorkload(place, shown, below);
    }

    void onFilesystemsInMemory_data() {
        QTest::addColumn<QString>("type");
        QTest::newRow("tmpfs") << "tmpfs";
        QTest::newRow("ramfs") << "ramfs";
    }
    void onFilesystemsInMemory() {
        QFETCH(QString, type);
        const std::string place = type.toStdString();
        const std::string point = makeDirectory(place);
        Mount mount;
        if (const auto why = ownMounts_ ? mount.kernel(place, point) : std::string("mounting needs root");
            !why.empty()) {
            QSKIP(why.c_str());
        }
        everyWorkload(place, point, point);
        if (place == "ramfs") {  // it has no O_DIRECT
            QVERIFY(reasons(place, "direct", "O_DIRECT") > 0);
        }
    }

    void sparseFiles() {
        const std::string sparse = makeDirectory("sparse");
        const std::string dense = makeDirectory("dense");
        for (const WorkloadType* workload : allWorkloads()) {
            const Kind kind = inputFor(*workload, ordinary_);
            const std::string content = withZeros(kind);
            writeSparse(sparse + "/f", content);
            writeFile(dense + "/f", content);
            const auto facts = inspectFile(sparse + "/f");
            QVERIFY(facts);
            if (facts->allocated >= facts->bytes) {
                QSKIP("this filesystem keeps no holes");
            }
            const std::string found = differences("sparse", sparse + "/f", dense + "/f", *workload);
            QVERIFY2(found.empty(), fmt::format("{}:{}", workload->id, found).c_str());
        }
    }

    void oddLimits() {
        for (const WorkloadType* workload : allWorkloads()) {
            const std::string& path = ordinary_(inputFor(*workload, ordinary_), kSize);
            const std::uint64_t size = std::filesystem::file_size(path);
            for (const std::uint64_t limit :
                 {std::uint64_t{1}, std::uint64_t{4097}, size / 2 + 1, size - 1}) {
                const std::string found = differences("limit", path, path, *workload, Bytes(limit));
                QVERIFY2(found.empty(), fmt::format("{} to {}:{}", workload->id, limit, found).c_str());
            }
        }
    }

    /// Ranges of a run that begin, meet and end inside pages.
    void oddRanges() {
        const auto b = [](std::uint64_t n) { return Bytes(n); };
        const std::vector<std::vector<Range>> all = {
            {{b(1), b(4096)}},
            {{b(4095), b(4097)}},
            {{b(12345), b(kMiB + 1)}},
            {{b(777), b(5000)}, {b(5000), b(5000)}, {b(5000), b(2 * kMiB + 3)}},
            {{b(2 * kMiB - 1), b(2 * kMiB + 1)}, {b(2 * kMiB + 1), b(kSize)}},
        };
        for (const char* id : {"scan", "touch"}) {
            for (const auto& ranges : all) {
                const auto run = [&](const SourceType& source) {
                    auto request = requestFor(ordinary_(Kind::bytes, kSize), std::string(source.id), id,
                                              static_cast<unsigned>(ranges.size()));
                    if (request) {
                        request->ranges = ranges;
                    }
                    return runRequest(request);
                };
                const Verdict reference = run(*allSources().front());
                QVERIFY2(reference.status == RunStatus::ok, describe(reference).c_str());
                for (const SourceType* source : allSources()) {
                    const Verdict v = run(*source);
                    ++counts_[fmt::format("odd ranges: {}", name(v.status))];
                    QVERIFY2(v.refused() || v.outcome == reference.outcome,
                             fmt::format("{} from {}: {}, not {}", source->id, ranges.front().begin.count(),
                                         describe(v), describe(reference))
                                 .c_str());
                }
            }
        }
    }

    void littleAddressSpace_data() {
        QTest::addColumn<quint64>("room");
        for (const quint64 room : {1U, 12U, 40U}) {
            QTest::addRow("%llu MiB more than now", room) << room * kMiB;
        }
    }
    void littleAddressSpace() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer needs terabytes of address space");
#endif
        QFETCH(quint64, room);
        const std::uint64_t size = 5 * kMiB + 1;
        std::vector<std::tuple<const WorkloadType*, std::string, Verdict>> asked;
        for (const WorkloadType* workload : allWorkloads()) {
            if (room != 12 * kMiB && workload->id != "scan" && workload->id != "zstd") {
                continue;  // all of them once
            }
            const std::string path = ordinary_(inputFor(*workload, ordinary_), size);
            asked.emplace_back(workload, path, runOne(path, *allSources().front(), *workload, 1));
        }
        const Child child = inChild([&](const auto& say) {
            const rlimit limit{addressSpace() + room, addressSpace() + room};
            if (::setrlimit(RLIMIT_AS, &limit) != 0) {
                say("! can't limit the address space\n");
                return;
            }
            for (const auto& [workload, path, reference] : asked) {
                for (const unsigned threads : {1U, 3U}) {
                    for (const SourceType* source : allSources()) {
                        say(fmt::format("? {} {} with {}\n", source->id, workload->id, threads));
                        const Verdict v = runOne(path, *source, *workload, threads);
                        if (agree(v, reference)) {
                            say("= ok\n");
                        } else if (v.reason.find('\n') != std::string::npos || v.status == RunStatus::ok) {
                            say(fmt::format("! {} {} with {}: {}\n", source->id, workload->id, threads,
                                            describe(v)));
                        } else {
                            say(fmt::format("- {}: {}\n", source->id, v.reason));
                        }
                    }
                }
            }
        });
        const QStringList lines = QString::fromStdString(child.said).split('\n', Qt::SkipEmptyParts);
        QVERIFY2(child.trouble.empty(),
                 fmt::format("{} after {}", child.trouble,
                             lines.isEmpty() ? std::string("nothing") : lines.back().toStdString())
                     .c_str());
        for (const QString& line : lines) {
            QVERIFY2(!line.startsWith('!'), qPrintable(line));
            if (line.startsWith("- ")) {
                QVERIFY2(line.contains("ulimit -v") || line.contains("vm.nr_hugepages") ||
                             line.contains("mmap-collapse"),
                         qPrintable(line));
                ++counts_[fmt::format("address space: {}", line.mid(2).toStdString())];
            }
        }
        ++counts_[fmt::format("address space + {} MiB: {} ok", room / kMiB, lines.count("= ok"))];
    }

    void withoutHugePages() {
        pool_.reset();
        const PoolGuard none(0);
        if (!none.ready()) {
            QSKIP(none.why().c_str());
        }
        if (const auto pool = poolOf(kHugePage); !pool || pool->available() > 0) {
            QSKIP("overcommit provides huge pages here, or there is no pool");
        }
        const std::string& path = ordinary_(Kind::bytes, kSize);
        const std::string found = differences("empty pool", path, path, *findWorkload("scan"));
        QVERIFY2(found.empty(), found.c_str());
        for (const SourceType* source : allSources()) {
            const int refusals = reasons("empty pool", source->id, "sudo sysctl vm.nr_hugepages=");
            QVERIFY2(refusals == (source->traits.usesHugePages ? 2 : 0), source->id.data());
        }
    }

    void withoutIoUring() {
        const std::string& path = ordinary_(Kind::bytes, kSize);
        const Child child = inChild([&](const auto& say) {
            if (!forbid(__NR_io_uring_setup)) {
                say("no seccomp filters here");
                return;
            }
            const std::string found = differences("no io_uring", path, path, *findWorkload("scan"));
            say(found);
            const auto facts = inspectFile(path);
            const SourceType& ring = *findSource("io-uring");
            const Availability told =
                ring.availability(*facts, *parseParameters(ring.parameters, ""), {Bytes(0), facts->bytes}, 1);
            if (told.available || told.reason.find("io_uring") == std::string::npos) {
                say("\nio-uring says that it is available: " + told.reason);
            }
            if (reasons("no io_uring", "io-uring", "io_uring") != 2) {
                say("\nthe runs of io-uring don't say why they can't be");
            }
            say("\ntold: " + told.reason);
        });
        QVERIFY2(child.trouble.empty(), child.trouble.c_str());
        if (child.said == "no seccomp filters here") {
            QSKIP(child.said.c_str());
        }
        QVERIFY2(child.said.starts_with("\ntold: "), child.said.c_str());
        ++counts_["no io_uring: " + child.said.substr(7)];
    }

    void cleanupTestCase() {
        pool_.reset();
        for (const auto& [what, number] : counts_) {
            qInfo("%5d %s", number, what.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestPlaces)
#include "tst_places.moc"
