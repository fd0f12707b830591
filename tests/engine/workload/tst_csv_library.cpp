// The same rows, sums, rejects and reasons as `ticks`, whatever is in the file and however it is cut up, by
// both libraries.
#include <QtTest>
#include <thread>

#include "core/accounting.h"
#include "engine/workload/tick_reference.h"
#include "engine/workload/workload_testing.h"
#include "workload/registry.h"
#include "workload/tick_detect.h"

using namespace mmapscope;
using namespace mmapscope::test;
using namespace mmapscope::testing;

namespace {

const std::vector<std::string> kLibraries{"fccp", "libcsv"};
constexpr std::size_t kWhole = SIZE_MAX;

struct Shape {
    std::string schema;
    std::size_t columns = 0;
    bool header = false;
};

Parameters parametersFor(const Shape& shape, const std::string& library) {
    return {{"schema", shape.schema},
            {"header", shape.header ? "yes" : "no"},
            {"columns", std::to_string(shape.columns)},
            {"library", library}};
}

/// One instance a range; `cuts` are where the second and later ones begin.
std::string run(const WorkloadType& type, const Shape& shape, const std::string& library,
                std::string_view text, std::size_t span, std::vector<std::size_t> cuts = {}) {
    std::vector<std::unique_ptr<Workload>> parts;
    std::vector<Workload*> all;
    cuts.push_back(text.size());
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
        auto made = type.create(parametersFor(shape, library),
                                {{Bytes(begin), Bytes(end)}, {Bytes(0), Bytes(text.size())}, "n", false, {}});
        if (!made) {
            return made.error().message;
        }
        if (auto status = feed(**made, std::as_bytes(std::span(text.substr(begin, end - begin))), span);
            !status) {
            return status.error().message;
        }
        if (auto status = (*made)->finish(); !status) {
            return status.error().message;
        }
        all.push_back(made->get());
        parts.push_back(std::move(*made));
        begin = end;
    }
    return testing::textOf(all.front()->outcome(all));
}

std::string ticksSay(const Shape& shape, std::string_view text) {
    return run(ticksWorkload, shape, "", text, kWhole);
}

std::vector<TickSchema> schemas() {
    std::vector<TickSchema> all = knownTickSchemas();
    for (const char* own :
         {"n:int,s:skip,d:decimal,x:text,t:time:ms,f:flag", "x:text", "s:skip", "d:decimal"}) {
        all.push_back(*parseTickSchema(own));
        all.back().name = own;
    }
    return all;
}

Shape shapeOf(const TickSchema& schema, bool header = false) {
    return {schema.name, schema.columns.size(), header};
}

std::string rowsOf(const TickSchema& schema, std::size_t bytes, unsigned seed) {
    RowMaker maker(seed);
    std::string text;
    while (text.size() < bytes) {
        text += maker.row(schema) + '\n';
    }
    return text;
}

#define COMPARE_WITH_TICKS(expected, got, context)                                                       \
    do {                                                                                                 \
        const std::string gotText = (got);                                                               \
        QVERIFY2(gotText == (expected),                                                                  \
                 fmt::format("\n     got {}\nexpected {}\n in {}", gotText, expected, context).c_str()); \
    } while (false)

}  // namespace

class TestCsvLibrary : public QObject {
    Q_OBJECT

    static void eachSchemaAndLibrary() {
        QTest::addColumn<int>("schema");
        QTest::addColumn<QString>("library");
        for (const std::string& library : kLibraries) {
            for (std::size_t i = 0; i < schemas().size(); ++i) {
                QTest::addRow("%s by %s", schemas()[i].name.c_str(), library.c_str())
                    << static_cast<int>(i) << QString::fromStdString(library);
            }
        }
    }
    static void eachLibrary() {
        QTest::addColumn<QString>("library");
        for (const std::string& library : kLibraries) {
            QTest::addRow("%s", library.c_str()) << QString::fromStdString(library);
        }
    }

