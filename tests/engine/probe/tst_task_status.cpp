#include "probe/meminfo.h"
#include "probe/task_status.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

class TestTaskStatus : public QObject {
    Q_OBJECT
  private slots:
    void readsACapturedStatus() {
        const TaskStatus status = parseTaskStatus(captured("status.txt"));
        QCOMPARE(status.peakRss, std::optional(kib(18448)));
        QCOMPARE(status.rssAnon, std::optional(kib(11408)));
        QCOMPARE(status.rssFile, std::optional(kib(7040)));
        QCOMPARE(status.rssShmem, std::optional(Bytes(0)));
        QCOMPARE(status.pageTables, std::optional(kib(84)));
        QCOMPARE(status.hugetlb, std::optional(mib(4)));
        QCOMPARE(status.threads, std::optional(std::uint64_t{1}));
        QCOMPARE(status.effectiveCapabilities, std::optional(std::uint64_t{0x1fffeffffff}));
    }
    void missingIsAbsentNotZero() {
        // A kernel thread has no memory lines; a name may look like a field.
        const TaskStatus status =
            parseTaskStatus("Name:\tVmRSS: 5 kB\nState:\tS\nThreads:\t1\nVmHWM:\t  x kB\nVmPTE:");
        QVERIFY(!status.rss && !status.rssAnon && !status.peakRss && !status.pageTables && !status.hugetlb);
        QCOMPARE(status.threads, std::optional(std::uint64_t{1}));
        QVERIFY(!parseTaskStatus("").rss.has_value());
    }
    void readsACapturedStat() {
        const std::string text = captured("stat.txt");
        const auto stat = parseTaskStat(text);
        QVERIFY(stat.has_value());
        QCOMPARE(stat->pid, quint64{20934});
        QCOMPARE(stat->command, std::string_view("python3"));
        QCOMPARE(stat->state, 'R');
        QCOMPARE(stat->minorFaults, quint64{2975});
        QCOMPARE(stat->majorFaults, quint64{3});
        QCOMPARE(stat->userTicks, quint64{2});
        QCOMPARE(stat->systemTicks, quint64{1});
        QCOMPARE(stat->lastCpu, std::optional(std::uint64_t{0}));
    }
    void splitsStatAtTheLastParenthesis_data() {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("closing") << QByteArray(") R 1");
        QTest::newRow("both") << QByteArray("a (b) c");
        QTest::newRow("only parentheses") << QByteArray("))((");
        QTest::newRow("newline") << QByteArray("x\n7 (y) Z 1");
        QTest::newRow("empty") << QByteArray("");
    }
    void splitsStatAtTheLastParenthesis() {
        QFETCH(QByteArray, command);
        std::string text = captured("stat.txt");
        text.replace(text.find("python3"), 7, command.toStdString());
        const auto stat = parseTaskStat(text);
        QVERIFY(stat.has_value());
        QCOMPARE(stat->command,
                 std::string_view(command.constData(), static_cast<std::size_t>(command.size())));
        QCOMPARE(stat->state, 'R');
        QCOMPARE(stat->minorFaults, quint64{2975});
    }
    void refusesBrokenStat() {
        for (const char* text :
             {"", "1", "1 (a", "1 a) R", "x (a) R 1 2 3", "1 (a) R 1 2 3", "1 (a)", ")1 (a R"}) {
            QVERIFY2(!parseTaskStat(text).has_value(), text);
        }
    }
    void readsIo() {
        QCOMPARE(parseReadBytes(captured("io.txt")), std::optional(Bytes(1048576)));
        QVERIFY(!parseReadBytes("rchar: 1\ncancelled_read_bytes: 7\n").has_value());
        QVERIFY(!parseReadBytes("read_bytes: -1\n").has_value());
    }
    void readsACapturedMeminfo() {
        const Meminfo info = parseMeminfo(captured("meminfo.txt"));
        QCOMPARE(info.total, std::optional(kib(24683656)));
        QCOMPARE(info.hugePage, std::optional(mib(2)));
        QVERIFY(info.available && *info.available < *info.total);
        QVERIFY(!parseMeminfo("MemTotal: 5 kB\n").available.has_value());  // kernels before 3.14
    }
    void readsThisProcess() {
        const auto info = readMeminfo();
        QVERIFY(info.has_value());
        QVERIFY(info->total && info->available);
    }
};

QTEST_GUILESS_MAIN(TestTaskStatus)
#include "tst_task_status.moc"
