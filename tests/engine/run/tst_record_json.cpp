#include <QTest>

#include "run/record_json.h"

using namespace mmapscope;

namespace {

Sample sampleAt(std::int64_t tNs, std::uint64_t bytes, std::uint64_t anon) {
    Sample sample;
    sample.tNs = tNs;
    sample.bytesIn = bytes;
    sample.rssAnon = anon;
    return sample;
}

/// Every member differs from its default.
RunRecord fullRecord() {
    RunRecord r;
    r.arm = 3;
    r.round = 7;
    r.phase = Phase::inspection;
    r.status = RunStatus::ok;
    r.wall = Nanoseconds(123456789);
    r.setup = Nanoseconds(2345);
    r.cpu = Nanoseconds(99);
    r.user = Nanoseconds(98);
    r.system = Nanoseconds(97);
    r.bytesIn = mib(16);
    r.bytesOut = mib(32);
    r.minorFaults = 11;
    r.majorFaults = 12;
    r.processMinorFaults = 13;
    r.processMajorFaults = 14;
    r.peakRss = mib(5);
    r.rssDeltaBytes = -4096;
    r.peakPrivate = kib(64);
    r.peakHugetlb = mib(2);
    r.peakMappedCache = mib(3);
    r.heapAllocated = kib(65);
    r.voluntarySwitches = 21;
    r.involuntarySwitches = 22;
    r.storageRead = Bytes(0);
    Outcome sums;
    sums.fields.emplace_back("price", std::string("-12345678901234567890.5"));
    Outcome outcome;
    outcome.fields.emplace_back("rows", std::uint64_t{18446744073709551615U});
    outcome.fields.emplace_back("sums", sums);
    outcome.fields.emplace_back("first_time", std::string("2025"));
    r.outcome = outcome;
    r.mapping = MappingFacts{
        true,   kib(4), kib(4), Bytes(0), mib(2),       std::nullopt, mib(4),
        kib(8), mib(9), mib(8), mib(1),   std::nullopt, Bytes(0),     *vmFlagOf("sr") | *vmFlagOf("mr")};
    FaultTrace& trace = r.faultTrace.emplace();
    trace = {{1, 2}, {0, FaultTrace::kElsewhere}, {1, 0}, {0, 3}, 7, true};
    r.residency = ResidencyHistory{{{-5, {0, 255, 16}}, {9, {255, 255, 255}, true}}, "", mib(3)};
    r.split.emplace();
    r.split->open = Nanoseconds(5);
    r.split->wait = Nanoseconds(6);
    r.cache = {CacheState::warmSmall, true, "because", 0.25, 1.0, "4 KiB"};
    r.counters = {{"dtlb_walks", 5}, {"cycles", 6}};
    r.sampling.period = std::chrono::milliseconds(10);
    r.sampling.costFraction = 0.0042;
    r.sampling.samples = {sampleAt(0, 0, 10), sampleAt(100, 4096, kNotAvailable), sampleAt(250, 9000, 7),
                          sampleAt(300, 9000, 7)};
    r.stamps = {{0, 10, 20}, {0, 4096, 8192}, {0, 1, 2}};
    r.warnings = {"3 of 16 windows fell back"};
    return r;
}

/// What is written of a record names every member, so that comparing it compares the records.
std::string text(const RunRecord& record) {
    return runRecordToText(record);
}

RunRecord reread(const RunRecord& record) {
    auto read = runRecordFromText(text(record));
    if (!read) {
        qFatal("%s", read.error().message.c_str());
    }
    return *read;
}

RunRequest fullRequest() {
    RunRequest r;
    r.path = "/tmp/a \xff\xfe name";
    r.stamp = {static_cast<dev_t>(0xfd01), 1234567890123U, mib(9), {1700000000, 999999999}, {1700000001, 5}};
    r.ranges = {{Bytes(0), Bytes(100)}, {Bytes(100), Bytes(100)}, {Bytes(100), mib(9)}};
    r.source = "read";
    r.sourceParameters = {{"buffer", "64KiB"}};
    r.workload = "pieces";
    r.workloadParameters = {{"name", "caf\xe9"}, {"piece", "1MiB"}};
    r.phase = Phase::warmup;
    r.sampling = false;
    r.samplePeriod = std::chrono::milliseconds(7);
    r.pinCpus = {1, 0};
    r.traceFaults = true;
    r.splitTime = true;
    return r;
}

}  // namespace

