#include <QtTest>

#include <clocale>

#include "core/text.h"
#include "engine/report/report_fixtures.h"
#include "report/summary_table.h"
#include "report/tables.h"
#include "study/arm_figures.h"
#include "workload/workload.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

/// A small RFC 4180 reader: fields with commas, quotes and line ends inside quotes.
std::vector<QStringList> readCsv(const std::string& text) {
    std::vector<QStringList> rows(1);
    QString field;
    bool inQuotes = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inQuotes) {
            if (c != '"') {
                field += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                field += '"';
                ++i;
            } else {
                inQuotes = false;
            }
        } else if (c == '"') {
            inQuotes = true;
        } else if (c == ',' || c == '\n') {
            rows.back() << field;
            field.clear();
            if (c == '\n') {
                rows.emplace_back();
            }
        } else if (c != '\r') {
            field += c;
        }
    }
    rows.pop_back();
    return rows;
}

/// The cell of a column by its header.
QString at(const std::vector<QStringList>& rows, std::size_t row, const char* column) {
    const auto index = rows.front().indexOf(column);
    return index < 0 ? QString("no column %1").arg(column) : rows[row].at(index);
}

/// A study as people make them: two good arms, one that is not there.
Study usualStudy() {
    Study study = measuredStudy({"read", "mmap"}, 15, [](std::uint32_t arm, unsigned round) {
        return (arm == 0 ? 100.0 : 80.0) + 0.1 * round;
    });
    study.environment = fullEnvironment();
    study.arms.push_back(arm("hugetlb-memfd"));
    study.runs.push_back(
        badRun(2, Phase::inspection, 0, ErrorKind::unavailable,
               "needs 65 huge pages, 0 are free; to unlock: sudo sysctl vm.nr_hugepages=65"));
    study.complete = true;
    summarize(study);
    return study;
}

}  // namespace

class TestTables : public QObject {
    Q_OBJECT

  private slots:
    void ownWordsStandFirst();
    void text();
    void whatWasComparedIsNamed();
    void decodedBytesAreCalledSo();
    void smallFiguresKeepTheirDigits();
    void whoComputedTheSame();
    void userAndSystemTimeNeedTicks();
    void textFitsATerminal();
    void unitsFollowTheFigures_data();
    void unitsFollowTheFigures();
    void outcomes();
    void environment();
    void controlCharactersStayOut();
    void markdown();
    void runsCsv();
    void summaryCsv();
    void decimalsInAnyLocale();
    void nothingMeasuredYet();
};

void TestTables::text() {
    const QString out = QString::fromStdString(studyToText(usualStudy()));
    const QStringList lines = out.split('\n');
    QVERIFY(lines[0].startsWith("/data/file, 1 MiB, workload scan, cache warm, 15 rounds"));
    const auto row = lines.filter(QRegularExpression("^mmap ")).value(0).simplified();
    // 1 MiB in 80.8 ms (round 8's wall) is 12.4 MiB/s; 100.8 over 80.8 is 1.25.
    QVERIFY2(row.startsWith("mmap 12.4 1.25 [1.25–1.25] faster 80.8"), qPrintable(row));
    QVERIFY(out.contains("All arms that ran computed the same: bytes=1048576, sum=42"));
    QVERIFY(out.contains(
        "Not ranked: hugetlb-memfd: not available: needs 65 huge pages, 0 are free; to unlock: sudo "
        "sysctl vm.nr_hugepages=65"));
    QVERIFY(lines.filter(QRegularExpression("^hugetlb-memfd ")).value(0).contains("–"));
}

