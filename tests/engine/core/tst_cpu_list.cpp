#include <sched.h>

#include <QTest>

#include "core/cpu_list.h"

using namespace mmapscope;

class TestCpuList : public QObject {
    Q_OBJECT

  private:
    /// The first CPU this process may use: on a restricted machine that needn't be 0.
    static unsigned firstAllowed() {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        sched_getaffinity(0, sizeof allowed, &allowed);
        unsigned cpu = 0;
        while (!CPU_ISSET(cpu, &allowed)) {
            ++cpu;
        }
        return cpu;
    }

  private slots:
    void listsAndRangesAreRead() {
        const unsigned cpu = firstAllowed();
        const std::string one = std::to_string(cpu);
        QVERIFY(parseCpuList("").value().empty());
        QCOMPARE(parseCpuList(one).value(), std::vector<unsigned>{cpu});
        QCOMPARE(parseCpuList(one + "-" + one + "," + one).value(), (std::vector<unsigned>{cpu, cpu}));
    }

    void anythingElseIsRefusedInOneLine_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"all", "1-", "-1", "3-1", "0,", ",0", "0,,0", "0 1", "0x1", "4294967296",
                                 "0-99999999", "100000", "0-\n"}) {
            QTest::newRow(QByteArray(text).toPercentEncoding().constData()) << QByteArray(text);
        }
    }
    void anythingElseIsRefusedInOneLine() {
        QFETCH(const QByteArray, text);
        const auto parsed = parseCpuList(text.toStdString());
        QVERIFY(!parsed.has_value());
        QVERIFY(parsed.error().kind == ErrorKind::usage);
        QVERIFY(parsed.error().message.find('\n') == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCpuList)
#include "tst_cpu_list.moc"
