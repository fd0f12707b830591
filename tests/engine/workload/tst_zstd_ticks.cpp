// then=ticks: decoding and parsing in one pass must give what the ticks workload gives over the decoded
// bytes, wherever frames begin and however many threads share them.
#include "engine/workload/zstd_testing.h"
#include "workload/ticks.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

QByteArray rowsOf(int count, std::uint32_t seed) {
    std::mt19937 random(seed);
    QByteArray text;
    for (int i = 0; i < count; ++i) {
        text += QByteArray::number(1'719'792'000'123 + i * 10) + ',' +
                QByteArray::number(60'000 + random() % 999) + '.' + QByteArray::number(10 + random() % 89) +
                ',' + QByteArray::number(1 + random() % 50) + ".5," + (random() % 2 == 0 ? "B" : "S") + '\n';
    }
    return text;
}

/// Frames that begin at each of `borders`.
QByteArray framesAt(const QByteArray& content, QList<qsizetype> borders) {
    borders.append(content.size());
    std::sort(borders.begin(), borders.end());
    QByteArray frames;
    qsizetype begin = 0;
    for (const qsizetype end : borders) {
        frames += zstdFrame(content.mid(begin, end - begin), {.level = 1});
        begin = end;
    }
    return frames;
}

std::string withoutBytesOut(const Result<Outcome>& result) {
    const std::string text = textOf(result);
    return text.starts_with("bytes_out=") ? text.substr(text.find(' ') + 1) : text;
}

}  // namespace

class ZstdTicksTest : public QObject {
    Q_OBJECT

    const WorkloadType& zstd_ = *findWorkload("zstd");

    void compare(const QByteArray& content, const QList<qsizetype>& borders, const std::string& schema,
                 bool allEngines = false) {
        const auto expected = runWorkload(ticksWorkload, TestFile(content), {.parameters = schema});
        QVERIFY2(expected.has_value(), textOf(expected).c_str());
        const TestFile file(framesAt(content, borders));
        for (const char* engine : kEngines) {
            for (const unsigned threads : {1U, 2U, 3U, 7U}) {
                if ((threads > 1 && borders.isEmpty()) || (!allEngines && engine != kEngines[threads % 3])) {
                    continue;
                }
                for (const std::size_t span : {std::size_t{997}, SIZE_MAX}) {
                    const auto result = runWorkload(
                        zstd_, file,
                        {.parameters = fmt::format("{},output=1KiB,then=ticks,{}", engine, schema),
                         .span = span,
                         .threads = threads});
                    QVERIFY2(result.has_value(), textOf(result).c_str());
                    QCOMPARE(numberOf(*result, "bytes_out"), static_cast<std::uint64_t>(content.size()));
                    QVERIFY2(withoutBytesOut(result) == textOf(expected),
                             fmt::format("{} threads {}:\n{}\n{}", engine, threads, textOf(result),
                                         textOf(expected))
                                 .c_str());
                }
            }
        }
    }

