// Each source does what it says, seen from outside: the system calls that strace reports. The program runs
// itself under strace with "--deliver SOURCE PARAMETERS FILE".
#include <sys/wait.h>

#include <QtTest>

#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "engine/source/source_run.h"
#include "source/read_ahead.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr Bytes kWhole = mib(20) + Bytes(1234);

struct Call {
    std::string name;
    std::string arguments;  ///< and the result
};

struct Trace {
    std::vector<Call> all;
    std::string file;

    /// The calls of that name whose arguments hold `part`.
    [[nodiscard]] std::vector<Call> calls(const std::string& name, const std::string& part) const {
        std::vector<Call> found;
        std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Call& call) {
            return call.name == name && call.arguments.find(part) != std::string::npos;
        });
        return found;
    }
    [[nodiscard]] std::vector<Call> onFile(const std::string& name) const {
        return calls(name, "<" + file + ">");
    }
    [[nodiscard]] std::set<std::string> advice() const {
        std::set<std::string> words;
        for (const Call& call : calls("madvise", "MADV_")) {
            const std::string word = call.arguments.substr(call.arguments.find("MADV_"));
            words.insert(word.substr(0, word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")));
        }
        return words;
    }
};

std::uint64_t argument(const Call& call, int index) {
    std::string text = call.arguments;
    for (int i = 0; i < index; ++i) {
        text.erase(0, text.find(", ") + 2);
    }
    return std::strtoull(text.c_str(), nullptr, 0);
}

}  // namespace

