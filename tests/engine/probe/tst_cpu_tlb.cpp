#include <QtTest>
#include <map>

#include "probe/cpu_tlb.h"

using namespace mmapscope;

namespace {

using Dump = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters>;

// "GenuineIntel" and "AuthenticAMD" as EBX, EDX, ECX spell them.
CpuidRegisters intelName(std::uint32_t highest) {
    return {highest, 0x756e6547, 0x6c65746e, 0x49656e69};
}
CpuidRegisters amdName() {
    return {0x10, 0x68747541, 0x444d4163, 0x69746e65};
}

TlbGeometry told(const Dump& dump) {
    return tlbGeometryOf([&dump](std::uint32_t leaf, std::uint32_t subleaf) {
        const auto it = dump.find({leaf, subleaf});
        return it == dump.end() ? CpuidRegisters() : it->second;
    });
}

QStringList lines(const TlbGeometry& geometry) {
    QStringList all;
    for (const TlbArray& array : geometry.arrays) {
        all << QString::fromStdString(describe(array));
    }
    return all;
}

/// Leaf 18h as the SDM lays it out.
CpuidRegisters leaf18(std::uint32_t pages, std::uint32_t ways, std::uint32_t sets, std::uint32_t type,
                      std::uint32_t level, bool full) {
    return {0, pages | ways << 16U, sets, type | level << 5U | (full ? 1U << 8U : 0U)};
}

}  // namespace

class TestCpuTlb : public QObject {
    Q_OBJECT
  private slots:
    void aZen4AsCaptured() {
        const TlbGeometry t = told({{{0, 0}, amdName()},
                                    {{0x80000000, 0}, {0x80000028, 0, 0, 0}},
                                    {{0x80000005, 0}, {0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140}},
                                    {{0x80000006, 0}, {0x5c002200, 0x6c004200, 0x04006140, 0x00009000}}});
        QCOMPARE(lines(t),
                 (QStringList{"L1 data 4 KiB: 72 entries, fully associative",
                              "L1 data 2 MiB: 72 entries, fully associative",
                              "L1 instructions 4 KiB: 64 entries, fully associative",
                              "L1 instructions 2 MiB: 64 entries, fully associative",
                              "L2 data 4 KiB: 3072 entries, 8-way", "L2 data 2 MiB: 3072 entries, 6-way",
                              "L2 instructions 4 KiB: 512 entries, 4-way",
                              "L2 instructions 2 MiB: 512 entries, 2-way"}));
        QCOMPARE(t.dataEntries(2, kib(4)), 3072U);
        QCOMPARE(t.dataEntries(2, gib(1)), 0U);
        QVERIFY(t.arrays[4].reach(kib(4)) == mib(12));
    }

    /// From Zen 5 on the second level is told in units of 32 entries.
    void secondLevelTimes32WhereTheCpuSaysSo() {
        Dump dump{{{0, 0}, amdName()},
                  {{0x80000000, 0}, {0x80000028, 0, 0, 0}},
                  {{0x80000005, 0}, {0xff60ff40, 0xff60ff40, 0, 0}},
                  {{0x80000006, 0}, {0x80808040, 0x80808040, 0, 0}},
                  {{0x80000021, 0}, {1U << 14U, 0, 0, 0}}};
        QCOMPARE(told(dump).dataEntries(1, kib(4)), 96U);
        QCOMPARE(told(dump).dataEntries(2, kib(4)), 4096U);
        dump[{0x80000021, 0}].eax = 0;
        QCOMPARE(told(dump).dataEntries(2, kib(4)), 128U);
        dump[{0x80000000, 0}].eax = 0x80000008;  // a CPU that ends before 8000_0021h
        dump[{0x80000021, 0}].eax = 1U << 14U;
        QCOMPARE(told(dump).dataEntries(2, kib(4)), 128U);
    }

    void aWordWithoutADataHalfIsForBoth() {
        const TlbGeometry t = told({{{0, 0}, amdName()},
                                    {{0x80000000, 0}, {0x80000008, 0, 0, 0}},
                                    {{0x80000006, 0}, {0x00004200, 0x00004200, 0, 0}}});
        QCOMPARE(t.dataEntries(2, kib(4)), 512U);
        QVERIFY(t.arrays.front().use == TlbUse::unified);
    }

