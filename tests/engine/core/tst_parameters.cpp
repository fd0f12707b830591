#include <QtTest>

#include "core/nearest.h"
#include "core/parameters.h"

using namespace mmapscope;

namespace {

std::vector<ParameterSpec> specs() {
    std::vector<ParameterSpec> list;
    list.push_back({.name = "buffer",
                    .kind = ParameterKind::bytes,
                    .defaultValue = "64KiB",
                    .help = "",
                    .least = kib(4),
                    .most = mib(16),
                    .multipleOf = kib(4)});
    list.push_back({.name = "positional", .kind = ParameterKind::flag, .defaultValue = "no", .help = ""});
    list.push_back({.name = "how",
                    .kind = ParameterKind::choice,
                    .defaultValue = "map",
                    .help = "",
                    .choices = {"map", "advise"}});
    list.push_back({.name = "depth",
                    .kind = ParameterKind::integer,
                    .defaultValue = "auto",
                    .help = "",
                    .least = Bytes(1),
                    .most = Bytes(64)});
    list.push_back({.name = "schema", .kind = ParameterKind::text, .defaultValue = "auto", .help = ""});
    return list;
}

}  // namespace

class TestParameters : public QObject {
    Q_OBJECT
  private slots:
    void everyParameterHasAValue() {
        const auto p = parseParameters(specs(), "");
        QVERIFY(p.has_value());
        QCOMPARE(p->size(), std::size_t{5});
        QCOMPARE(bytesOf(*p, "buffer"), kib(64));
        QCOMPARE(textOf(*p, "depth"), std::string("auto"));
    }

    void bareFirstValueIsTheMainParameter() {
        const auto p = parseParameters(specs(), "262144,positional=yes,depth=8");
        QVERIFY(p.has_value());
        QCOMPARE(textOf(*p, "buffer"), std::string("256KiB"));
        QVERIFY(flagOf(*p, "positional"));
        QCOMPARE(formatParameters(specs(), *p), std::string("256KiB,positional=yes,depth=8"));
        QCOMPARE(*parseParameters(specs(), formatParameters(specs(), *p)), *p);
    }

    void onlyASizeStandsWithoutItsName() {
        // "64KiB" says what it is; "yes" and "advise" don't.
        for (const std::size_t first : {1U, 2U, 3U, 4U}) {
            std::vector<ParameterSpec> list = specs();
            std::swap(list[0], list[first]);
            auto p = *parseParameters(list, "");
            const std::string value = first == 1   ? "yes"
                                      : first == 2 ? "advise"
                                      : first == 3 ? "8"
                                                   : "generic";
            const std::string name(list[0].name);
            p[name] = value;
            const std::string text = formatParameters(list, p);
            QCOMPARE(text, name + "=" + value);
            QCOMPARE(*parseParameters(list, text), p);
            // What older studies say of themselves is still read.
            QCOMPARE(*parseParameters(list, value), p);
        }
    }

    void textMayHoldCommas() {
        const auto p = parseParameters(specs(), "schema=time:time,price:decimal,side:text,how=advise");
        QVERIFY(p.has_value());
        QCOMPARE(textOf(*p, "schema"), std::string("time:time,price:decimal,side:text"));
        QCOMPARE(textOf(*p, "how"), std::string("advise"));
    }

    void commasOfItsOwnAreEscaped() {
        for (const char* value : {"a,b=c", "a\\,b", "a,how=map", "a,b", "/x/y,z/w=1", "a,b=1,c=2"}) {
            auto p = *parseParameters(specs(), "");
            p["schema"] = value;
            const std::string text = formatParameters(specs(), p);
            const auto back = parseParameters(specs(), text);
            QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
            QCOMPARE(textOf(*back, "schema"), std::string(value));
        }
        const auto p = parseParameters(specs(), "schema=a\\,b=c,how=advise");
        QCOMPARE(textOf(p.value(), "schema"), std::string("a,b=c"));
        QCOMPARE(textOf(*p, "how"), std::string("advise"));
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown") << "bufer=1MiB"
                                 << "did you mean \"buffer\"";
        QTest::newRow("behind a text") << "schema=file,bufer=1MiB"
                                       << "did you mean \"buffer\"";
        QTest::newRow("far off behind a text") << "schema=file,Xyzzy42=1"
                                               << "a comma of schema's own is written \\,";
        QTest::newRow("nothing near") << "xyzzyxyzzy=1"
                                      << "no parameter \"xyzzyxyzzy\". It takes buffer";
        QTest::newRow("too small") << "1KiB"
                                   << "4 KiB to 16 MiB";
        QTest::newRow("not a multiple") << "5000"
                                        << "multiple of 4 KiB";
        QTest::newRow("not a size") << "64K"
                                    << "is not a size";
        QTest::newRow("flag") << "positional=maybe"
                              << "yes or no";
        QTest::newRow("choice") << "how=never"
                                << "map, advise";
        QTest::newRow("integer") << "depth=0"
                                 << "1 to 64";
        QTest::newRow("integer text") << "depth=8x"
                                      << "whole number";
        QTest::newRow("twice") << "64KiB,buffer=1MiB"
                               << "twice";
        QTest::newRow("bare second") << "64KiB,yes"
                                     << "name=value";
    }
    void refusals() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto p = parseParameters(specs(), text.toStdString());
        QVERIFY(!p.has_value());
        QCOMPARE(p.error().kind, ErrorKind::usage);
        QVERIFY2(QString::fromStdString(p.error().message).contains(says), p.error().message.c_str());
    }

    void nothingIsTakenWhereThereAreNone() {
        QVERIFY(parseParameters({}, "").has_value());
        QVERIFY(!parseParameters({}, "x").has_value());
        QVERIFY(!parseParameters({}, "x=1").has_value());
    }

    void nearestWord() {
        QCOMPARE(nearest("mmap-sequental", {"mmap", "mmap-sequential", "read"}),
                 std::string_view("mmap-sequential"));
        QVERIFY(nearest("x", {}).empty());
        QVERIFY(nearest("xyzzy", {"mmap", "mmap-sequential", "read"}).empty());
    }
};

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