class TestSourceTrace : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path_;
    QString refusal_;

    Trace traceOf(const QString& source, const QString& parameters = {}) {
        const QString log = dir_.filePath("trace.txt");
        QProcess strace;
        strace.start(
            "strace",
            {"-f", "-y", "-s0", "-qq", "-e",
             "trace=read,pread64,mmap,munmap,madvise,readahead,fadvise64,memfd_create,io_uring_enter", "-o",
             log, QCoreApplication::applicationFilePath(), "--deliver", source, parameters,
             QString::fromStdString(path_)});
        Trace trace{{}, path_};
        if (!strace.waitForStarted() || !strace.waitForFinished(60000) || strace.exitCode() != 0) {
            refusal_ = "strace can't be used here, or the source refused: " + strace.errorString() + " " +
                       QString::fromUtf8(strace.readAllStandardError());
            return trace;
        }
        QFile file(log);
        if (!file.open(QIODevice::ReadOnly)) {
            return trace;
        }
        // A call that another thread interrupts is reported in two lines: what it says later belongs to where
        // it began.
        static const std::regex begun(R"(^(\d+)\s+(\w+)\((.*?)( <unfinished \.\.\.>)?$)");
        static const std::regex resumed(R"(^(\d+)\s+<\.\.\. \w+ resumed>(.*)$)");
        std::map<std::string, std::size_t> open;
        while (!file.atEnd()) {
            std::smatch match;
            const std::string text = file.readLine().trimmed().toStdString();
            if (std::regex_match(text, match, begun)) {
                trace.all.push_back({match[2], match[3]});
                open[match[1]] = trace.all.size() - 1;
            } else if (std::regex_match(text, match, resumed) && open.contains(match[1])) {
                trace.all[open[match[1]]].arguments += match[2];
            }
        }
        return trace;
    }

  private slots:
    void initTestCase() {
        path_ = dir_.filePath("traced.bin").toStdString();
        writeFile(path_, patternBytes(kWhole.size()));
        const Trace trace = traceOf("read");
        if (trace.onFile("read").empty()) {
            QSKIP(qPrintable(refusal_));
        }
    }
    void init() { refusal_.clear(); }

    void mapsOrReads_data() {
        QTest::addColumn<QString>("source");
        for (const SourceType* type : allSources()) {
            QTest::newRow(type->id.data()) << QString::fromUtf8(type->id.data());
        }
    }
    void mapsOrReads() {
        QFETCH(const QString, source);
        const SourceType& type = *findSource(source.toStdString());
        const PoolGuard pool(16);
        const Trace trace = traceOf(source);
        if (!refusal_.isEmpty()) {
            QSKIP(qPrintable(refusal_));
        }
        const std::size_t reads = trace.onFile("read").size() + trace.onFile("pread64").size();
        const std::size_t maps = trace.onFile("mmap").size();
        if (type.traits.mapsFile) {
            QCOMPARE(reads, std::size_t{0});
            QVERIFY(maps > 0);
        } else if (type.id == "hugetlb-stream") {
            QCOMPARE(reads, std::size_t{0});
            QCOMPARE(maps, std::size_t{1});
        } else {
            QCOMPARE(maps, std::size_t{0});
            QVERIFY(reads + trace.calls("io_uring_enter", "").size() > 0);
        }
    }

    void advice_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QStringList>("advice");
        QTest::newRow("mmap") << "mmap"
                              << "" << QStringList();
        QTest::newRow("sequential") << "mmap-sequential"
                                    << "" << QStringList{"MADV_SEQUENTIAL"};
        QTest::newRow("willneed") << "mmap-willneed"
                                  << "" << QStringList{"MADV_WILLNEED"};
        QTest::newRow("populate map") << "mmap-populate"
                                      << "" << QStringList();
        QTest::newRow("populate advise") << "mmap-populate"
                                         << "how=advise" << QStringList{"MADV_POPULATE_READ"};
        QTest::newRow("hugepage") << "mmap-hugepage"
                                  << "" << QStringList{"MADV_HUGEPAGE"};
        QTest::newRow("random") << "mmap-random"
                                << "" << QStringList{"MADV_RANDOM"};
        QTest::newRow("retire") << "mmap-retire"
                                << "" << QStringList{"MADV_DONTNEED", "MADV_HUGEPAGE", "MADV_SEQUENTIAL"};
        QTest::newRow("window") << "mmap-window"
                                << "" << QStringList{"MADV_SEQUENTIAL"};
        QTest::newRow("window none") << "mmap-window"
                                     << "advice=none" << QStringList();
        QTest::newRow("window willneed") << "mmap-window"
                                         << "advice=willneed" << QStringList{"MADV_WILLNEED"};
        QTest::newRow("window populate") << "mmap-window"
                                         << "advice=populate" << QStringList{"MADV_POPULATE_READ"};
        QTest::newRow("prefetch") << "mmap-prefetch"
                                  << "" << QStringList();
        QTest::newRow("prefetch willneed") << "mmap-prefetch"
                                           << "how=willneed" << QStringList{"MADV_WILLNEED"};
        QTest::newRow("thp-copy") << "thp-copy"
                                  << "" << QStringList{"MADV_HUGEPAGE"};
        QTest::newRow("memory") << "memory"
                                << "" << QStringList{"MADV_NOHUGEPAGE"};
        QTest::newRow("read") << "read"
                              << "" << QStringList();
    }
    void advice() {
        QFETCH(const QString, source);
        QFETCH(const QString, parameters);
        QFETCH(const QStringList, advice);
        const Trace trace = traceOf(source, parameters);
        if (!refusal_.isEmpty()) {
            QSKIP(qPrintable(refusal_));
        }
        QStringList seen;
        auto words = trace.advice();
        if (!advice.contains("MADV_DONTNEED")) {
            words.erase("MADV_DONTNEED");  // the C library gives back the stacks of ended threads so
        }
        for (const auto& word : words) {
            seen << QString::fromStdString(word);
        }
        QCOMPARE(seen, advice);
        const bool populated = !trace.calls("mmap", "MAP_POPULATE").empty();
        QCOMPARE(populated, source == "mmap-populate" && parameters.isEmpty());
    }

    void windowsAreAsGiven() {
        const Trace trace = traceOf("mmap-window", "window=4MiB");
        std::vector<std::uint64_t> lengths;
        std::string open;  // the window that is mapped now
        for (const Call& call : trace.all) {
            if (call.name == "mmap" && call.arguments.find("<" + path_ + ">") != std::string::npos) {
                QVERIFY2(open.empty(), "a window was mapped while another one was");
                lengths.push_back(argument(call, 1));
                open = call.arguments.substr(call.arguments.rfind("0x"));
            } else if (call.name == "munmap" && !open.empty() && call.arguments.starts_with(open + ",")) {
                open.clear();
            }
        }
        QVERIFY(open.empty());
        const std::uint64_t four = mib(4).count();
        QCOMPARE(lengths, (std::vector<std::uint64_t>{four, four, four, four, four, 1234}));
    }

    void readsAreAsGiven() {
        for (const auto& [source, parameters, name, size] : {std::tuple{"read", "", "read", kib(64)},
                                                             {"read", "1MiB", "read", mib(1)},
                                                             {"pread", "", "pread64", mib(4)},
                                                             {"pread", "64KiB", "pread64", kib(64)},
                                                             {"read-thread", "", "pread64", kib(256)}}) {
            const Trace trace = traceOf(source, parameters);
            const auto reads = trace.onFile(name);
            QCOMPARE(reads.size(), static_cast<std::size_t>(roundUp(kWhole, size) / size));
            for (std::size_t i = 0; i + 1 < reads.size(); ++i) {
                QVERIFY2(reads[i].arguments.find(", " + std::to_string(size.count())) != std::string::npos,
                         reads[i].arguments.c_str());
            }
        }
    }

    void prefetchAsksInStepsAndNeverTooFarAhead() {
        const Bytes ahead = mib(2);
        const Bytes buffer = kib(256);
        const std::uint64_t step = std::min(ahead, readAheadOf(path_)).count();
        const Trace trace = traceOf("pread-prefetch", "buffer=256KiB,ahead=2MiB");
        std::uint64_t reading = 0;
        std::uint64_t asked = 0;
        for (const Call& call : trace.all) {
            if (call.arguments.find("<" + path_ + ">") == std::string::npos) {
                continue;
            }
            if (call.name == "pread64") {
                reading = argument(call, 3);
            } else if (call.name == "readahead") {
                const std::uint64_t begin = argument(call, 1);
                const std::uint64_t length = argument(call, 2);
                QVERIFY2(length <= step, call.arguments.c_str());
                QVERIFY2(begin >= asked, call.arguments.c_str());  // in file order, nothing twice
                // The consumer says how far it is just before its read shows in the trace.
                QVERIFY2(begin + length <= reading + buffer.count() + ahead.count() + pageSize().count(),
                         call.arguments.c_str());
                asked = begin + length;
            }
        }
        QVERIFY(asked > ahead.count());
    }
};

int main(int argc, char** argv) {
    if (argc == 5 && std::string_view(argv[1]) == "--deliver") {
        const auto facts = inspectFile(argv[4]);
        const auto* type = findSource(argv[2]);
        if (!facts || type == nullptr) {
            return 2;
        }
        SourceRun run{type, argv[3], argv[4], facts->bytes, {{Bytes(0), facts->bytes}}};
        // A coordinator has nothing to do where the consumer is done before it: this one is slow.
        int pause = 300;
        if (std::string_view(argv[2]).ends_with("-prefetch")) {
            run.onSpan = [&](std::size_t, std::span<const std::byte>) {
                QTest::qSleep(std::exchange(pause, 2));
            };
        }
        const Delivered result = deliver(run);
        if (!result.status) {
            std::cerr << result.status.error().message << '\n';
        }
        return result.status ? 0 : 1;
    }
    QCoreApplication app(argc, argv);
    TestSourceTrace test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_source_trace.moc"
