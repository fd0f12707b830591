#include <QLabel>
#include <QToolButton>
#include <QtTest>

#include "widgets/fact_list.h"
#include "widgets/kernel_panel.h"
#include "widgets/kernel_section.h"
#include "widgets/mapping_words.h"
#include "widgets/pool_gauge.h"

using namespace mmapscope;

namespace {

/// "RssAnon: 3 MiB" of every value label.
QStringList facts(const QWidget& widget) {
    QStringList all;
    for (const QLabel* label : widget.findChildren<QLabel*>()) {
        if (!label->accessibleName().isEmpty()) {
            all << label->accessibleName();
        }
    }
    return all;
}

/// An inspection run that saw this of its mapping.
RunRecord inspected(const MappingFacts& facts) {
    RunRecord run;
    run.phase = Phase::inspection;
    run.mapping = facts;
    return run;
}

/// The lines of a KernelLines by its name.
QStringList texts(const QWidget& panel, const char* name) {
    QStringList all;
    const auto* lines = panel.findChild<KernelLines*>(QLatin1String(name));
    for (const QLabel* label : lines->findChildren<QLabel*>()) {
        all << label->text();
    }
    return all;
}

}  // namespace

class TestKernelPanel : public QObject {
    Q_OBJECT

  private slots:
    void absentIsSaidNeverZero() {
        KernelPanel panel;
        panel.setThp({"madvise", std::nullopt, std::nullopt, {{kib(64), "inherit", std::nullopt}}});
        QVERIFY(facts(panel).contains(QStringLiteral("enabled: madvise")));
        QVERIFY(facts(panel).contains(QStringLiteral("defrag: not available here")));
        panel.setPools({});
        QVERIFY(facts(panel).contains(QStringLiteral("total: not available here")));
        Sample sample;
        sample.rssAnon = mib(3).count();
        sample.hugetlb = 0;
        sample.mappedSize = mib(8).count();
        panel.setMapping(QStringLiteral("mmap"), sample);
        QVERIFY(facts(panel).contains(QStringLiteral("RssAnon: 3 MiB")));
        QVERIFY(facts(panel).contains(QStringLiteral("HugetlbPages: 0 B")));
        QVERIFY(facts(panel).contains(QStringLiteral("THPeligible: not available here")));
    }

    void thePoolIsShownWithItsFigures() {
        KernelPanel panel;
        panel.setPools({{gib(1), 2, 2, 0, 0, 0}, {kHugePage, 160, 96, 24, 8, 16}});
        const QStringList said = facts(panel);
        QVERIFY2(said.contains(QStringLiteral("total: 160 (320 MiB)")), qPrintable(said.join(u'\n')));
        QVERIFY(said.contains(QStringLiteral("free: 96 (192 MiB)")));
        QVERIFY(said.contains(QStringLiteral("reserved: 24 (48 MiB)")));
        QVERIFY(said.contains(QStringLiteral("surplus: 8 (16 MiB)")));
        QVERIFY(said.contains(QStringLiteral("available now: 80 (160 MiB)")));
        const auto* gauge = panel.findChild<PoolGauge*>();
        QVERIFY(gauge->accessibleDescription().contains(QStringLiteral("160 in all, 96 free")));
    }

    void nextArmsFiguresDoNotMix() {
        KernelPanel panel;
        MappingFacts mapped;
        mapped.thpEligible = false;
        mapped.filePmdMapped = mib(472);
        mapped.kernelPage = kib(4);
        panel.setInspection(QStringLiteral("mmap"), inspected(mapped));
        QVERIFY(facts(panel).contains(QStringLiteral("FilePmdMapped: 472 MiB")));
        QVERIFY(facts(panel).contains(QStringLiteral("THPeligible: 0 (no)")));
        panel.setMapping(QStringLiteral("read"), Sample());
        QVERIFY(!facts(panel).join(u'\n').contains(QStringLiteral("472")));
        panel.clearMapping();
        QVERIFY(facts(panel).contains(QStringLiteral("FilePmdMapped: –")));
    }

    void everyFactIsExplained() {
        KernelPanel panel;
        panel.setMapping(QStringLiteral("mmap"), Sample());
        int explained = 0;
        for (const QLabel* label : panel.findChildren<QLabel*>()) {
            if (!label->accessibleName().isEmpty()) {
                QVERIFY2(label->toolTip().length() > 20, qPrintable(label->accessibleName()));
                ++explained;
            }
        }
        QCOMPARE(explained, 3 + 5 + 16);
    }

