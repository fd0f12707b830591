// Study files that somebody made to hurt, and studies with something in every part, which must come back
// byte for byte.
#include <malloc.h>
#include <sys/stat.h>

#include <QtTest>
#include <atomic>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>

#include "engine/report/report_fixtures.h"
#include "report/formats.h"
#include "report/study_file.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using nlohmann::ordered_json;

namespace {

std::atomic<std::int64_t> live{0}, peak{0};

void* counted(void* memory) {
    if (memory == nullptr) {
        std::abort();
    }
    const std::int64_t now = live += static_cast<std::int64_t>(::malloc_usable_size(memory));
    std::int64_t before = peak;
    while (before < now && !peak.compare_exchange_weak(before, now)) {
    }
    return memory;
}

void uncounted(void* memory) {
    live -= static_cast<std::int64_t>(::malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

// What this program takes from the heap is counted.
void* operator new(std::size_t size) {
    return counted(std::malloc(size));
}
void operator delete(void* memory) noexcept {
    uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    uncounted(memory);
}

namespace {

Study everything(bool sweep) {
    Study study = fullStudy();
    study.title = "A title";
    study.note = "and\na note";
    study.runs[0].residency = ResidencyHistory{{{-5, {0, 255, 16}}, {9, {255, 255, 255}, true}}, "", mib(3)};
    study.warnings = {"one", "two"};
    if (sweep) {
        study.sweep = SweepPlan{{mib(1), mib(2)}, 3, {}, true, 17};
        study.crossovers = {{1, 0, mib(1), mib(2), kib(1448), true, 0.95}};
        for (RunRecord& run : study.runs) {
            run.limit = mib(1 + run.round % 2);
        }
        summarize(study);
    }
    return study;
}

QString errorOf(const std::string& text) {
    const auto study = studyFromJson(text);
    return study ? QString() : QString::fromStdString(study.error().message);
}

bool isOneLine(const QString& error) {
    return !error.isEmpty() && !error.contains('\n') && error.size() < 1000;
}

/// Every place in it, by JSON pointer; of an array the first two elements.
void placesIn(const ordered_json& json, const std::string& at, std::vector<std::string>& out) {
    if (!at.empty()) {
        out.push_back(at);
    }
    std::size_t index = 0;
    for (const auto& item : json.items()) {
        if (!json.is_structured() || (json.is_array() && index++ >= 2)) {
            break;
        }
        const ordered_json::json_pointer here(at);
        placesIn(item.value(), (here / item.key()).to_string(), out);
    }
}

void replaceOnce(std::string& text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    QVERIFY2(at != std::string::npos, what.c_str());
    text.replace(at, what.size(), with);
}

}  // namespace

class TestStudyHostile : public QObject {
    Q_OBJECT

  private slots:
    void byteForByte_data() {
        QTest::addColumn<bool>("sweep");
        QTest::newRow("study") << false;
        QTest::newRow("sweep") << true;
    }
    void byteForByte() {
        QFETCH(bool, sweep);
        const Study study = everything(sweep);
        const std::string text = studyToJson(study);
        for (const char* part : {"\"fault_trace\":{", "\"residency\":{", "\"attribution\":[{", "\"stamps\":{",
                                 "\"split_runs\":[{", "\"samples\":{\"t_ns\":[", "\"title\":"}) {
            QVERIFY2(text.find(part) != std::string::npos, part);
        }
        QCOMPARE(text.find("\"sweep\":{") != std::string::npos, sweep);
        QCOMPARE(text.find("\"crossovers\":[{") != std::string::npos, sweep);
        const auto read = studyFromJson(text);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(studyToJson(*read), text);
        QTemporaryDir folder;
        for (const char* name : {"s.json", "s.mmapscope"}) {
            const std::string first = folder.filePath(name).toStdString();
            const std::string second = folder.filePath(QStringLiteral("again-") + name).toStdString();
            QVERIFY(saveStudy(study, first));
            QVERIFY(saveStudy(*loadStudy(first), second));
            QFile a(QString::fromStdString(first)), b(QString::fromStdString(second));
            QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
            QVERIFY(a.readAll() == b.readAll());
        }
    }

    /// What was read of the text is given back while the rest is read; nothing may need it then.
    void everyRunKeepsItsSamples() {
        Study study = everything(false);
        SplitMix64 random(7);
        for (RunRecord& run : study.runs) {
            for (std::int64_t i = 0; i < 2000; ++i) {
                Sample sample;
                sample.tNs = i * 1'000'000;
                sample.bytesIn = random.below(1U << 30U);
                run.sampling.samples.push_back(sample);
            }
        }
        const std::string text = studyToJson(study);
        QTemporaryDir folder;
        for (const char* name : {"s.json", "s.mmapscope"}) {
            const std::string path = folder.filePath(name).toStdString();
            QVERIFY(saveStudy(study, path));
            const auto read = loadStudy(path);
            QVERIFY(read);
            QVERIFY(studyToJson(*read) == text);
        }
    }

    /// Refused in one line, or read and reported; both are right, for some keys may be missing or null.
    void everyKeyOfEveryOtherType() {
        const ordered_json whole = ordered_json::parse(studyToJson(everything(true)));
        std::vector<std::string> places;
        placesIn(whole, "", places);
        QVERIFY(places.size() > 200);
        unsigned refused = 0;
        for (const std::string& place : places) {
            for (const char* value : {"null", "true", "-1", "1.5", "\"x\"", "[]", "{}", "[[0]]", "1e300",
                                      "18446744073709551615"}) {
                ordered_json json = whole;
                json[ordered_json::json_pointer(place)] = ordered_json::parse(value);
                const auto study = studyFromJson(json.dump());
                if (!study) {
                    ++refused;
                    QVERIFY2(isOneLine(QString::fromStdString(study.error().message)), place.c_str());
                    continue;
                }
                const std::string written = studyToJson(*study);
                const auto again = studyFromJson(written);
                QVERIFY2(again, place.c_str());
                QVERIFY2(studyToJson(*again) == written, place.c_str());
            }
        }
        QVERIFY(refused > places.size() * 3);
    }

    void hostileNumbersInEveryColumn_data() {
        QTest::addColumn<QString>("value");
        for (const char* value : {"NaN", "Infinity", "-Infinity", "1e999", "-9223372036854775809", "0x1",
                                  "1.5", "\"1\"", "true", "[1]", "{}"}) {
            QTest::newRow(value) << value;
        }
    }
    void hostileNumbersInEveryColumn() {
        QFETCH(QString, value);
        const std::string whole = studyToJson(everything(false));
        for (const char* column : {"\"t_ns\":[", "\"bytes_in\":[", "\"rss_anon_bytes\":["}) {
            std::string text = whole;
            replaceOnce(text, column, column + value.toStdString() + ',');
            QVERIFY2(isOneLine(errorOf(text)), column);
        }
    }

    void whatTheBriefestFileCanDo() {
        const std::string whole = studyToJson(everything(false));
        std::string text = whole;
        replaceOnce(text, "\"bytes_in\":[", "\"bytes_in\":[1,2,3,");
        QVERIFY2(errorOf(text).contains("differs in length from t_ns"), qPrintable(errorOf(text)));

        text = whole;
        replaceOnce(text, "\"rounds\":", "\"rounds\":1000000000000000000,\"of_old\":");
        QVERIFY2(errorOf(text).contains("plan.rounds"), qPrintable(errorOf(text)));

        // 100,000 deep: at the top, below an unknown key, and in a column.
        const std::string open(100'000, '['), close(100'000, ']');
        QVERIFY(isOneLine(errorOf(open)));
        for (const char* where : {"\"version\":1", "\"samples\":{", "\"period_ns\":"}) {
            for (const std::string& tail : {close, std::string()}) {
                text = whole;
                const std::string deep = "\"unknown\":" + open + tail + ',';
                const bool column = std::string(where).ends_with('{');
                replaceOnce(text, where, column ? where + deep : deep + where);
                // Where samples are read it is an unknown key that ends, so it is passed over.
                QVERIFY2((column && tail == close) ? errorOf(text).isEmpty() : isOneLine(errorOf(text)),
                         where);
            }
        }

        // Of two keys of one name the later counts, as in every JSON reader; but never a crash.
        text = whole;
        replaceOnce(text, "\"version\":1", "\"version\":1,\"version\":7");
        QVERIFY(errorOf(text).contains("version 7"));
        text = whole;
        replaceOnce(text, "\"samples\":{", "\"samples\":{\"t_ns\":[1,1,1]},\"samples\":{");
        QVERIFY(studyFromJson(text));

        text = whole;
        replaceOnce(text, "A title", "\xc3\x28\xff");
        QVERIFY(isOneLine(errorOf(text)));
    }

    void samplesElsewhereAreNotARuns() {
        const std::string whole = studyToJson(everything(false));
        for (const char* where : {"\"later\":[{\"sampling\":{\"samples\":{\"t_ns\":[9]}}}],",
                                  "\"sampling\":{\"samples\":{\"t_ns\":[9]}},", "\"samples\":{\"t_ns\":[9]},",
                                  "\"later\":{\"runs\":[{\"sampling\":{\"samples\":{\"t_ns\":[9]}}}]},"}) {
            for (const char* before : {"\"version\":1", "\"warnings\":[\"one\""}) {
                std::string text = whole;
                replaceOnce(text, before, std::string(where) + before);
                const auto read = studyFromJson(text);
                QVERIFY2(read, where);
                QCOMPARE(studyToJson(*read), whole);
            }
        }
    }

    void placesThatAreNoFiles() {
        QTemporaryDir folder;
        const std::string fifo = folder.filePath("f.mmapscope").toStdString();
        QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
        for (const std::string& path : {fifo, folder.path().toStdString(), std::string("/dev/zero")}) {
            const auto study = loadStudy(path);
            QVERIFY(!study);
            QVERIFY(isOneLine(QString::fromStdString(study.error().message)));
        }
    }

    /// As JSON values each would need some 16 bytes a number, more than twice this.
    void readingTakesLessThanTheSamplesThemselves() {
        constexpr std::size_t kSamples = 50'000;
        Study study = emptyStudy({"read"});
        study.runs.push_back(goodRun(0, Phase::measured, 1, 10));
        SplitMix64 random(3);
        for (std::size_t i = 0; i < kSamples; ++i) {
            Sample sample;
            sample.tNs = static_cast<std::int64_t>(i * 1'000'000 + random.below(90'000));
            sample.bytesIn = i * 3'000'000 + random.below(200'000);
            sample.minorFaults = i * 46 + random.below(3);
            sample.rssAnon = 900'000 + i / 500 * 4096;
            sample.rssFile = i * 2'900'000;
            sample.tlbShootdowns = i / 10;
            sample.majorFaults = sample.storageRead = sample.anonHuge = sample.poolFree = 0;
            study.runs[0].sampling.samples.push_back(sample);
        }
        summarize(study);
        const std::string text = studyToJson(study);
        const std::int64_t before = live;
        peak = before;
        const auto read = studyFromJson(text);
        QVERIFY(read);
        QCOMPARE(read->runs[0].sampling.samples.size(), kSamples);
        const auto eachSample = static_cast<double>(peak - before) / static_cast<double>(kSamples);
        QVERIFY2(eachSample < static_cast<double>(sizeof(Sample)), qPrintable(QString::number(eachSample)));
        const auto kept = static_cast<double>(live - before) / static_cast<double>(kSamples);
        QVERIFY2(kept < static_cast<double>(sizeof(Sample)) / 2, qPrintable(QString::number(kept)));
    }
};

QTEST_GUILESS_MAIN(TestStudyHostile)
#include "tst_study_hostile.moc"