void TestTables::whatWasComparedIsNamed() {
    Study study = usualStudy();
    const auto header = [&] { return QString::fromStdString(studyToText(study)).section('\n', 0, 0); };
    QVERIFY2(header().endsWith("; arms read, mmap, hugetlb-memfd"), qPrintable(header()));
    study.plan.workload = "zstd";
    for (Arm& arm : study.arms) {
        arm.workload = "zstd";
        arm.threads = 2;
        arm.workloadParameters = *parseParameters(findWorkload("zstd")->parameters, "engine=ring,then=ticks");
    }
    QVERIFY2(header().contains("workload zstd:engine=ring,then=ticks, cache"), qPrintable(header()));
    QVERIFY2(header().endsWith("hugetlb-memfd, 2 threads each"), qPrintable(header()));
    QVERIFY(studyToMarkdown(study).find("workload zstd:engine=ring,then=ticks, cache") != std::string::npos);
    for (const auto& rows : {readCsv(runsToCsv(study)), readCsv(summaryToCsv(study))}) {
        QVERIFY2(at(rows, 1, "workload_params").contains("engine=ring") &&
                     at(rows, 1, "workload_params").contains("then=ticks"),
                 qPrintable(at(rows, 1, "workload_params")));
    }
    study.arms[1].threads = 1;  // then the ids say it
    QVERIFY(!header().contains("threads"));
    while (study.arms.size() < 9) {
        study.arms.push_back(arm("arm" + std::to_string(study.arms.size())));
    }
    QVERIFY2(header().endsWith("hugetlb-memfd, arm3, arm4, arm5 and 3 more"), qPrintable(header()));
}

void TestTables::decodedBytesAreCalledSo() {
    Study study = usualStudy();
    const auto isSaid = [&] {
        return std::pair(studyToText(study).find("decoded MiB/s") != std::string::npos,
                         studyToMarkdown(study).find("| median (decoded MiB/s) |") != std::string::npos);
    };
    QCOMPARE(isSaid(), std::pair(false, false));
    QCOMPARE(at(readCsv(summaryToCsv(study)), 1, "bytes_counted"), QString("bytes_in"));
    study.plan.workload = "zstd";
    for (Arm& arm : study.arms) {
        arm.workload = "zstd";
    }
    QCOMPARE(isSaid(), std::pair(true, true));
    QCOMPARE(at(readCsv(summaryToCsv(study)), 1, "bytes_counted"), QString("bytes_out"));
}

void TestTables::smallFiguresKeepTheirDigits() {
    // 3 bytes in 1 ms are 0.0029 MiB/s, not 0.
    Study study = measuredStudy({"read"}, 5, [](auto, auto) { return 1.0; });
    for (RunRecord& run : study.runs) {
        run.bytesIn = Bytes(3);
    }
    summarize(study);
    QCOMPARE(QString::fromStdString(summaryTable(study).rows[0][1]), QString("0.0029"));
    for (RunRecord& run : study.runs) {
        run.bytesIn = Bytes(0);
    }
    summarize(study);
    QCOMPARE(QString::fromStdString(summaryTable(study).rows[0][1]), QString(kNoFigure));
}

void TestTables::whoComputedTheSame() {
    const auto said = [](const Study& study) {
        const QString line = QString::fromStdString(outcomeLine(study));
        return line.section(':', 0, 0);
    };
    const auto wall = [](auto, auto) { return 10.0; };
    QCOMPARE(said(measuredStudy({"read", "mmap"}, 5, wall)), QString("All arms computed the same"));
    QCOMPARE(said(measuredStudy({"read"}, 5, wall)), QString("Every run computed the same"));
    QCOMPARE(said(measuredStudy({"read"}, 1, wall)), QString("The one run computed"));
    Study study = measuredStudy({"read"}, 5, wall);
    study.arms.push_back(arm("mmap"));
    QCOMPARE(said(study), QString("Every run of read computed the same"));
    study.arms.push_back(arm("pread"));
    study.runs.push_back(goodRun(2, Phase::measured, 1, 10));
    QCOMPARE(said(study), QString("All arms that ran computed the same"));
}

