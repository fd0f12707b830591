// Compare's rows, drawn as text and compared with what a person should read.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "study/statistics.h"
#include "widgets/compare_panel.h"
#include "widgets/summary_model.h"

using namespace mmapscope;

namespace {

RunRecord runOf(std::uint32_t arm, std::uint32_t round, Nanoseconds wall) {
    RunRecord run;
    run.arm = arm;
    run.round = round;
    run.phase = Phase::measured;
    run.status = RunStatus::ok;
    run.wall = wall;
    run.setup = wall / 100;
    run.cpu = run.user = wall;
    run.bytesIn = mib(512);
    run.minorFaults = arm == 1 ? 12345 : 310;
    run.peakPrivate = arm == 0 ? mib(9) : mib(10);
    run.outcome = Outcome{{{"rows", Outcome::Value(std::uint64_t{42})}}};
    return run;
}

/// read 100 ms, mmap 80 ms, a tie, and an arm that can't run here.
Study fixture() {
    Study study;
    study.plan.workload = "scan";
    for (const char* id : {"read", "mmap", "pread", "hugetlb-memfd"}) {
        Arm arm;
        arm.id = arm.source = id;
        arm.workload = "scan";
        study.arms.push_back(arm);
    }
    for (std::uint32_t round = 1; round <= 9; ++round) {
        study.runs.push_back(runOf(0, round, std::chrono::milliseconds(100)));
        study.runs.push_back(runOf(1, round, std::chrono::milliseconds(80)));
        study.runs.push_back(runOf(2, round, std::chrono::milliseconds(100)));
    }
    RunRecord missing;
    missing.arm = 3;
    missing.status = RunStatus::unavailable;
    missing.error = "needs 64 huge pages, 0 are free: sudo sysctl vm.nr_hugepages=64";
    study.runs.push_back(missing);
    summarize(study);
    study.warnings.clear();
    return study;
}

QString drawn(const QAbstractItemModel& model, const std::vector<int>& columns) {
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (const int column : columns) {
            cells << model.index(row, column).data().toString();
        }
        lines << cells.join(QStringLiteral(" | "));
    }
    return lines.join(u'\n');
}

}  // namespace

class TestSummaryModel : public QObject {
    Q_OBJECT

  private slots:
    void readsAsAPersonWould() {
        SummaryModel model;
        const QAbstractItemModelTester tester(&model);
        model.setStudy(fixture());
        QCOMPARE(drawn(model, {SummaryModel::kArm, SummaryModel::kThroughput, SummaryModel::kRatio,
                               SummaryModel::kWall, SummaryModel::kMinorFaults, SummaryModel::kPrivate}),
                 QStringLiteral("read | 5.00 GiB/s | 1.00 | 100 ms | 310 | 9 MiB\n"
                                "mmap | 6.25 GiB/s | 1.25 [1.25, 1.25] | 80.0 ms | 12,345 | 10 MiB\n"
                                "pread | 5.00 GiB/s | 1.00 [1.00, 1.00] | 100 ms | 310 | 10 MiB\n"
                                "hugetlb-memfd | n/a | n/a | n/a | n/a | n/a"));
    }

