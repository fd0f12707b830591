#include <fcntl.h>
#include <sys/stat.h>

#include <set>

#include "core/unique_fd.h"
#include "probe/cgroup.h"
#include "probe/cpu.h"
#include "probe/mappers.h"
#include "probe/system_facts.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

class TestSystemFacts : public QObject {
    Q_OBJECT
  private slots:
    void bracketedChoice_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("choice");
        QTest::newRow("middle") << "always [madvise] never\n"
                                << "madvise";
        QTest::newRow("first") << "[always] madvise never"
                               << "always";
        QTest::newRow("with plus") << "always defer [defer+madvise] madvise never"
                                   << "defer+madvise";
        QTest::newRow("none") << "always madvise never"
                              << "";
        QTest::newRow("open only") << "a [b"
                                   << "";
        QTest::newRow("close first") << "a] b [c"
                                     << "";
        QTest::newRow("empty brackets") << "a [] b"
                                        << "";
        QTest::newRow("empty") << ""
                               << "";
    }
    void bracketedChoice() {
        QFETCH(QString, text);
        QFETCH(QString, choice);
        const auto found = mmapscope::bracketedChoice(text.toStdString());
        QCOMPARE(QString::fromStdString(found.value_or("")), choice);
        QCOMPARE(found.has_value(), !choice.isEmpty());
    }
    void readsKernelText() {
        QVERIFY(readKernelText("/proc/self/status")->starts_with("Name:"));
        const auto missing = readKernelText("/proc/self/nothing");
        QVERIFY(!missing.has_value());
        QCOMPARE(missing.error().kind, ErrorKind::unavailable);
        QVERIFY(!readKernelText("/proc/self").has_value());  // a directory
        const Tree tree;
        QCOMPARE(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
        QVERIFY(readKernelText(tree.path("fifo")).has_value());  // never waits for a writer
    }

    void everyFindingSaysWhy() {
        const auto all = capabilities();
        std::set<std::string> ids;
        for (const Capability& one : all) {
            QVERIFY2(ids.insert(one.id).second, one.id.c_str());
            QVERIFY2(!one.title.empty(), one.id.c_str());
            QVERIFY2(!one.detail.empty(), one.id.c_str());
            QVERIFY2((one.detail + one.unlock).find('\n') == std::string::npos, one.id.c_str());
        }
        for (const char* id : {"hugetlb-2mib", "thp", "thp-shmem", "madv-populate-read", "madv-collapse",
                               "cachestat", "pagemap", "steady-cache", "io-uring", "perf-page-faults",
                               "perf-dtlb", "memory-cap", "bare-metal", "simd"}) {
            QVERIFY2(ids.contains(id), id);
        }
    }
    void findingsAgreeWithTheKernel() {
        for (const Capability& one : capabilities()) {
            if (one.id == "thp") {
                const auto text = readKernelText("/sys/kernel/mm/transparent_hugepage/enabled");
                QCOMPARE(one.available, text && mmapscope::bracketedChoice(*text) != "never");
            } else if (one.id == "io-uring") {
                const auto off = readKernelText("/proc/sys/kernel/io_uring_disabled");
                QVERIFY(!(one.available && off && off->starts_with('2')));
            } else if (one.id == "bare-metal") {
                QCOMPARE(one.available, !hypervisorName().has_value());
                const auto cpu = readKernelText("/proc/cpuinfo");
                QCOMPARE(hypervisorName().has_value(), cpu && cpu->find(" hypervisor ") != std::string::npos);
            }
        }
    }
    void findsThem_withoutPrivileges() {
        // Nothing of it may need root, and what root alone may do is said.
        const int result = asNobody([] {
            for (const Capability& one : capabilities()) {
                if (one.id == "pagemap" && one.available) {
                    return 1;
                }
                if (one.id == "memory-cap" && (one.available || one.unlock.empty())) {
                    return 2;
                }
                if (one.detail.empty()) {
                    return 3;
                }
                const char* const worker = "/sys/kernel/mm/damon/admin/kdamonds/0/state";
                if (one.id == "steady-cache" && one.available && ::access(worker, F_OK) == 0 &&
                    ::access(worker, R_OK) != 0) {
                    return 4;
                }
            }
            return 0;
        });
        if (result == 100) {
            QSKIP("needs root, to drop its privileges");
        }
        QCOMPARE(result, 0);
    }

    void findsTheMemoryGroup() {
        const auto captive = parseMountInfo(captured("mountinfo.txt"));
        const auto first = findMemoryGroup(captive, "9:name=systemd:/\n4:cpu,memory:/a b\n0::/u\n");
        QVERIFY(first.has_value());
        QCOMPARE(first->version, 1);
        QCOMPARE(first->directory, std::string("/sys/fs/cgroup/memory/a b"));
        const auto unified =
            parseMountInfo("31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
        const auto second = findMemoryGroup(unified, "0::/user.slice/x");
        QVERIFY(second.has_value());
        QCOMPARE(second->version, 2);
        QCOMPARE(second->directory, std::string("/sys/fs/cgroup/user.slice/x"));
        QCOMPARE(findMemoryGroup(unified, "0::/\n")->directory, std::string("/sys/fs/cgroup"));
        QVERIFY(!findMemoryGroup({}, "0::/\n").has_value());
        QVERIFY(!findMemoryGroup(unified, "").has_value());
    }
    void wordsAreWhole() {
        QVERIFY(holdsWord("cpu io memory\n", "memory"));
        QVERIFY(!holdsWord("cpu memory2 io", "memory"));
        QVERIFY(!holdsWord("", "memory"));
    }

    void findsWhoMapsAFile() {
        const Tree proc;
        FileFacts file;
        file.path = "/data/a b\nc";
        file.stamp.device = 0xfe00;
        file.stamp.inode = 7;
        proc.file("100/maps", "1000-2000 r--s 00000000 fe:00 7    /somewhere\n");
        proc.file("100/comm", "postgres\n");
        proc.file("200/maps",
                  "1000-2000 r--s 00000000 00:31 7    /data/a b\\012c\n");  // btrfs shows another device
        proc.file("300/maps",
                  "1000-2000 r--s 00000000 00:31 7    /data/other\n1000-2000 r--s 00000000 fe:00 8  /x\n");
        proc.file("sys/maps", "1000-2000 r--s 00000000 fe:00 7    /somewhere\n");
        auto found = mappersOf(file, 9, proc.root());
        std::sort(found.begin(), found.end(), [](const Mapper& a, const Mapper& b) { return a.pid < b.pid; });
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].pid, quint64{100});
        QCOMPARE(found[0].command, std::string("postgres"));
        QCOMPARE(found[1].pid, quint64{200});
        QCOMPARE(mappersOf(file, 1, proc.root()).size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestSystemFacts)
#include "tst_system_facts.moc"
