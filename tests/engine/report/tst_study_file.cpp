#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/report/report_fixtures.h"
#include "report/study_file.h"
#include "report/study_text.h"
#include "report/tables.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using nlohmann::ordered_json;

class TestStudyFile : public QObject {
    Q_OBJECT

  private slots:
    void contract();
    void comesBackAsItWas();
    void plannedAndUnfinishedStudies();
    void absentStaysAbsent();
    void pathsThatAreNotText();
    void unknownKeysAreIgnored();
    void missingSummaryIsMadeAgain();
    void refusals_data();
    void refusals();
    void everyTruncationIsAnError();
    void mutationsNeverCrash();
    void hostileNumbers_data();
    void hostileNumbers();
    void savesAndLoads();
    void compressedByItsSuffix();
    void compressedAndDamaged();
    void titleAndNote();
    void loadNamesTheFile();
};

namespace {

ordered_json jsonOf(const Study& study) {
    return ordered_json::parse(studyToJson(study));
}

std::string errorOf(const std::string& text) {
    const auto study = studyFromJson(text);
    return study ? "" : study.error().message;
}

}  // namespace

void TestStudyFile::contract() {
    const ordered_json json = jsonOf(fullStudy());
    QCOMPARE(json["format"], "mmapscope-study");
    QCOMPARE(json["version"], 1);
    const auto has = [](const ordered_json& object, std::initializer_list<const char*> keys) {
        for (const char* key : keys) {
            QVERIFY2(object.contains(key) && !object[key].is_null(), key);
        }
    };
    has(json["environment"], {"tool_version",     "kernel",     "cpu",           "cores",
                              "memory_bytes",     "page_bytes", "thp",           "huge_pages",
                              "filesystem",       "device",     "mount_options", "storage_class",
                              "governor",         "swappiness", "mglru",         "cgroup_version",
                              "read_ahead_bytes", "libzstd",    "openssl",       "virtual_machine",
                              "counters"});
    has(json["environment"]["thp"], {"enabled", "defrag", "shmem_enabled"});
    has(json["environment"]["huge_pages"], {"size_bytes", "total", "free", "reserved", "surplus"});
    has(json["plan"], {"file", "file_bytes", "limit_bytes", "workload", "rounds", "warmups", "order_seed",
                       "cache", "isolation", "baseline"});
    QVERIFY(json["plan"].contains("memory_cap_bytes"));
    has(json["arms"][0], {"id", "source", "params", "workload", "threads"});
    has(json["runs"][0], {"arm", "round", "phase", "status", "wall_ns", "outcome", "mapping", "cache",
                          "counters", "sampling", "stamps", "warnings"});
    QVERIFY(json["runs"][0].contains("error"));
    has(json["summary"][1], {"arm", "runs", "median_wall_ns", "min_wall_ns", "max_wall_ns", "mad_wall_ns",
                             "median_bytes_per_s", "verdict", "outcomes_agree"});
    QCOMPARE(json["environment"]["storage_class"], "nvme");
    QCOMPARE(json["plan"]["cache"], "warm-small");
    QCOMPARE(json["plan"]["isolation"], "in-process");
    QCOMPARE(json["plan"]["order_seed"].get<std::uint64_t>(), 0xfedcba9876543210U);
    QCOMPARE(json["runs"][0]["outcome"]["sums"]["price"], "-0.50");
}

void TestStudyFile::comesBackAsItWas() {
    const Study before = fullStudy();
    const std::string text = studyToJson(before);
    const auto after = studyFromJson(text);
    QVERIFY2(after, after ? "" : after.error().message.c_str());
    // The writer covers every field (contract), so equal text is equal content …
    QCOMPARE(studyToJson(*after), text);
    // … and what it would write wrongly both ways shows here.
    QCOMPARE(after->environment.hugePages->reserved, 3ULL);
    QCOMPARE(after->environment.counters, before.environment.counters);
    QCOMPARE(after->environment.storage, StorageClass::nvme);
    QCOMPARE(*after->environment.swappiness, 60);
    QCOMPARE(after->plan.orderSeed, before.plan.orderSeed);
    QCOMPARE(after->plan.baseline, 1U);
    QCOMPARE(after->arms[0].workloadParameters, before.arms[0].workloadParameters);
    QCOMPARE(after->runs.size(), before.runs.size());
    QCOMPARE(*after->runs[0].rssDeltaBytes, -21);
    QVERIFY(*after->runs[0].outcome == *before.runs[0].outcome);
    QCOMPARE(after->runs[0].sampling.samples[1].rssAnon, 42ULL);
    QCOMPARE(after->runs[0].sampling.samples[0].rssAnon, kNotAvailable);
    QCOMPARE(*after->summary[0].medianBytesPerSecond, *before.summary[0].medianBytesPerSecond);
    QCOMPARE(after->summary[0].unrankedReason, before.summary[0].unrankedReason);
    QCOMPARE(after->warnings, before.warnings);
    QVERIFY(after->complete);
    QCOMPARE(studyToText(*after), studyToText(before));
    QCOMPARE(runsToCsv(*after), runsToCsv(before));
}