  private slots:
    void givesWhatTicksGives_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QList<qsizetype>>("borders");
        const QByteArray rows = rowsOf(3000, 1);
        const auto row = [](const char* name, const QByteArray& content, const QList<qsizetype>& borders) {
            QTest::addRow("%s", name) << content << borders;
        };
        const qsizetype whole = rows.indexOf('\n', 50'000) + 1;
        row("one frame", rows, {});
        row("a border at a row's end", rows, {whole});
        row("behind a row, in front of its line feed", rows, {whole - 1});
        row("in the middle of a row", rows, {whole + 9});
        row("many in one row", rows, {whole + 1, whole + 2, whole + 2, whole + 5, whole + 9});
        row("in the first row", rows, {0, 1, 5, 20});
        row("no last line feed", rows.chopped(1), {whole + 3});
        row("the last line feed in a frame of its own", rows, {rows.size() - 1});
        row("empty frames first", rows, {0, 0, 0, whole + 4});
        row("Windows, with a byte-order mark and names",
            "\xEF\xBB\xBFtime,price,size,side\r\n" + QByteArray(rows).replace("\n", "\r\n"),
            {1, 2, 10, 30, 70'000});
        row("empty lines at the end", rows + "\n\n\n",
            {whole, rows.size(), rows.size() + 1, rows.size() + 2});
        row("empty lines between", rows + "\n\n" + rows + "\n",
            {whole + 2, rows.size() - 1, rows.size() + 1, rows.size() + 2});
        row("rejected rows", rows + "1719792000123,x,1,B\n" + rows + "again\n" + rows,
            {10, rows.size() + 3, 2 * rows.size()});
        row("only the second part rejects", rows + rows + "1719792000123,,1,B\n" + rows,
            {whole + 3, rows.size() + 17, 2 * rows.size() + 9});
        const QByteArray longest(65'536 - 4, '7');
        for (const int more : {-1, 0, 1, 2, 70'000, 200'000}) {
            const QByteArray line =
                "1,2," + (more < 0 ? longest.chopped(-more) : longest + QByteArray(more, '7'));
            const qsizetype at = rows.size();
            const std::string name = fmt::format("a row of 64 KiB and {}", more);
            row(name.c_str(), rows + line + "\n" + rows,
                {at + 1, at + 40'000, at + 65'536, at + line.size()});
            row((name + ", border inside").c_str(), rows + line + "\n" + rows, {at + line.size() - 1});
            row((name + ", at the end").c_str(), rows + line, {at + 1, at + line.size() - 1});
        }
    }
    void givesWhatTicksGives() {
        QFETCH(QByteArray, content);
        QFETCH(QList<qsizetype>, borders);
        compare(content, borders, "schema=auto", true);
    }

    void anyBordersGiveTheSame() {
        std::mt19937 random(7);
        for (int round = 0; round < 40; ++round) {
            QByteArray content = rowsOf(400, random());
            for (unsigned damage = random() % 4; damage > 0; --damage) {
                const char* const wrong[] = {"\n", "\n\n", "x", ",", "\"", "\r"};
                content.insert(static_cast<qsizetype>(random() % static_cast<unsigned>(content.size())),
                               wrong[random() % 6]);
            }
            QList<qsizetype> borders;
            for (unsigned frames = 1 + random() % 12; frames > 0; --frames) {
                borders.append(static_cast<qsizetype>(random() % static_cast<unsigned>(content.size())));
            }
            compare(content, borders, "schema=generic");
        }
    }

    void ownColumnsAreTaken() {
        compare(rowsOf(500, 3), {77}, "schema=when:time,p:decimal,q:decimal,s:side");
    }

    void theSchemaIsFoundInTheDecodedBytes() {
        const auto parameters = *parseParameters(zstd_.parameters, "ring,then=ticks");
        const TestFile file(skippableFrame(9) + zstdFrame(rowsOf(100'000, 4)));
        const auto resolved = zstd_.resolve(file.facts(), parameters);
        QVERIFY(resolved.has_value());
        QCOMPARE(textOf(*resolved, "schema"), std::string("generic"));
        QCOMPARE(textOf(*resolved, "header"), std::string("no"));
        QCOMPARE(textOf(*resolved, "columns"), std::string("4"));
        // As a study keeps them and a worker reads them.
        const auto again = parseParameters(zstd_.parameters, formatParameters(zstd_.parameters, *resolved));
        QVERIFY(again.has_value());
        QCOMPARE(*again, *resolved);
    }

    void whatIsNoTickFileIsRefused() {
        const auto parameters = *parseParameters(zstd_.parameters, "then=ticks");
        const auto refused = zstd_.resolve(TestFile(zstdFrame("some words\n")).facts(), parameters);
        QVERIFY(!refused.has_value());
        QVERIFY2(QString::fromStdString(refused.error().message).contains("some words"),
                 refused.error().message.c_str());
        const auto damaged =
            zstd_.resolve(TestFile(zstdFrame(rowsOf(10, 5)).left(9) + "junk").facts(), parameters);
        QVERIFY(!damaged.has_value());
        QCOMPARE(damaged.error().kind, ErrorKind::input);
        // Obeyed where it is named; and only the parameters of then=ticks depend on the rows.
        QVERIFY(runWorkload(zstd_, TestFile(zstdFrame("some words\n")),
                            {.parameters = "then=ticks,schema=generic"})
                    .has_value());
        QVERIFY(runWorkload(zstd_, TestFile(zstdFrame("some words\n")), {}).has_value());
    }

    void stopsOnRequest() {
        std::stop_source stop;
        stop.request_stop();
        const TestFile file(zstdFrame(rowsOf(300'000, 6)));
        for (const char* engine : kEngines) {
            const auto result = runWorkload(
                zstd_, file, {.parameters = fmt::format("{},then=ticks", engine), .stop = stop.get_token()});
            QVERIFY(!result.has_value());
            QCOMPARE(result.error().kind, ErrorKind::cancelled);
        }
    }
};

QTEST_GUILESS_MAIN(ZstdTicksTest)
#include "tst_zstd_ticks.moc"
