// Every source as a program: it compiles without a warning, reads every file whole, and does what it says.
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "report/snippet.h"
#include "report_fixtures.h"
#include "source/source.h"
#include "study/random.h"

using namespace mmapscope;

namespace {

QByteArray content(qsizetype size) {
    QByteArray bytes(size, '\0');
    SplitMix64 random(static_cast<std::uint64_t>(size) + 1);
    for (char& c : bytes) {
        c = static_cast<char>(random.next());
    }
    return bytes;
}

/// What the programs print: the words of 64 bits added up, the last one filled with zeros.
QString expected(const QByteArray& bytes) {
    std::uint64_t sum = 0;
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        sum += static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i & 7));
    }
    return QStringLiteral("%1 bytes, sum %2\n").arg(bytes.size()).arg(sum);
}

std::uint64_t poolPages() {
    QFile file("/proc/sys/vm/nr_hugepages");
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toULongLong() : 0;
}

/// Huge pages for as long as it lives, where this process may reserve them.
class Pool {
  public:
    explicit Pool(std::uint64_t pages) : before_(poolPages()) { set(before_ + pages); }
    ~Pool() { set(before_); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    [[nodiscard]] bool has(std::uint64_t pages) const { return poolPages() >= before_ + pages; }

  private:
    static void set(std::uint64_t pages) {
        QFile file("/proc/sys/vm/nr_hugepages");
        if (file.open(QIODevice::WriteOnly)) {
            file.write(QByteArray::number(static_cast<qulonglong>(pages)));
        }
    }
    std::uint64_t before_;
};

}  // namespace

class TestSnippet : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void everySource_data();
    void everySource();
    void systemCalls_data();
    void systemCalls();
    void ofAStudy();
    void hostileWords();
    void refusals();

  private:
    /// The program's path; empty: it doesn't compile.
    QString compile(const std::string& text, const std::string& source);
    QTemporaryDir folder_;
    QString cc_;
};

void TestSnippet::initTestCase() {
    cc_ = QStandardPaths::findExecutable("cc");
    if (cc_.isEmpty()) {
        QSKIP("there is no C compiler here (cc)");
    }
}

QString TestSnippet::compile(const std::string& text, const std::string& source) {
    const QString file = folder_.filePath("reader.c"), program = folder_.filePath("reader");
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly)) {
        return {};
    }
    out.write(QByteArray::fromStdString(text));
    out.close();
    QProcess cc;
    QStringList arguments{"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                          "-O2",      "-o",    program,   file};
    arguments << (source == "io-uring" ? "-luring" : "-pthread");
    cc.start(cc_, arguments);
    cc.waitForFinished(60'000);
    if (cc.exitCode() != 0) {
        qWarning("%s", cc.readAllStandardError().constData());
        return {};
    }
    return program;
}

void TestSnippet::everySource_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("parameters");
    for (const SourceType* type : allSources()) {
        const QString id = QString::fromLatin1(type->id.data(), static_cast<qsizetype>(type->id.size()));
        QTest::addRow("%s", qPrintable(id)) << id << QString();
        for (const ParameterSpec& spec : type->parameters) {
            const QString name = QString::fromStdString(std::string(spec.name));
            QStringList values;
            for (const auto& choice : spec.choices) {
                values << QString::fromStdString(std::string(choice));
            }
            if (spec.kind == ParameterKind::bytes) {
                values = QStringList{QString::number(std::max(spec.least, kib(8)).count())};
            } else if (spec.kind == ParameterKind::flag) {
                values = QStringList{"yes", "no"};
            } else if (values.isEmpty()) {
                values = QStringList{"3"};
            }
            for (const QString& value : values) {
                if (value != QString::fromStdString(std::string(spec.defaultValue))) {
                    QTest::addRow("%s:%s=%s", qPrintable(id), qPrintable(name), qPrintable(value))
                        << id << name + "=" + value;
                }
            }
        }
    }
}