void TestStudyFile::plannedAndUnfinishedStudies() {
    Study study = emptyStudy({"read"});
    study.plan.rounds = 0;
    summarize(study);
    const auto planned = studyFromJson(studyToJson(study));
    QVERIFY(planned);
    QCOMPARE(planned->plan.rounds, 0U);
    QVERIFY(planned->runs.empty() && !planned->complete);
    QVERIFY(jsonOf(study)["plan"]["rounds"].is_null());
    RunRecord cut = goodRun(0, Phase::measured, 1, 0);
    cut.status = RunStatus::cancelled;
    cut.outcome.reset();
    study.runs.push_back(cut);
    const auto stopped = studyFromJson(studyToJson(study));
    QVERIFY(stopped);
    QCOMPARE(stopped->runs[0].status, RunStatus::cancelled);
}

void TestStudyFile::absentStaysAbsent() {
    Study study = emptyStudy({"read"});
    summarize(study);
    const ordered_json json = jsonOf(study);
    QVERIFY(json["environment"]["governor"].is_null());
    QVERIFY(json["environment"]["huge_pages"].is_null());
    QVERIFY(json["summary"][0]["median_wall_ns"].is_null());
    const auto after = studyFromJson(json.dump());
    QVERIFY(after);
    QVERIFY(!after->environment.governor && !after->environment.hugePages && !after->environment.memory);
    QVERIFY(!after->environment.virtualMachine && !after->environment.swappiness &&
            !after->environment.readAhead);
    QVERIFY(!after->summary[0].medianWall && !after->summary[0].ratio && !after->plan.limit);
}

void TestStudyFile::pathsThatAreNotText() {
    Study study = emptyStudy({"read"});
    study.plan.file = "/data/\xff\xfe\n name";
    study.runs.push_back(badRun(0, Phase::measured, 1, ErrorKind::failed, "\xff can't be read"));
    summarize(study);
    const auto after = studyFromJson(studyToJson(study));
    QVERIFY(after);
    QCOMPARE(after->plan.file, study.plan.file);
}

void TestStudyFile::unknownKeysAreIgnored() {
    ordered_json json = jsonOf(fullStudy());
    for (const char* part : {"environment", "plan"}) {
        json[part]["of_tomorrow"] = {1, 2, 3};
    }
    for (const char* part : {"arms", "runs", "summary"}) {
        json[part][0]["of_tomorrow"] = {{"deep", nullptr}};
    }
    json["crossovers"] = ordered_json::array();
    json["weather"] = "whatever";
    QCOMPARE(errorOf(json.dump()), std::string());
    json["environment"]["storage_class"] = "holographic";
    QCOMPARE(studyFromJson(json.dump())->environment.storage, StorageClass::unknown);
}

void TestStudyFile::missingSummaryIsMadeAgain() {
    const Study before = fullStudy();
    ordered_json json = jsonOf(before);
    json.erase("summary");
    const auto none = studyFromJson(json.dump());
    QCOMPARE(none->summary.size(), std::size_t{2});
    QCOMPARE(none->summary[1].medianWall->count(), before.summary[1].medianWall->count());
    json = jsonOf(before);
    std::swap(json["summary"][0], json["summary"][1]);
    QCOMPARE(studyFromJson(json.dump())->summary[0].arm, 0U);
}