    void eligibleIsNotHuge() {
        QCOMPARE(hugeWords(false, HugeBacked{mib(472), mib(512), true}),
                 QStringLiteral("eligible: no · really huge-backed: 92 % of Rss"));
        QCOMPARE(hugeWords(true, HugeBacked{Bytes(0), mib(1), true}),
                 QStringLiteral("eligible: yes · really huge-backed: 0 % of Rss"));
        QCOMPARE(hugeWords(std::nullopt, HugeBacked{mib(1), mib(2), true}),
                 QStringLiteral("really huge-backed: 50 % of Rss"));
    }

    void flagsAreSpelledOut() {
        KernelPanel panel;
        MappingFacts mapped;
        mapped.vmFlags = parseVmFlags("rd mr mw me hg zz");
        panel.setInspection(QStringLiteral("mmap-hugepage"), inspected(mapped));
        const QStringList lines = texts(panel, "vmFlags");
        QVERIFY2(lines.value(0) == "VmFlags: rd mr mw me hg", qPrintable(lines.join(u'\n')));
        QVERIFY(lines.contains("hg: huge pages advised (MADV_HUGEPAGE)"));
        panel.setInspection(QStringLiteral("read"), inspected({}));
        QCOMPARE(texts(panel, "vmFlags"), QStringList("VmFlags: not available here"));
    }

    void tlbCountersAndBehaviours() {
        KernelPanel panel;
        TlbGeometry tlb;
        tlb.reason = "this CPU doesn't say";
        panel.setTlb(tlb);
        QCOMPARE(texts(panel, "tlb"), QStringList("not told: this CPU doesn't say"));
        tlb.arrays = {{1, TlbUse::data, {kib(4)}, 96, 6}};
        tlb.source = "CPUID leaf 18h";
        tlb.reason = "a virtual machine may tell another's";
        panel.setTlb(tlb);
        const QStringList told = texts(panel, "tlb");
        QCOMPARE(told.size(), 3);
        QVERIFY2(told[0].contains("96"), qPrintable(told[0]));
        QVERIFY(told[1].contains("what CPUID leaf 18h says"));
        panel.setCounters(
            {{"perf_minor_faults", "Minor page faults", {true, true, "paranoid is 2", ""}},
             {"perf_dtlb_load_misses", "dTLB load misses", {false, false, "no PMU", "a machine of metal"}}});
        QCOMPARE(texts(panel, "counters"),
                 (QStringList{"Minor page faults, user mode only", "dTLB load misses: not available here"}));
        panel.setBehaviours({{"large folios in the page cache", "yes, up to 2 MiB", "means", true}});
        QCOMPARE(
            texts(panel, "behaviours"),
            (QStringList{"large folios in the page cache: yes, up to 2 MiB",
                         "page cache mapped by huge entries: not looked at yet: an inspection run of an arm "
                         "that maps the file tells"}));
        panel.setHugeEntries({"page cache mapped by huge entries", "yes: 472 MiB", "means", true});
        QVERIFY(texts(panel, "behaviours").contains("page cache mapped by huge entries: yes: 472 MiB"));
        panel.setThp({"madvise", "madvise", "never", {{kib(64), "inherit", "never"}}});
        QVERIFY(facts(panel).contains(QStringLiteral("64 KiB: anonymous inherit, shared memory never")));
        panel.setThp({"madvise", "madvise", "never", {}});
        QVERIFY(!facts(panel).join(u'\n').contains(QStringLiteral("64 KiB: anonymous")));
        QVERIFY(texts(panel, "thpSizesWhy").value(0).contains("not available here"));
    }

    void sectionsFold() {
        KernelSection section(QStringLiteral("TLB"), false);
        auto* inside = new QLabel(QStringLiteral("inside"));
        section.addWidget(inside);
        section.show();
        QVERIFY(!inside->isVisible());
        QTest::keyClick(section.findChild<QToolButton*>(), Qt::Key_Space);
        QVERIFY(section.isOpen() && inside->isVisible());
    }

    void aLongTitleDoesNotWidenTheDock() {
        KernelSection section(QString(400, u'x'), true);
        QVERIFY(section.minimumSizeHint().width() < 200);
        QCOMPARE(section.title().size(), 400);
    }
};

QTEST_MAIN(TestKernelPanel)
#include "tst_kernel_panel.moc"