void TestTables::userAndSystemTimeNeedTicks() {
    Study study = usualStudy();
    const auto withCpu = [&](std::chrono::milliseconds cpu) {
        for (RunRecord& run : study.runs) {
            run.cpu = run.user = cpu;
            run.system = Nanoseconds(0);
        }
        return figuresOf(study, 0);
    };
    const ArmFigures brief = withCpu(std::chrono::milliseconds(5));
    QVERIFY(brief.cpuNs && !brief.userNs && !brief.systemNs);
    QVERIFY(studyToText(study).find("Note: user and system are not told where a run uses under 40 ms") !=
            std::string::npos);
    const ArmFigures enough = withCpu(std::chrono::milliseconds(50));
    QCOMPARE(enough.userNs, std::optional(50e6));
    QVERIFY(!enough.systemNs);  // less than a tick is not nothing
}

void TestTables::textFitsATerminal() {
    Study study = usualStudy();
    study.arms[1].id = "mmap-prefetch:ahead=128MiB,how=populate@16";
    for (RunRecord& run : study.runs) {
        run.minorFaults = 123'456'789;
        run.majorFaults = 1'340'000;
        run.peakPrivate = gib(100);
        run.storageRead = gib(4000);
        run.user = run.system = run.wall;
    }
    summarize(study);
    const std::string out = studyToText(study);
    bool inTable = false;
    for (const QString& line : QString::fromStdString(out).split('\n')) {
        inTable = inTable ? !line.isEmpty() : line.startsWith("arm ");
        if (inTable) {
            QVERIFY2(displayWidth(line.toStdString()) <= 120, qPrintable(line));
        }
    }
    QVERIFY(out.find(study.arms[1].id) != std::string::npos);
}

void TestTables::unitsFollowTheFigures_data() {
    QTest::addColumn<double>("wallMs");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("cell");
    QTest::newRow("ns") << 0.0005 << "ns"
                        << "500";
    QTest::newRow("µs") << 0.25 << "µs"
                        << "250";
    QTest::newRow("ms") << 2500.0 << "ms"
                        << "2500";
    QTest::newRow("s") << 25'000.0 << "s"
                       << "25.0";
}

void TestTables::unitsFollowTheFigures() {
    QFETCH(double, wallMs);
    QFETCH(QString, unit);
    QFETCH(QString, cell);
    Study study = measuredStudy({"read"}, 5, [&](auto, auto) { return wallMs; });
    summarize(study);
    const SummaryTable table = summaryTable(study);
    QCOMPARE(QString::fromStdString(table.columns[4].unit), unit);
    QCOMPARE(QString::fromStdString(table.rows[0][4]), cell);
}

void TestTables::outcomes() {
    Study study = usualStudy();
    study.runs[1].outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{41}}}};
    summarize(study);
    const QString out = QString::fromStdString(studyToText(study));
    QVERIFY(out.contains("Arms computed different results: sum: read and mmap 42, mmap 41"));
    QVERIFY(!out.contains("computed the same"));
    QVERIFY(out.contains("Warning: The arms computed different results"));
    QVERIFY(!out.contains("1.25 ["));
}

void TestTables::environment() {
    // With every arm in, the outcome line says so.
    QVERIFY(outcomeLine(fullStudy()).find("All arms computed the same: ") == 0);
    const QString line = QString::fromStdString(environmentLine(usualStudy()));
    for (const char* part : {"A CPU", "12 CPUs", "24 GiB", "KVM guest", "Linux 6.18.1-test",
                             "ext4 on /dev/vda (nvme)", "readahead 8 MiB", "THP madvise", "cache warm",
                             "mmapscope 0.1.0", "zstd 1.5.4", "OpenSSL 3.0.15"}) {
        QVERIFY2(line.contains(part), part);
    }
    QVERIFY(!line.contains('\n'));
}