    void intelLeaf18() {
        const TlbGeometry t = told({{{0, 0}, intelName(0x20)},
                                    {{2, 0}, {0x00feff01, 0x000000f0, 0, 0}},
                                    {{0x18, 0}, {4, 0, 0, 0}},
                                    {{0x18, 1}, leaf18(0b0001, 8, 32, 2, 1, false)},
                                    {{0x18, 2}, leaf18(0b1111, 16, 1, 5, 1, true)},
                                    {{0x18, 3}, leaf18(0b0001, 6, 16, 4, 1, false)},
                                    {{0x18, 4}, leaf18(0b0111, 8, 256, 3, 2, false)}});
        QCOMPARE(QString::fromStdString(t.source), QString("CPUID leaf 18h"));
        QCOMPARE(lines(t),
                 (QStringList{"L1 data 4 KiB, 2 MiB, 4 MiB, 1 GiB: 16 entries, fully associative",
                              "L1 data 4 KiB: 96 entries, 6-way", "L1 instructions 4 KiB: 256 entries, 8-way",
                              "L2 both 4 KiB, 2 MiB, 4 MiB: 2048 entries, 8-way"}));
        QCOMPARE(t.dataEntries(2, mib(2)), 2048U);
    }

    /// A Skylake's descriptors.
    void intelLeaf2() {
        const TlbGeometry t =
            told({{{0, 0}, intelName(0x16)}, {{2, 0}, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}}});
        QCOMPARE(
            lines(t),
            (QStringList{"L1 data 4 KiB: 64 entries, 4-way", "L1 data 2 MiB, 4 MiB: 32 entries, 4-way",
                         "L1 data 1 GiB: 4 entries, 4-way", "L1 instructions 4 KiB: 64 entries, 8-way",
                         "L1 instructions 2 MiB, 4 MiB: 8 entries, fully associative",
                         "L2 both 4 KiB, 2 MiB: 1536 entries, 6-way", "L2 both 1 GiB: 16 entries, 4-way"}));
    }

    void wordsWithoutDescriptorsAreSkipped() {
        const TlbGeometry t =
            told({{{0, 0}, intelName(0x16)}, {{2, 0}, {0x00000001, 0x80c30363, 0, 0x00000064}}});
        QCOMPARE(lines(t), (QStringList{"L1 data 4 KiB: 512 entries, 4-way"}));
    }

    /// Leaf 2 points to leaf 18h and a hypervisor has emptied that: as under KVM.
    void whatIsMaskedIsNotTold() {
        const TlbGeometry t = told({{{0, 0}, intelName(0x24)}, {{2, 0}, {0x00feff01, 0x000000f0, 0, 0}}});
        QVERIFY(!t.told());
        QVERIFY(QString::fromStdString(t.reason).contains("leaf 18h, which is empty"));
        QVERIFY(!told({{{0, 0}, amdName()}, {{0x80000000, 0}, {0x80000028, 0, 0, 0}}}).told());
        const TlbGeometry other = told({{{0, 0}, {1, 0x746e6543, 0x736c7561, 0x48727561}}});
        QVERIFY(!other.told() && QString::fromStdString(other.reason).contains("CentaurHauls"));
    }

    void garbageIsSurvived() {
        const TlbGeometry t = tlbGeometryOf([](std::uint32_t leaf, std::uint32_t subleaf) {
            return leaf == 0 ? intelName(0xFFFFFFFF) : CpuidRegisters{~0U, ~0U, ~0U, subleaf * 0x9E3779B9U};
        });
        QVERIFY(t.arrays.size() <= 65);
    }

    void thisMachineIsToldOrSaysWhy() {
        const TlbGeometry t = tlbGeometry();
        QVERIFY(t.told() || !t.reason.empty());
        for (const TlbArray& array : t.arrays) {
            QVERIFY(array.entries > 0 && !array.pages.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestCpuTlb)
#include "tst_cpu_tlb.moc"