class TestRecordJson : public QObject {
    Q_OBJECT
  private slots:
    void roundTripOfEverything() {
        const RunRecord record = fullRecord();
        const RunRecord read = reread(record);
        QCOMPARE(text(read), text(record));
        QCOMPARE(read.wall, record.wall);
        QVERIFY(read.outcome == record.outcome);
        QCOMPARE(*read.rssDeltaBytes, -4096);
        QVERIFY(read.mapping->thpEligible.value());
        QVERIFY(!read.mapping->shmemPmdMapped);
        QVERIFY(read.cache.state == CacheState::warmSmall);
        QCOMPARE(read.sampling.samples.size(), std::size_t{4});
        QCOMPARE(read.sampling.samples[1].rssAnon, kNotAvailable);
        QCOMPARE(read.sampling.samples[2].rssAnon, std::uint64_t{7});
        QCOMPARE(read.sampling.samples[2].poolFree, kNotAvailable);
        QCOMPARE(read.stamps.bytes, record.stamps.bytes);
        QCOMPARE(read.mapping->vmFlags, record.mapping->vmFlags);
        QVERIFY(!read.mapping->sharedHugetlb);
        QCOMPARE(read.faultTrace->offset, record.faultTrace->offset);
        QCOMPARE(read.faultTrace->major, record.faultTrace->major);
        QCOMPARE(read.faultTrace->lost, std::uint64_t{7});
        QVERIFY(read.faultTrace->userOnly);
        QCOMPARE(read.residency->looks.size(), std::size_t{2});
        QCOMPARE(read.residency->looks[0].cells, (std::vector<std::uint8_t>{0, 255, 16}));
        QCOMPARE(read.residency->looks[0].tNs, std::int64_t{-5});
        QVERIFY(!read.residency->looks[0].sampled && read.residency->looks[1].sampled);
        QCOMPARE(read.residency->fileBytes, mib(3));
        QCOMPARE(read.split->wait, record.split->wait);
        QVERIFY(!read.split->runDelay);
    }

    void absentIsNullAndComesBackAbsent() {
        RunRecord record;
        record.status = RunStatus::ok;
        record.wall = Nanoseconds(1);
        const Json json = toJson(record);
        for (const char* key : {"error", "error_kind", "peak_rss_bytes", "rss_delta_bytes",
                                "peak_private_bytes", "storage_read_bytes", "outcome", "mapping"}) {
            QVERIFY2(json.contains(key) && json[key].is_null(), key);
        }
        QVERIFY(json["cache"]["resident_before"].is_null());
        const RunRecord read = reread(record);
        QVERIFY(!read.peakRss && !read.storageRead && !read.outcome && !read.mapping && !read.errorKind);
    }

    void figuresOfARunWithoutClockAreNull() {
        RunRecord record;
        record.status = RunStatus::failed;
        record.errorKind = ErrorKind::failed;
        record.error = "the worker was killed";
        const Json json = toJson(record);
        QVERIFY(json["wall_ns"].is_null() && json["minor_faults"].is_null() && json["bytes_in"].is_null());
        const RunRecord read = reread(record);
        QCOMPARE(read.error, record.error);
        QVERIFY(read.errorKind == ErrorKind::failed);
    }

    void samplesAreDeltaCodedByColumn() {
        const Json json = parseJson(text(fullRecord())).value()["sampling"]["samples"];
        QCOMPARE(dumpJson(json["t_ns"]), std::string("[0,100,150,50]"));
        QCOMPARE(dumpJson(json["bytes_in"]), std::string("[0,4096,4904,0]"));
        QCOMPARE(dumpJson(json["rss_anon_bytes"]), std::string("[10,null,-3,0]"));
        QVERIFY(json["pool_free_pages"].is_null());  // available nowhere
    }