void TestTables::controlCharactersStayOut() {
    Study study = usualStudy();
    study.plan.file = "/data/\x1b[31mred\n";
    study.arms[0].id = "read\r";
    study.runs[3].status = RunStatus::failed;
    study.runs[3].error = "line\nbreak";
    study.warnings = {"bell\a"};
    summarize(study);
    for (const std::string& out : {studyToText(study), studyToMarkdown(study)}) {
        for (const char c : out) {
            QVERIFY(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
        }
    }
}

void TestTables::markdown() {
    Study study = usualStudy();
    study.arms[1].id = "mmap|x";
    const QString out = QString::fromStdString(studyToMarkdown(study));
    const QStringList lines = out.split('\n');
    QVERIFY(lines[0].startsWith("| arm | median (MiB/s) | ratio \\[95 %\\] (× baseline) | verdict |"));
    QVERIFY(lines[1].startsWith("| --- | ---: | ---: | --- | ---: |"));
    QVERIFY(lines[3].startsWith("| mmap\\|x | 12.4 |"));
    static const QRegularExpression bar("(?<!\\\\)\\|");
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(lines[i].count(bar), 13);
    }
    QVERIFY(out.contains("- All arms that ran computed the same: bytes=1048576, sum=42"));
    QVERIFY(out.contains("Linux 6.18.1-test"));
}

void TestTables::runsCsv() {
    const Study study = fullStudy();
    const std::string text = runsToCsv(study);
    QVERIFY(text.find("\r\n") != std::string::npos);
    const auto rows = readCsv(text);
    QCOMPARE(rows.size(), study.runs.size() + 1);
    for (const QStringList& row : rows) {
        QCOMPARE(row.size(), rows.front().size());
    }
    const std::pair<const char*, const char*> expected[] = {{"arm", "1"},
                                                            {"arm_id", "mmap"},
                                                            {"source", "mmap"},
                                                            {"workload", "scan"},
                                                            {"threads", "2"},
                                                            {"round", "0"},
                                                            {"phase", "inspection"},
                                                            {"status", "ok"},
                                                            {"error", ""},
                                                            {"wall_ns", "12500000"},
                                                            {"setup_ns", "11"},
                                                            {"cpu_ns", "12"},
                                                            {"user_ns", "13"},
                                                            {"system_ns", "14"},
                                                            {"bytes_in", "1048576"},
                                                            {"bytes_out", "15"},
                                                            {"minor_faults", "16"},
                                                            {"major_faults", "17"},
                                                            {"process_minor_faults", "18"},
                                                            {"process_major_faults", "19"},
                                                            {"peak_rss_bytes", "20"},
                                                            {"rss_delta_bytes", "-21"},
                                                            {"peak_private_bytes", "22"},
                                                            {"peak_hugetlb_bytes", "23"},
                                                            {"peak_mapped_cache_bytes", "24"},
                                                            {"heap_allocated_bytes", "25"},
                                                            {"voluntary_switches", "26"},
                                                            {"involuntary_switches", "27"},
                                                            {"storage_read_bytes", "28"},
                                                            {"cache_state", "warm-small"},
                                                            {"cache_reached", "true"},
                                                            {"cache_reason", "why"},
                                                            {"cache_resident_before", "0.25"},
                                                            {"cache_resident_after", "0.75"},
                                                            {"cache_folio_hint", "4 KiB"},
                                                            {"sampling_period_ns", "38"},
                                                            {"sampling_cost_fraction", "0.0039"},
                                                            {"mapping_thp_eligible", "true"},
                                                            {"mapping_kernel_page_bytes", "4096"},
                                                            {"mapping_mmu_page_bytes", "65536"},
                                                            {"mapping_anon_huge_bytes", "31"},
                                                            {"mapping_file_pmd_mapped_bytes", "32"},
                                                            {"mapping_shmem_pmd_mapped_bytes", "33"},
                                                            {"mapping_hugetlb_bytes", "34"},
                                                            {"mapping_page_table_bytes", "35"},
                                                            {"outcome_rows", "29"},
                                                            {"outcome_sums_price", "-0.50"},
                                                            {"outcome_first_time", "x,y"},
                                                            {"counter_page_faults", "36"},
                                                            {"warnings", "a note; another, with \"quotes\""}};
    for (const auto& [column, value] : expected) {
        QCOMPARE(at(rows, 1, column), QString(value));
    }
    QCOMPARE(at(rows, 2, "params"), QString("buffer=64KiB"));
    QCOMPARE(at(rows, 2, "peak_rss_bytes"), QString());
    QCOMPARE(at(rows, 2, "outcome_bytes"), QString("1048576"));
    const std::size_t failed = rows.size() - 2;
    QCOMPARE(at(rows, failed, "error"), QString("killed by signal 9 (SIGKILL)"));
    QCOMPARE(at(rows, failed, "wall_ns"), QString());
    QCOMPARE(at(rows, failed, "minor_faults"), QString());
}

