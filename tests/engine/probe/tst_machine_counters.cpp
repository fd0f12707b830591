// Pressure, refaults and shootdowns, from texts as kernels write them.
#include <QtTest>

#include "probe/machine_counters.h"
#include "probe/system_facts.h"

using namespace mmapscope;

class TestMachineCounters : public QObject {
    Q_OBJECT

  private slots:
    void pressure();
    void refaults();
    void shootdowns();
    void manyCpus();
    void thisKernel();
};

void TestMachineCounters::pressure() {
    QCOMPARE(parsePressure("some avg10=3.10 avg60=2.85 avg300=1.17 total=315045423\n"
                           "full avg10=2.74 avg60=2.49 avg300=1.01 total=172176552\n"),
             std::optional<std::uint64_t>(315045423));
    QCOMPARE(parsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551615\n"),
             std::optional<std::uint64_t>(UINT64_MAX));
    QVERIFY(!parsePressure(""));
    QVERIFY(!parsePressure("full avg10=2.74 avg60=2.49 avg300=1.01 total=1\n"));
    QVERIFY(!parsePressure("some avg10=0.00\n"));
    QVERIFY(!parsePressure("some total=x\n"));
    QVERIFY(!parsePressure("some total=99999999999999999999999\n"));
}

void TestMachineCounters::refaults() {
    QCOMPARE(parseRefaults("nr_free_pages 5\nworkingset_refault_anon 3\nworkingset_refault_file 1398693\n"),
             std::optional<std::uint64_t>(1398693));
    QCOMPARE(parseRefaults("workingset_refault 7\nworkingset_activate 2\n"), std::optional<std::uint64_t>(7));
    QVERIFY(!parseRefaults("nr_free_pages 5\n"));
    QVERIFY(!parseRefaults("workingset_refault_file\n"));
}

void TestMachineCounters::shootdowns() {
    QCOMPARE(parseTlbShootdowns("           CPU0       CPU1       \n"
                                "NMI:          0          0   Non-maskable interrupts\n"
                                "TLB:    2501149    2503635   TLB shootdowns\n"
                                "TRM:          0          0   Thermal event interrupts\n"),
             std::optional<std::uint64_t>(5004784));
    // ARM's list has no such line.
    QVERIFY(!parseTlbShootdowns("IPI0:       1       2       Rescheduling interrupts\n"));
    QVERIFY(!parseTlbShootdowns("TLB:   TLB shootdowns\n"));
    QVERIFY(!parseTlbShootdowns(""));
}

void TestMachineCounters::manyCpus() {
    std::string line = "TLB:";
    for (int cpu = 0; cpu < 512; ++cpu) {
        line += "          3";
    }
    QCOMPARE(parseTlbShootdowns(line + "   TLB shootdowns\n"), std::optional<std::uint64_t>(1536));
}

void TestMachineCounters::thisKernel() {
    if (const auto text = readKernelText("/proc/vmstat")) {
        QVERIFY(parseRefaults(*text).has_value());
    }
    if (const auto text = readKernelText("/proc/pressure/io"); text && !text->empty()) {
        QVERIFY(parsePressure(*text).has_value());
    }
#if defined(__x86_64__)
    if (const auto text = readKernelText("/proc/interrupts")) {
        QVERIFY(parseTlbShootdowns(*text).has_value());
    }
#endif
}

QTEST_GUILESS_MAIN(TestMachineCounters)
#include "tst_machine_counters.moc"