  private slots:
    void everyShapeOfFile_data() { eachSchemaAndLibrary(); }
    void everyShapeOfFile() {
        QFETCH(int, schema);
        QFETCH(QString, library);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        for (std::size_t columns = known.leastColumns; columns <= known.columns.size(); ++columns) {
            const TickSchema cut = withColumns(known, columns);
            for (unsigned bits = 0; bits < 64; ++bits) {
                const bool header = (bits & 1U) != 0;
                const std::string feed = (bits & 2U) != 0 ? "\r\n" : "\n";
                std::string text = std::string((bits & 4U) != 0 ? "\xEF\xBB\xBF" : "") +
                                   (header ? headerOf(cut) + feed : "");
                RowMaker maker(bits);
                for (int i = 0; i < 60; ++i) {
                    text += maker.row(cut) + feed;
                    text += (bits & 8U) != 0 && i % 20 == 0 ? feed : "";
                    text += (bits & 16U) != 0 && i % 20 == 10 ? "1,2,\"3\"\n\"a\"\r\n1,2\r\n1,,\r\n" : "";
                }
                text += (bits & 32U) != 0 ? feed + feed : maker.row(cut);
                const Shape shape = shapeOf(cut, header);
                const std::string expected = ticksSay(shape, text);
                for (const std::size_t span : {std::size_t{1}, std::size_t{2}, std::size_t{7},
                                               std::size_t{64}, std::size_t{4096}, kWhole}) {
                    COMPARE_WITH_TICKS(expected,
                                       run(csvLibraryWorkload, shape, library.toStdString(), text, span),
                                       fmt::format("spans of {}, shape {}", span, bits));
                }
            }
        }
    }