void TestTables::summaryCsv() {
    const auto rows = readCsv(summaryToCsv(usualStudy()));
    QCOMPARE(rows.size(), std::size_t{4});
    QCOMPARE(at(rows, 1, "verdict"), QString("baseline"));
    QCOMPARE(at(rows, 2, "arm_id"), QString("mmap"));
    QCOMPARE(at(rows, 2, "runs"), QString("15"));
    QCOMPARE(at(rows, 2, "median_wall_ns"), QString("80800000"));
    QVERIFY(std::abs(at(rows, 2, "ratio").toDouble() - 100.8 / 80.8) < 1e-3);
    QCOMPARE(at(rows, 3, "ratio"), QString());
    QCOMPARE(at(rows, 3, "median_wall_ns"), QString());
    QVERIFY(at(rows, 3, "unranked_reason").contains("needs 65 huge pages"));
}

void TestTables::decimalsInAnyLocale() {
    const Study study = fullStudy();
    const auto all = [&] {
        return runsToCsv(study) + summaryToCsv(study) + studyToText(study) + studyToMarkdown(study);
    };
    const std::string plain = all();
    // A locale made on the spot where the system has the sources for one; else any with a decimal comma.
    QTemporaryDir folder;
    const bool made =
        QProcess::execute("localedef", {"-i", "de_DE", "-f", "UTF-8", folder.filePath("de_DE.UTF-8")}) == 0;
    if (made) {
        qputenv("LOCPATH", folder.path().toUtf8());
    }
    const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    const std::string comma = set ? std::localeconv()->decimal_point : "";
    const std::string there = all();
    std::setlocale(LC_ALL, "C");
    qunsetenv("LOCPATH");
    if (!set) {
        QSKIP("this system has no locale with a decimal comma, and no sources to make one");
    }
    QCOMPARE(comma, std::string(","));
    QCOMPARE(there, plain);
}

void TestTables::nothingMeasuredYet() {
    Study study = emptyStudy({"read"});
    study.plan.rounds = 0;
    summarize(study);
    const QString out = QString::fromStdString(studyToText(study));
    QVERIFY(out.contains("rounds not fixed yet (not finished: 0 measured)"));
    QVERIFY(out.contains("Not ranked: read: 0 of at least 5 good rounds"));
    QCOMPARE(readCsv(runsToCsv(study)).size(), std::size_t{1});
}

void TestTables::ownWordsStandFirst() {
    Study study = fixtures::fullStudy();
    study.title = "Quiet *machine*";
    study.note = "first line\nsecond\x1b[31m";
    QVERIFY(QString::fromStdString(studyToText(study))
                .startsWith("Quiet *machine*\nfirst line\nsecond\\x1b[31m\n\n"));
    QVERIFY(QString::fromStdString(studyToMarkdown(study))
                .startsWith("## Quiet \\*machine\\*\n\nfirst line\n\n"));
}

QTEST_GUILESS_MAIN(TestTables)
#include "tst_tables.moc"