void TestStudyFile::refusals_data() {
    QTest::addColumn<QString>("path");   ///< JSON pointer
    QTest::addColumn<QString>("value");  ///< JSON; empty: removed
    QTest::addColumn<QString>("words");
    const auto row = [](const char* path, const char* value, const char* words) {
        QTest::addRow("%s=%s", path, value) << path << value << words;
    };
    row("/version", "2", "version 2 and this program reads up to 1");
    row("/version", "", "version is missing");
    row("/version", "\"1\"", "version");
    row("/version", "0", "version");
    row("/format", "\"heaptrack\"", "not a study");
    row("/format", "", "format is missing");
    row("/environment", "", "environment is missing");
    row("/plan", "[]", "plan is not an object");
    row("/plan/file_bytes", "-1", "plan.file_bytes");
    row("/plan/cache", "\"lukewarm\"", "plan.cache");
    row("/plan/baseline", "2", "plan.baseline is 2, and there are 2 arms");
    row("/arms", "[]", "arms is empty");
    row("/arms", "", "arms is empty");
    row("/arms/1/threads", "1.5", "arms[1].threads");
    row("/runs/3/arm", "2", "runs[3].arm is 2");
    row("/runs/3/arm", "4294967297", "runs[3].arm");
    row("/runs/3/wall_ns", "\"fast\"", "runs[3].wall_ns");
    row("/runs/3/status", "\"great\"", "runs[3].status");
    row("/runs/3/outcome", "7", "runs[3].outcome");
    row("/runs", "{}", "runs is not an array");
    row("/runs/2", "null", "runs[2] is not an object");
    row("/summary/1/ratio", "[]", "summary[1].ratio");
    row("/summary/1/verdict", "\"best\"", "summary[1].verdict");
    row("/environment/counters/dtlb", "1", "environment.counters.dtlb");
    row("/environment/huge_pages/free", "", "environment.huge_pages.free is missing");
    row("/warnings", "\"none\"", "warnings");
    row("/complete", "1", "complete");
}

void TestStudyFile::refusals() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, words);
    ordered_json json = jsonOf(fullStudy());
    const ordered_json::json_pointer pointer(path.toStdString());
    if (value.isEmpty()) {
        json[pointer.parent_pointer()].erase(pointer.back());
    } else {
        json[pointer] = ordered_json::parse(value.toStdString());
    }
    const std::string error = errorOf(json.dump());
    QVERIFY2(QString::fromStdString(error).contains(words), error.c_str());
    QVERIFY(error.find('\n') == std::string::npos);
}

void TestStudyFile::everyTruncationIsAnError() {
    Study study = emptyStudy({"read"});
    study.runs.push_back(fullRun());
    study.runs[0].arm = 0;
    summarize(study);
    const std::string text = studyToJson(study);
    // The last two characters are the closing brace and a newline.
    for (std::size_t length = 0; length + 2 <= text.size(); ++length) {
        QVERIFY2(!studyFromJson(text.substr(0, length)), qPrintable(QString::number(length)));
    }
    QVERIFY(QString::fromStdString(errorOf(text.substr(0, text.size() / 2)))
                .startsWith("not a whole study file"));
}

void TestStudyFile::mutationsNeverCrash() {
    const std::string original = studyToJson(fullStudy());
    SplitMix64 random(2024);
    unsigned accepted = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = original;
        for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
            const std::size_t at = random.below(text.size());
            switch (random.below(4)) {
                case 0:
                    text[at] = static_cast<char>(random.below(256));
                    break;
                case 1:
                    text.erase(at, 1 + random.below(8));
                    break;
                case 2:
                    text.insert(at, 1, "0123456789-+.eE\"[]{},:nN\\\xff"[random.below(26)]);
                    break;
                default:
                    text.insert(at, text.substr(random.below(text.size()), random.below(40)));
            }
            if (text.empty()) {
                break;
            }
        }
        if (const auto study = studyFromJson(text)) {
            ++accepted;  // whatever is accepted must be safe to show
            QVERIFY(!studyToText(*study).empty());
            QVERIFY(!runsToCsv(*study).empty());
            QVERIFY(!studyToJson(*study).empty());
        } else {
            QVERIFY(!study.error().message.empty());
        }
    }
    QVERIFY(accepted > 100 && accepted < 3900);
}

void TestStudyFile::hostileNumbers_data() {
    QTest::addColumn<QString>("number");
    for (const char* number : {"NaN", "Infinity", "-Infinity", "1e999", "-1", "18446744073709551616", "0x10",
                               "1e-3", "null", "true", "\"\""}) {
        QTest::newRow(number) << number;
    }
}

void TestStudyFile::hostileNumbers() {
    QFETCH(QString, number);
    QString text = QString::fromStdString(studyToJson(fullStudy()));
    QVERIFY(text.contains("\"file_bytes\":1048576"));
    text.replace("\"file_bytes\":1048576", "\"file_bytes\":" + number);
    QVERIFY(!errorOf(text.toStdString()).empty());
    QVERIFY(!errorOf(std::string(5000, '[')).empty());
    QVERIFY(!errorOf("").empty());
    QVERIFY(!errorOf("null").empty());
    QVERIFY(!errorOf("[]").empty());
}