    /// Every byte of a few rows replaced by everything that means something.
    void mutations_data() { eachSchemaAndLibrary(); }
    void mutations() {
        QFETCH(int, schema);
        QFETCH(QString, library);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        RowMaker maker(static_cast<unsigned>(schema) + 3);
        std::string base;
        for (int i = 0; i < 3; ++i) {
            base += maker.row(known) + (i == 1 ? "\r\n" : "\n");
        }
        const std::string_view bytes("\0\1\n\r,\"+-./09:;AZaz \t\x7F\x80\xFF", 23);
        const Shape shape = shapeOf(known);
        const auto compare = [&](const std::string& text, std::size_t span) {
            COMPARE_WITH_TICKS(ticksSay(shape, text),
                               run(csvLibraryWorkload, shape, library.toStdString(), text, span), text);
        };
        for (std::size_t at = 0; at < base.size(); ++at) {
            // All in one, for what is counted and summed; and some alone, for the reason of the first reject.
            std::string all;
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                std::string text = base;
                text[at] = bytes[i];
                all += text;
                if ((at + i) % 5 == 0) {
                    compare(text, at % 2 == 0 ? kWhole : 1 + at);
                }
            }
            compare(all, 1 + at);
        }
    }

    /// Bytes inserted, removed and replaced, among them what ends lines and fields.
    void randomDamage_data() { eachSchemaAndLibrary(); }
    void randomDamage() {
        QFETCH(int, schema);
        QFETCH(QString, library);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const std::string_view bytes("0123456789,,,..\n\n\r\r\"-+eTtB \0\t\xEF\xBB\xBF", 33);
        for (unsigned round = 0; round < 300; ++round) {
            RowMaker maker(round);
            std::string text;
            for (int i = 0; i < 12; ++i) {
                text += maker.row(known) + (maker.below(4) == 0 ? "\r\n" : "\n");
            }
            for (std::size_t i = maker.below(12); i > 0; --i) {
                const std::size_t at = maker.below(text.size());
                const char byte = bytes[maker.below(bytes.size())];
                switch (maker.below(3)) {
                    case 0:
                        text.insert(at, 1, byte);
                        break;
                    case 1:
                        text.erase(at, 1);
                        break;
                    default:
                        text[at] = byte;
                }
            }
            const Shape shape = shapeOf(known, round % 3 == 0);
            const std::string expected = ticksSay(shape, text);
            COMPARE_WITH_TICKS(
                expected, run(csvLibraryWorkload, shape, library.toStdString(), text, 1 + round % 70), text);
            std::vector<std::size_t> cuts;
            for (std::size_t feed = text.find('\n'); feed < text.size(); feed = text.find('\n', feed + 1)) {
                if (maker.below(4) == 0) {
                    cuts.push_back(feed + 1);
                }
            }
            COMPARE_WITH_TICKS(
                expected, run(csvLibraryWorkload, shape, library.toStdString(), text, kWhole, cuts), text);
        }
    }

    /// Two instances, the border between any two lines: also where empty lines, a byte-order mark or a
    /// rejected row are next to it.
    void ranges_data() { eachLibrary(); }
    void ranges() {
        QFETCH(QString, library);
        const TickSchema& known = *findTickSchema("generic");
        const TickSchema cut = withColumns(known, 3);
        const std::string text =
            "\xEF\xBB\xBFtime,price,size\n\n1735689600,1.5,2\r\n\r\n\n1735689601,x,2\n"
            "\xEF\xBB\xBF"
            "1735689602,1,1\n1735689603,1,1,\n1735689604,3,4\n,\n\n\n";
        const Shape shape = shapeOf(cut, true);
        const std::string expected = ticksSay(shape, text);
        for (std::size_t first = 0; first <= text.size(); ++first) {
            for (std::size_t second = first; second <= text.size(); ++second) {
                if ((first == 0 || text[first - 1] == '\n') && (second == 0 || text[second - 1] == '\n')) {
                    COMPARE_WITH_TICKS(
                        expected,
                        run(csvLibraryWorkload, shape, library.toStdString(), text, kWhole, {first, second}),
                        fmt::format("borders {} and {}", first, second));
                }
            }
        }
    }

    void longRows_data() { eachLibrary(); }
    void longRows() {
        QFETCH(QString, library);
        const Shape shape{"a:text,n:int", 2, false};
        const std::string ordinary = "x,1\n";
        constexpr std::size_t kMostTried = 2 * kMaxTickRow + 2;
        for (const std::size_t length : {kMaxTickRow - 1, kMaxTickRow, kMaxTickRow + 1, kMaxTickRow + 2,
                                         kMostTried, std::size_t{17} << 20U}) {
            for (const std::string end : {"\n", "\r\n", ""}) {
                for (const char* tail : {",5", "", ",5,6", ",x"}) {
                    const std::string row =
                        std::string(length - std::strlen(tail) - (end.size() == 2 ? 1 : 0), 'y') + tail + end;
                    for (const std::string& text :
                         {row + (end.empty() ? "" : ordinary + "\n\n" + ordinary), ordinary + "\n" + row,
                          "\xEF\xBB\xBF" + row + (end.empty() ? "" : "\n\n" + row)}) {
                        for (const bool header : {false, true}) {
                            if (header && length > kMostTried) {
                                continue;  // takes long and is no other case
                            }
                            Shape with = shape;
                            with.header = header;
                            const std::string expected = ticksSay(with, text);
                            for (const std::size_t span : {std::size_t{65'535}, kWhole}) {
                                COMPARE_WITH_TICKS(
                                    expected,
                                    run(csvLibraryWorkload, with, library.toStdString(), text, span),
                                    fmt::format("length {}, tail {}", length, tail));
                            }
                        }
                    }
                }
            }
        }
    }

    /// More than what a library holds at a time, with rows of every kind where its blocks end.
    void manyBlocks_data() { eachLibrary(); }
    void manyBlocks() {
        QFETCH(QString, library);
        const TickSchema& known = *findTickSchema("binance-spot-trades");
        const std::string some = rowsOf(known, 1U << 20U, 5);
        const std::string odd = "\n\r\n1,2,3\n1,2\r\n" + std::string(70'000, '7') + "\n";
        std::string text;
        for (int i = 0; i < 68; ++i) {
            text += some;
            text += i % 8 == 0 ? odd : "";
            text += i == 50 ? std::string(3U << 20U, '\n') : "";
        }
        text += "\r";
        const Shape shape = shapeOf(known);
        const std::string expected = ticksSay(shape, text);
        COMPARE_WITH_TICKS(expected, run(csvLibraryWorkload, shape, library.toStdString(), text, 1U << 20U),
                           "");
        const std::size_t cut = text.find('\n', 35U << 20U) + 1;
        COMPARE_WITH_TICKS(expected,
                           run(csvLibraryWorkload, shape, library.toStdString(), text, 100'003, {cut}), "");
    }

    /// What no CSV is: no line ends, nothing else, bytes of every value.
    void notCsv_data() { eachLibrary(); }
    void notCsv() {
        QFETCH(QString, library);
        const TickSchema& known = *findTickSchema("tardis-trades");
        const QByteArray noise = randomBytes(1U << 20U, 3);
        for (const std::string& text :
             {std::string(), std::string("\n"), std::string("\r"), std::string("\xEF\xBB\xBF"),
              std::string("\xEF\xBB"), std::string(33U << 20U, 'x'), std::string(1U << 20U, ','),
              std::string(1U << 20U, '"'), std::string(1U << 20U, '\r'), std::string(1U << 20U, '\0'),
              std::string(20U << 20U, '\n'), noise.toStdString()}) {
            for (const bool header : {false, true}) {
                const Shape shape = shapeOf(known, header);
                COMPARE_WITH_TICKS(ticksSay(shape, text),
                                   run(csvLibraryWorkload, shape, library.toStdString(), text, 1U << 18U),
                                   text.substr(0, 20));
            }
        }
    }

    /// As a run makes it: found out, cut and described like `ticks`.
    void wholeWay_data() { eachLibrary(); }
    void wholeWay() {
        QFETCH(QString, library);
        const std::string given = "library=" + library.toStdString();
        for (const TickSchema& known : knownTickSchemas()) {
            const TestFile file(QByteArray::fromStdString((known.usualHeader ? headerOf(known) + "\n" : "") +
                                                          rowsOf(known, 300'000, 1)));
            const auto expected = runWorkload(ticksWorkload, file, {});
            QVERIFY2(expected.has_value(), testing::textOf(expected).c_str());
            for (const unsigned threads : {1U, 2U, 3U}) {
                const auto got =
                    runWorkload(csvLibraryWorkload, file, {.parameters = given, .threads = threads});
                QCOMPARE(testing::textOf(got), testing::textOf(expected));
            }
            const auto defaults = parseParameters(csvLibraryWorkload.parameters, given).value();
            QCOMPARE(
                csvLibraryWorkload.describe(file.facts(), defaults),
                ticksWorkload.describe(file.facts(), parseParameters(ticksWorkload.parameters, "").value()));
        }
    }

    void columnsBeyondTheTemplates() {
        std::string schema;
        std::string row;
        for (int i = 0; i < 17; ++i) {
            schema += fmt::format("{}c{}:int", i == 0 ? "" : ",", i);
            row += i == 0 ? "1" : ",1";
        }
        const Shape shape{schema, 17, false};
        QCOMPARE(run(csvLibraryWorkload, shape, "libcsv", row, kWhole), ticksSay(shape, row));
        const TestFile file(QByteArray::fromStdString(row + "\n"));
        Parameters parameters = parametersFor(shape, "fccp");
        parameters["columns"] = "auto";
        const auto refused = csvLibraryWorkload.resolve(file.facts(), parameters);
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().kind, ErrorKind::unavailable);
        QVERIFY(refused.error().message.find("library=libcsv") != std::string::npos);
    }

    void cancelled_data() { eachLibrary(); }
    void cancelled() {
        QFETCH(QString, library);
        for (const std::string& text :
             {rowsOf(*findTickSchema("kraken-trades"), 40U << 20U, 1), std::string(40U << 20U, '\n')}) {
            std::stop_source stop;
            auto made =
                csvLibraryWorkload.create(parametersFor({"kraken-trades", 3, false}, library.toStdString()),
                                          {{Bytes(0), Bytes(text.size())},
                                           {Bytes(0), Bytes(text.size())},
                                           "n",
                                           false,
                                           stop.get_token()});
            QVERIFY(made.has_value());
            stop.request_stop();
            const auto status = (*made)->consume(std::as_bytes(std::span(text)));
            QVERIFY(!status.has_value());
            QCOMPARE(status.error().kind, ErrorKind::cancelled);
            QVERIFY(!(*made)->consume(std::as_bytes(std::span(text))).has_value());
        }
    }

    /// Given up in the middle, or before the first byte; several at a time on one thread, and on several.
    void interleaved_data() { eachLibrary(); }
    void interleaved() {
        QFETCH(QString, library);
        const TickSchema& known = *findTickSchema("kraken-trades");
        const std::string text = rowsOf(known, 200'000, 1);
        const auto bytes = std::as_bytes(std::span(text));
        const auto make = [&] {
            return csvLibraryWorkload
                .create(parametersFor(shapeOf(known), library.toStdString()),
                        {{Bytes(0), Bytes(text.size())}, {Bytes(0), Bytes(text.size())}, "n", false, {}})
                .value();
        };
        const std::string expected = ticksSay(shapeOf(known), text);
        const auto work = [&](std::string& got) {
            std::array<std::unique_ptr<Workload>, 3> several{make(), make(), make()};
            const auto unused = make();
            const auto given = make();
            (void)given->consume(bytes.first(1000));
            for (std::size_t at = 0; at < bytes.size(); at += 777) {
                for (const auto& one : several) {
                    (void)one->consume(bytes.subspan(at, std::min<std::size_t>(777, bytes.size() - at)));
                }
            }
            got = "all";
            for (const auto& one : several) {
                (void)one->finish();
                Workload* const alone = one.get();
                const std::string said = testing::textOf(one->outcome({&alone, 1}));
                got = said == expected ? got : said;
            }
        };
        std::array<std::string, 2> said;
        std::thread other([&] { work(said[0]); });
        work(said[1]);
        other.join();
        QCOMPARE(said[0], std::string("all"));
        QCOMPARE(said[1], std::string("all"));
    }
};

QTEST_GUILESS_MAIN(TestCsvLibrary)
#include "tst_csv_library.moc"