    void unknownKeysAreIgnored() {
        Json json = parseJson(text(fullRecord())).value();
        json["from_the_future"] = Json::parse("[1, \"x\", null, {\"sampling\": {\"samples\": [true]}}]");
        json["mapping"]["colour"] = "red";
        json["sampling"]["samples"]["new_column"] = Json::parse("[1, {\"a]\": [\"}\"]}, null]");
        json["sampling"]["samples"]["another"] = "a, b";
        const auto read = runRecordFromText(dumpJson(json));
        QVERIFY(read);
        QCOMPARE(text(*read), text(fullRecord()));
    }

    void wrongTypesAreErrors_data() {
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char* pointer, const char* value, const char* named) {
            QTest::addRow("%s = %s", pointer, value)
                << QByteArray(pointer) << QByteArray(value) << QByteArray(named);
        };
        row("/wall_ns", "\"12\"", "wall_ns");
        row("/wall_ns", "-1", "wall_ns");
        row("/wall_ns", "0", "wall_ns");
        row("/wall_ns", "null", "wall_ns");
        row("/wall_ns", "1.5", "wall_ns");
        row("/wall_ns", "1e300", "wall_ns");
        row("/wall_ns", "18446744073709551615", "wall_ns");
        row("/bytes_in", "-5", "bytes_in");
        row("/bytes_in", "[]", "bytes_in");
        row("/arm", "4294967296", "arm");
        row("/arm", "null", "arm");
        row("/phase", "\"dancing\"", "phase");
        row("/status", "1", "status");
        row("/error_kind", "\"odd\"", "error_kind");
        row("/outcome", "[]", "outcome");
        row("/outcome/rows", "-1", "rows");
        row("/outcome/rows", "1.5", "rows");
        row("/outcome/rows", "null", "rows");
        row("/outcome/rows", "[1]", "rows");
        row("/outcome/sums", "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}", "deep");
        row("/mapping/thp_eligible", "1", "thp_eligible");
        row("/cache/state", "\"boiling\"", "state");
        row("/cache/resident_before", "\"x\"", "resident_before");
        row("/counters", "{\"cycles\":-1}", "cycles");
        row("/sampling/samples/t_ns", "[0,1]", "differs");
        row("/sampling/samples/t_ns", "{}", "t_ns");
        row("/sampling/samples/t_ns", "[0,null,1,1]", "t_ns");
        row("/sampling/samples/t_ns", "[0,-1,1,1]", "range");
        row("/sampling/samples/bytes_in", "[1.5,0,0,0]", "bytes_in");
        row("/sampling/samples/bytes_in", "[18446744073709551615,0,0,0]", "range");
        row("/sampling/samples/bytes_in", "[9223372036854775807,1,0,0]", "range");
        row("/sampling/samples/bytes_in", "[\"1\",0,0,0]", "bytes_in");
        row("/sampling/samples/bytes_in", "7", "bytes_in");
        row("/sampling/samples", "7", "samples");
        row("/sampling/samples", "[1]", "samples");
        row("/sampling/samples", "\"text\"", "samples");
        row("/stamps/bytes", "[1,2]", "differ");
        row("/stamps/t_ns", "[\"a\",1,2]", "t_ns");
        row("/warnings", "[1]", "warnings");
        row("/warnings", "\"text\"", "warnings");
    }

    void wrongTypesAreErrors() {
        QFETCH(QByteArray, pointer);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, named);
        Json json = parseJson(text(fullRecord())).value();
        json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const auto read = runRecordFromText(dumpJson(json), "runs[3]");
        QVERIFY2(!read, "was accepted");
        QVERIFY(read.error().kind == ErrorKind::input);
        QVERIFY2(read.error().message.find(named.toStdString()) != std::string::npos,
                 read.error().message.c_str());
        QVERIFY2(read.error().message.starts_with("runs[3]"), read.error().message.c_str());
        QCOMPARE(read.error().message.find('\n'), std::string::npos);
    }

    void notEvenAnObject_data() {
        QTest::addColumn<QByteArray>("value");
        for (const char* value : {"null", "[]", "3", "\"text\"", "true"}) {
            QTest::addRow("%s", value) << QByteArray(value);
        }
    }

    void notEvenAnObject() {
        QFETCH(QByteArray, value);
        const Json json = Json::parse(value.toStdString());
        QVERIFY(!runRecordFromJson(json));
        QVERIFY(!runRequestFromJson(json));
        QVERIFY(!outcomeFromJson(json));
        QVERIFY(!parametersFromJson(json, "params"));
    }

    void wholeNumbersMayBeWrittenAsFloats() {
        Json json = toJson(fullRecord());
        json["wall_ns"] = 2e9;
        const auto read = runRecordFromJson(json);
        QVERIFY(read);
        QCOMPARE(read->wall, Nanoseconds(2000000000));
    }

    void textThatIsNoJson_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("truncated") << QByteArray("{\"arm\":1");
        QTest::newRow("NaN") << QByteArray("{\"arm\":NaN}");
        QTest::newRow("infinite") << QByteArray("{\"arm\":1e999}");
        QTest::newRow("junk behind") << QByteArray("{} x");
        QTest::newRow("not UTF-8") << QByteArray("{\"a\":\"\xff\"}");
        QTest::newRow("zero bytes") << QByteArray(64, '\0');
        QTest::newRow("deep") << QByteArray(1000000, '[');
        QTest::newRow("deep and closed") << QByteArray(2000, '[') + QByteArray(2000, ']');
    }

    void textThatIsNoJson() {
        QFETCH(QByteArray, bytes);
        const std::string_view text(bytes.constData(), static_cast<std::size_t>(bytes.size()));
        QVERIFY(!runRecordFromText(text));
        const auto json = parseJson(text);
        QVERIFY(!json);
        QVERIFY(json.error().kind == ErrorKind::input);
        QVERIFY(json.error().message.size() < 400);
    }

    void requestRoundTripKeepsEveryByteOfThePath() {
        const RunRequest request = fullRequest();
        const auto json = parseJson(dumpJson(toJson(request)));
        QVERIFY(json);
        const auto read = runRequestFromJson(*json);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->path, request.path);
        QVERIFY(read->stamp == request.stamp);
        QVERIFY(read->ranges == request.ranges);
        QCOMPARE(read->sourceParameters, request.sourceParameters);
        QCOMPARE(read->workloadParameters, request.workloadParameters);
        QVERIFY(read->phase == request.phase);
        QCOMPARE(read->sampling, false);
        QCOMPARE(read->samplePeriod, request.samplePeriod);
        QCOMPARE(read->pinCpus, request.pinCpus);
    }

    void requestsThatAreNone_data() {
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* pointer, const char* value) {
            QTest::addRow("%s = %s", pointer, value) << QByteArray(pointer) << QByteArray(value);
        };
        row("/path", "7");
        row("/path", "{\"hex\":\"0g\"}");
        row("/path", "{\"hex\":\"abc\"}");
        row("/path", "null");
        row("/stamp", "null");
        row("/stamp/size", "-1");
        row("/stamp/modified", "[1]");
        row("/stamp/modified", "[1,2,3]");
        row("/ranges", "[[5,4]]");
        row("/ranges", "[[1]]");
        row("/ranges", "[3]");
        row("/ranges", "[[0,-1]]");
        row("/source_params", "[]");
        row("/source_params", "{\"buffer\":7}");
        row("/sampling", "1");
        row("/pin_cpus", "[-1]");
    }

    void requestsThatAreNone() {
        QFETCH(QByteArray, pointer);
        QFETCH(QByteArray, value);
        Json json = toJson(fullRequest());
        json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const auto read = runRequestFromJson(json);
        QVERIFY2(!read, "was accepted");
        QVERIFY(!read.error().message.empty());
    }

    void textThatIsNotUtf8IsWrittenReadably() {
        RunRecord record = fullRecord();
        record.warnings = {"file \xff"};
        const auto json = parseJson(dumpJson(toJson(record)));
        QVERIFY(json);
        const auto read = runRecordFromJson(*json);
        QVERIFY(read);
        QCOMPARE(read->warnings.front(), std::string("file \xef\xbf\xbd"));
    }
};

QTEST_GUILESS_MAIN(TestRecordJson)
#include "tst_record_json.moc"