    void verdictsAreWordsAndReasonsAreVisible() {
        SummaryModel model;
        model.setStudy(fixture());
        const auto verdict = [&](int row) {
            return model.index(row, SummaryModel::kVerdict).data().toString();
        };
        QCOMPARE(verdict(0), QStringLiteral("baseline"));
        QVERIFY(verdict(1).contains(QStringLiteral("faster")));
        QVERIFY(verdict(2).contains(QStringLiteral("tied")));
        QVERIFY(verdict(3).contains(QStringLiteral("unranked")));
        QVERIFY2(verdict(3).contains(QStringLiteral("needs 64 huge pages")), qPrintable(verdict(3)));
        const QString tip = model.index(3, SummaryModel::kArm).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(QStringLiteral("vm.nr_hugepages=64")));
    }

    void absentFiguresHaveNoValue() {
        SummaryModel model;
        model.setStudy(fixture());
        QVERIFY(!model.index(0, SummaryModel::kStorageRead).data(SummaryModel::kValueRole).isValid());
        QCOMPARE(model.index(0, SummaryModel::kStorageRead).data().toString(), QStringLiteral("n/a"));
        QVERIFY(model.index(0, SummaryModel::kStorageRead)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith(QStringLiteral("not available here")));
        QCOMPARE(model.index(0, SummaryModel::kMajorFaults).data().toString(), QStringLiteral("0"));
    }

    void sortsByTrueValuesAndKeepsAbsentLast_data() {
        QTest::addColumn<int>("column");
        QTest::addColumn<Qt::SortOrder>("order");
        QTest::addColumn<QStringList>("arms");
        // As text "10 MiB" would come before "9 MiB", and "12,345" before "310".
        QTest::newRow("amounts up") << int(SummaryModel::kPrivate) << Qt::AscendingOrder
                                    << QStringList{"read", "mmap", "pread", "hugetlb-memfd"};
        QTest::newRow("counts down") << int(SummaryModel::kMinorFaults) << Qt::DescendingOrder
                                     << QStringList{"mmap", "read", "pread", "hugetlb-memfd"};
        QTest::newRow("counts up") << int(SummaryModel::kMinorFaults) << Qt::AscendingOrder
                                   << QStringList{"read", "pread", "mmap", "hugetlb-memfd"};
        QTest::newRow("times up") << int(SummaryModel::kWall) << Qt::AscendingOrder
                                  << QStringList{"mmap", "read", "pread", "hugetlb-memfd"};
        QTest::newRow("names") << int(SummaryModel::kArm) << Qt::AscendingOrder
                               << QStringList{"hugetlb-memfd", "mmap", "pread", "read"};
    }
    void sortsByTrueValuesAndKeepsAbsentLast() {
        QFETCH(int, column);
        QFETCH(Qt::SortOrder, order);
        QFETCH(QStringList, arms);
        ComparePanel panel;
        panel.setStudy(fixture());
        panel.table()->sortByColumn(column, order);
        QStringList shown;
        for (int row = 0; row < panel.table()->model()->rowCount(); ++row) {
            shown << panel.table()->model()->index(row, SummaryModel::kArm).data().toString();
        }
        QCOMPARE(shown, arms);
        QVERIFY(panel.toTsv().section(u'\n', 1, 1).startsWith(arms.front()));
    }

    void aDoubleClickChoosesTheBaseline() {
        ComparePanel panel;
        panel.resize(900, 500);
        panel.setStudy(fixture());
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const QSignalSpy chosen(&panel, &ComparePanel::baselineChosen);
        QTableView* table = panel.table();
        const QPoint mmap = table->visualRect(table->model()->index(1, 0)).center();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, mmap);
        QCOMPARE(panel.selectedArm(), std::optional<std::uint32_t>(1));
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, mmap);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.first().first().toUInt(), 1U);
        // Selection survives the new figures.
        Study again = fixture();
        again.plan.baseline = 1;
        summarize(again);
        panel.setStudy(again);
        QCOMPARE(panel.selectedArm(), std::optional<std::uint32_t>(1));
        QCOMPARE(panel.model()->index(1, SummaryModel::kVerdict).data().toString(),
                 QStringLiteral("baseline"));
    }

    void theTableIsCopiedAsShown() {
        ComparePanel panel;
        panel.setStudy(fixture());
        for (int column = SummaryModel::kWall; column < SummaryModel::kColumnCount; ++column) {
            panel.table()->setColumnHidden(column, true);
        }
        QCOMPARE(panel.toTsv().section(u'\n', 0, 1),
                 QStringLiteral("arm\tverdict\tthroughput\tratio [95 % interval]\n"
                                "read\tbaseline\t5.00 GiB/s\t1.00"));
        const QByteArray state = panel.columnState();
        ComparePanel other;
        other.setStudy(fixture());
        QVERIFY(other.restoreColumnState(state));
        QCOMPARE(other.toTsv(), panel.toTsv());
        QVERIFY(!other.restoreColumnState("nonsense"));
        QVERIFY(!other.restoreColumnState({}));
        QCOMPARE(other.toTsv(), panel.toTsv());
    }

    void outcomesAreSaidInWords() {
        ComparePanel panel;
        const auto said = [&] {
            QStringList texts;
            for (const QLabel* label : panel.findChildren<QLabel*>()) {
                texts << label->text();
            }
            return texts.join(u'\n');
        };
        Study study = fixture();
        study.warnings = {"noisy: close other programs"};
        panel.setStudy(study);
        QVERIFY2(said().contains(QStringLiteral("✓ All 3 arms computed the same: rows 42")),
                 qPrintable(said()));
        QVERIFY(said().contains(QStringLiteral("⚠ noisy: close other programs")));
        QVERIFY(said().contains(QStringLiteral("hugetlb-memfd has no rank")));
        study.runs[1].outcome = Outcome{{{"rows", Outcome::Value(std::uint64_t{41})}}};
        summarize(study);
        panel.setStudy(study);
        QVERIFY2(said().contains(QStringLiteral("✗ The arms did not compute the same")), qPrintable(said()));
        panel.clear();
        QVERIFY(!said().contains(u'✗'));
    }

    void theChartHasABarForEveryRankedArm() {
        ComparePanel panel;
        panel.setStudy(fixture());
        int bars = 0;
        for (int i = 0; i < panel.ratioPlot()->plottableCount(); ++i) {
            bars += qobject_cast<QCPBars*>(panel.ratioPlot()->plottable(i)) != nullptr;
        }
        QCOMPARE(bars, 2);  // mmap and pread
        QVERIFY(panel.ratioPlot()->xAxis->range().contains(1.25));
        QVERIFY(panel.ratioPlot()->accessibleDescription().contains(QStringLiteral("mmap 1.25")));
    }

    void anEmptyStudyIsFine() {
        ComparePanel panel;
        panel.setStudy(Study());
        QCOMPARE(panel.toTsv().count(u'\n'), 1);
        QVERIFY(!panel.selectedArm());
    }
};

QTEST_MAIN(TestSummaryModel)
#include "tst_summary_model.moc"