void TestSnippet::everySource() {
    QFETCH(QString, source);
    QFETCH(QString, parameters);
    const std::string id = source.toStdString();
    const auto parsed = parseParameters(findSource(id)->parameters, parameters.toStdString());
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    const auto text = snippetOf(id, *parsed, mib(1), "Measured: something.");
    QVERIFY(text);
    const QString whole = QString::fromStdString(*text);
    QVERIFY2(!whole.contains('@') && !whole.contains("\n?"), text->c_str());
    QVERIFY(whole.contains("* Measured: something.\n"));
    QVERIFY2(whole.count('\n') < 160, text->c_str());
    const QString program = compile(*text, id);
    QVERIFY2(!program.isEmpty(), text->c_str());

    const bool huge = whole.contains("MAP_HUGETLB") || whole.contains("MFD_HUGETLB");
    constexpr std::uint64_t kPages = 8;
    const Pool pool(huge ? kPages : 0);
    if (huge && !pool.has(kPages)) {
        QSKIP("it compiles; running it needs 8 huge pages, which can't be reserved here");
    }
    for (const qsizetype size : {0, 1, 7, 4095, 4097, 1 << 20, (5 << 20) + 12345}) {
        const QByteArray bytes = content(size);
        QFile file(folder_.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
        file.close();
        QProcess run;
        run.start(program, {file.fileName()});
        QVERIFY(run.waitForFinished(20'000));
        const QByteArray error = run.readAllStandardError();
        if (run.exitCode() != 0 &&
            (error.startsWith("open with O_DIRECT") || error.startsWith("io_uring_queue"))) {
            QSKIP(error.constData());
        }
        QVERIFY2(run.exitStatus() == QProcess::NormalExit && run.exitCode() == 0, error.constData());
        QCOMPARE(QString::fromUtf8(run.readAllStandardOutput()), expected(bytes));
    }
}

void TestSnippet::systemCalls_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("call");
    QTest::newRow("sequential") << "mmap-sequential"
                                << "MADV_SEQUENTIAL";
    QTest::newRow("random") << "mmap-random"
                            << "MADV_RANDOM";
    QTest::newRow("populate") << "mmap-populate"
                              << "MAP_POPULATE";
    QTest::newRow("retire") << "mmap-retire"
                            << "MADV_DONTNEED";
    QTest::newRow("window") << "mmap-window"
                            << "munmap";
    QTest::newRow("direct") << "direct"
                            << "O_DIRECT";
    QTest::newRow("prefetch") << "mmap-prefetch"
                              << "readahead";
}

void TestSnippet::systemCalls() {
    QFETCH(QString, source);
    QFETCH(QString, call);
    if (QStandardPaths::findExecutable("strace").isEmpty()) {
        QSKIP("there is no strace here");
    }
    const auto text = snippetOf(source.toStdString(), {});
    const QString program = compile(*text, source.toStdString());
    QFile file(folder_.filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content(20 << 20));
    file.close();
    QProcess run;
    run.start("strace", {"-f", "-o", folder_.filePath("trace"), program, file.fileName()});
    QVERIFY(run.waitForFinished(60'000));
    QFile trace(folder_.filePath("trace"));
    QVERIFY(trace.open(QIODevice::ReadOnly));
    QVERIFY2(trace.readAll().contains(call.toLatin1()), qPrintable(call));
}

void TestSnippet::ofAStudy() {
    Study study = fixtures::fullStudy();
    const auto best = snippetOfStudy(study);
    QVERIFY2(best, best ? "" : best.error().message.c_str());
    const auto named = snippetOfStudy(study, study.arms.front().id);
    QVERIFY(named);
    QVERIFY(
        QString::fromStdString(*named).startsWith("/* " + QString::fromStdString(study.arms.front().source)));
}

void TestSnippet::hostileWords() {
    Study study = fixtures::fullStudy();
    study.environment.kernel = "6.1 */ int evil; /*\n#error";
    const auto text = snippetOfStudy(study, study.arms.front().id);
    QVERIFY(text);
    QVERIFY(!compile(*text, study.arms.front().source).isEmpty());
    QVERIFY(QString::fromStdString(*text).indexOf("*/") >
            QString::fromStdString(*text).indexOf("./reader FILE"));
}

void TestSnippet::refusals() {
    QVERIFY(!snippetOf("nothing", {}));
    QVERIFY(!snippetOf("read", {{"buffer", "a lot"}}));
    const auto none = snippetOfStudy(fixtures::fullStudy(), "no such arm");
    QVERIFY(!none && none.error().message.find("no such arm") != std::string::npos);
    QVERIFY(!snippetOfStudy(Study{}));
}

QTEST_GUILESS_MAIN(TestSnippet)
#include "tst_snippet.moc"