void TestStudyFile::savesAndLoads() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("s.json").toStdString();
    QVERIFY(saveStudy(fullStudy(), path));
    const auto loaded = loadStudy(path);
    QVERIFY(loaded);
    QCOMPARE(studyToJson(*loaded), studyToJson(fullStudy()));

    Study measured = fullStudy();
    measured.plan.file = path;
    QVERIFY(!saveStudy(measured, path));
    QCOMPARE(studyToJson(*loadStudy(path)), studyToJson(fullStudy()));
}

void TestStudyFile::compressedByItsSuffix() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("s.mmapscope").toStdString();
    QVERIFY(saveStudy(fullStudy(), path));
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith("\x28\xb5\x2f\xfd"));
    QVERIFY(bytes.size() * 3 < qsizetype(studyToJson(fullStudy()).size()));
    QVERIFY(beginsAsStudy(bytes.toStdString()));
    QCOMPARE(studyToJson(*loadStudy(path)), studyToJson(fullStudy()));
    // Told from the content, whatever it is called.
    const std::string other = folder.filePath("s.json").toStdString();
    QVERIFY(QFile::copy(QString::fromStdString(path), QString::fromStdString(other)));
    QCOMPARE(studyToJson(*loadStudy(other)), studyToJson(fullStudy()));
}

void TestStudyFile::compressedAndDamaged() {
    QTemporaryDir folder;
    const QString path = folder.filePath("s.mmapscope");
    const QByteArray whole = QByteArray::fromStdString(*compressed(studyToJson(fullStudy())));
    const auto error = [&](const QByteArray& bytes) {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(bytes) != bytes.size()) {
            return std::string("not written");
        }
        file.close();
        const auto study = loadStudy(path.toStdString());
        return study ? std::string() : study.error().message;
    };
    QCOMPARE(error(whole), std::string());
    for (qsizetype length = 4; length < whole.size(); length += 64) {
        const QString said = QString::fromStdString(error(whole.left(length)));
        QVERIFY2(said.contains("its zstd frame ends in the middle"), qPrintable(said));
    }
    QByteArray flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(~flipped[whole.size() / 2]);
    QVERIFY(!error(flipped).empty());
    QVERIFY(!error(QByteArray::fromStdString(*compressed("not JSON"))).empty());
    // A small file that holds any amount: refused before memory is taken.
    const auto bomb = compressed(std::string(kib(64).count() * 1024, ' '));
    QByteArray frames;
    for (int i = 0; i < 40; ++i) {
        frames += QByteArray::fromStdString(*bomb);
    }
    QVERIFY(QString::fromStdString(error(frames)).contains("2 GiB"));
}

void TestStudyFile::titleAndNote() {
    Study study = fullStudy();
    study.title = "Über mmap";
    study.note = "a\nb";
    const auto read = studyFromJson(studyToJson(study));
    QVERIFY(read);
    QCOMPARE(read->title, study.title);
    QCOMPARE(read->note, study.note);
    QVERIFY(!QString::fromStdString(studyToJson(fullStudy())).contains("\"title\""));
}

void TestStudyFile::loadNamesTheFile() {
    QTemporaryDir folder;
    const auto error = [](const QString& path) {
        const auto study = loadStudy(path.toStdString());
        return study ? QString() : QString::fromStdString(study.error().message);
    };
    QVERIFY(error("/nowhere/s.json").contains("/nowhere/s.json can't be opened: No such file"));
    QVERIFY(error(folder.path()).contains("not a regular file"));
    QFile file(folder.filePath("empty.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QVERIFY(error(file.fileName()).contains("empty.json: the file is empty, so it is no study; choose"));
    const auto written = [&](const QByteArray& bytes) {
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
        file.close();
    };
    written(QByteArray("\xb3\x1f\0\xff", 4));
    QVERIFY(error(file.fileName()).contains("this is not a study, which begins with '{'; choose"));
    written("{\"format\":\"mmapscope-study\",");
    QVERIFY(error(file.fileName())
                .contains("not a whole study file: it ends in the middle, after 28 bytes; get a whole copy"));
    written("{\"format\":#}");
    QVERIFY(error(file.fileName()).contains("it is no JSON from byte 10 on"));
    written("{\"a\":1}");
    QVERIFY(error(file.fileName()).contains("JSON, but not a study: format is missing"));
}

QTEST_GUILESS_MAIN(TestStudyFile)
#include "tst_study_file.moc"
