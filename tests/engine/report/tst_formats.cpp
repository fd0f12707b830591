// The list of formats, what is found said in words, and a sweep in every format.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

#include "engine/report/report_fixtures.h"
#include "report/formats.h"
#include "report/remarks.h"
#include "report/tables.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

/// `walls`: of each arm in every round, in ms; `spread`: how far rounds lie apart, as a share.
Study studyOf(const std::vector<double>& walls, const std::vector<double>& spread) {
    std::vector<std::string> ids{"read", "mmap", "direct", "memory"};
    ids.resize(walls.size());
    Study study = measuredStudy(ids, 9, [&](std::uint32_t arm, unsigned round) {
        return walls[arm] * (1 + spread[arm] * ((round * 7 + arm * 3) % 9 / 4.0 - 1));
    });
    summarize(study);
    return study;
}

QString words(const Study& study) {
    QStringList lines;
    for (const std::string& line : findingsInWords(study)) {
        lines << QString::fromStdString(line);
    }
    return lines.join('\n');
}

Study sweepOf() {
    Study study = emptyStudy({"read", "mmap"});
    study.plan.rounds = 5;
    study.sweep.emplace();
    study.sweep->complete = true;
    for (const std::uint64_t size : {16U, 64U}) {
        study.sweep->sizes.push_back(mib(size));
        for (unsigned round = 1; round <= 5; ++round) {
            for (std::uint32_t arm = 0; arm < 2; ++arm) {
                RunRecord run =
                    goodRun(arm, Phase::measured, round, static_cast<double>(size) * (arm == 0 ? 1.0 : 0.5));
                run.limit = mib(size);
                study.runs.push_back(run);
            }
        }
    }
    summarize(study);
    return study;
}

}  // namespace

class TestFormats : public QObject {
    Q_OBJECT

  private slots:
    void everyFormatOnce();
    void aClearWinner();
    void aWinnerNotTold();
    void noneFaster();
    void nothingMeasured();
    void environmentIsNeverGuessed();
    void ofASweepEveryRowHasItsSize();
    void anotherReaderOfCsvAgrees();
};

void TestFormats::everyFormatOnce() {
    std::set<std::string_view> names;
    for (const ReportFormatFacts& facts : reportFormats()) {
        QVERIFY(names.insert(facts.name).second);
        QCOMPARE(findReportFormat(facts.name), &facts);
        QCOMPARE(&factsOf(facts.format), &facts);
        QCOMPARE(facts.write == nullptr, facts.format == ReportFormat::html);
        if (facts.write != nullptr) {
            QVERIFY(!facts.write(fullStudy()).empty());
            QVERIFY(!facts.write(sweepOf()).empty());
            QVERIFY(!facts.write(Study()).empty());
        }
    }
    QCOMPARE(names.size(), std::size_t{7});
    QVERIFY(findReportFormat("docx") == nullptr);
}

void TestFormats::aClearWinner() {
    const QString said = words(studyOf({100, 50, 80, 130}, {0.002, 0.002, 0.002, 0.002}));
    QVERIFY(said.contains("The baseline is read, "));
    QVERIFY(said.contains("mmap is the fastest: 2.00× (95 % interval "));
    QVERIFY(said.contains("Also faster than the baseline: direct 1.25×"));
    QVERIFY(said.contains("Slower than the baseline: memory 0.77×"));
}

void TestFormats::aWinnerNotTold() {
    // Both about twice as fast, and either scatters over the other.
    const QString said = words(studyOf({100, 50, 51}, {0.002, 0.2, 0.2}));
    QVERIFY2(said.contains("has the highest ratio"), qPrintable(said));
    QVERIFY(said.contains("so whether it is faster than that one is not told here"));
    QVERIFY(!said.contains("is the fastest"));
}

void TestFormats::noneFaster() {
    const QString said = words(studyOf({100, 100, 140}, {0.002, 0.002, 0.002}));
    QVERIFY(said.contains("No arm is faster than the baseline."));
    QVERIFY(said.contains("Tied with the baseline: mmap 1.00×"));
    QVERIFY(said.contains("Slower than the baseline: direct 0.7"));
}

void TestFormats::nothingMeasured() {
    QCOMPARE(words(emptyStudy({"read", "mmap"})), QString("Nothing was measured."));
    Study failed = emptyStudy({"read"});
    failed.runs.push_back(badRun(0, Phase::measured, 1, ErrorKind::failed, "killed"));
    QCOMPARE(words(failed), QString("No arm has figures to rank."));
}

void TestFormats::environmentIsNeverGuessed() {
    for (const NamedFact& fact : environmentFacts(Study())) {
        QVERIFY2(
            fact.value == "not available here" || fact.name == "storage" || fact.name == "virtual machine",
            fact.name.c_str());
    }
    for (const NamedFact& fact : environmentFacts(fullStudy())) {
        QVERIFY(fact.value != "not available here" || fact.name == "counter dtlb");
    }
}

void TestFormats::ofASweepEveryRowHasItsSize() {
    const auto lines = QString::fromStdString(summaryToCsv(sweepOf())).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 2 * 2);
    QVERIFY(lines[0].startsWith("limit_bytes,arm,arm_id,"));
    QVERIFY(lines[1].startsWith("16777216,0,read,"));
    QVERIFY(lines[4].startsWith("67108864,1,mmap,"));
    QVERIFY(lines[4].contains(",faster,"));
    const auto runs = QString::fromStdString(runsToCsv(sweepOf())).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(runs.size(), 1 + 2 * 2 * 5);
    const auto column = runs[0].split(',').indexOf("limit_bytes");
    QVERIFY(column > 0);
    QCOMPARE(runs[1].split(',')[column], QString("16777216"));
    // A plain study has no such column: its limit is the plan's.
    QVERIFY(!runsToCsv(fullStudy()).starts_with("limit_bytes"));
    QVERIFY(!QString::fromStdString(runsToCsv(fullStudy())).section("\r\n", 0, 0).contains("limit_bytes"));
}

void TestFormats::anotherReaderOfCsvAgrees() {
    const QString python = QStandardPaths::findExecutable("python3");
    if (python.isEmpty()) {
        QSKIP("python3 is not installed");
    }
    Study study = fullStudy();
    study.arms[0].id = "a,\"b\"\r\nc;d\te 'f' ü";
    study.runs[3].error = "two\nlines, \"quoted\"";
    QTemporaryDir folder;
    for (const auto& [name, text] : {std::pair{"runs", runsToCsv(study)}, {"summary", summaryToCsv(study)}}) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
        file.close();
        QProcess reader;
        reader.start(python,
                     {"-c",
                      "import csv,json,sys\n"
                      "print(json.dumps(list(csv.reader(open(sys.argv[1],newline='',encoding='utf-8'),"
                      "strict=True))))",
                      file.fileName()});
        QVERIFY(reader.waitForFinished());
        QVERIFY2(reader.exitCode() == 0, reader.readAllStandardError().constData());
        const QJsonArray rows = QJsonDocument::fromJson(reader.readAllStandardOutput()).array();
        const auto records =
            text.starts_with("arm") && std::string(name) == "runs" ? study.runs.size() : study.summary.size();
        QCOMPARE(rows.size(), static_cast<qsizetype>(records) + 1);
        const auto id = rows[0].toArray().toVariantList().indexOf("arm_id");
        bool seen = false;
        for (qsizetype i = 1; i < rows.size(); ++i) {
            QCOMPARE(rows[i].toArray().size(), rows[0].toArray().size());
            seen = seen || rows[i].toArray()[id].toString().toStdString() == study.arms[0].id;
        }
        QVERIFY(seen);
    }
}

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
