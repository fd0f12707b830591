// Tables for LaTeX documents.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/report/report_fixtures.h"
#include "report/latex.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

class TestLatex : public QObject {
    Q_OBJECT

  private slots:
    void text_data();
    void text();
    void tables();
    void oddStudiesCompile();
};

void TestLatex::text_data() {
    QTest::addColumn<QByteArray>("plain");
    QTest::addColumn<QByteArray>("tex");
    const auto row = [](const char* name, const char* plain, const char* tex) {
        QTest::newRow(name) << QByteArray(plain) << QByteArray(tex);
    };
    row("letters and digits", "read 64", "read 64");
    row("its own characters", "a_b%c&d#e$f{g}", "a\\_b\\%c\\&d\\#e\\$f\\{g\\}");
    row("backslash and accents", "\\~^", "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}");
    row("signs that OT1 lacks", "<|>\"`", "\\textless{}\\textbar{}\\textgreater{}{''}\\textquoteleft{}");
    row("an option that isn't a dash", "--source", "-{}-source");
    row("what \\\\ would take", "[2]*", "{[}2]{*}");
    row("our signs", "1.31× –µ", "1.31$\\times$ --$\\mu$");
    row("Latin letters as they are", "Müller é", "Müller é");
    row("letters other encodings lack", "ð þ", "{[}U+00F0] {[}U+00FE]");
    row("anything else by its number", "☃", "{[}U+2603]");
    row("no UTF-8",
        "a\xff"
        "b",
        "a\\textbackslash{}xffb");
    row("UTF-8 that ends", "a\xe2\x80", "a\\textbackslash{}xe2\\textbackslash{}x80");
    row("too long a form of /", "\xc0\xaf", "\\textbackslash{}xc0\\textbackslash{}xaf");
    row("control characters", "a\n\x1b", "a\\textbackslash{}x0a\\textbackslash{}x1b");
}

void TestLatex::text() {
    QFETCH(QByteArray, plain);
    QFETCH(QByteArray, tex);
    QCOMPARE(QByteArray::fromStdString(latexText(plain.toStdString())), tex);
}

void TestLatex::tables() {
    const QString out = QString::fromStdString(studyToLatex(fullStudy()));
    QVERIFY(out.startsWith("% Tables by mmapscope."));
    QVERIFY(out.section('\n', 0, 2).contains("\\usepackage{booktabs}"));
    for (const char* const part : {"\\toprule", "\\midrule", "\\bottomrule", "\\end{table}"}) {
        QCOMPARE(out.count(part), 2);  // the summary, and where the time went
    }
    QVERIFY(out.contains("read spends \\textbar{} its time"));
    QVERIFY(out.contains("A CPU, {''}quoted{''}"));
    // Every row has the columns the table has.
    const QStringList lines = out.split('\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (!lines[i].startsWith("\\begin{tabular}")) {
            continue;
        }
        const auto columns = lines[i].section("@{}", 1, 1).size();
        for (++i; !lines[i].startsWith("\\end{tabular}"); ++i) {
            if (lines[i].endsWith("\\\\")) {
                QCOMPARE(lines[i].count(" & ") + 1, columns);
            }
        }
    }
}

void TestLatex::oddStudiesCompile() {
    const QString program = QStandardPaths::findExecutable("pdflatex");
    if (program.isEmpty()) {
        QSKIP("pdflatex is not installed (texlive-latex-base, texlive-latex-recommended)");
    }
    Study study = fullStudy();
    std::string all;
    for (int c = 1; c < 256; ++c) {
        all += static_cast<char>(c);
    }
    for (unsigned c = 0xa0; c < 0x100; ++c) {
        all += static_cast<char>(0xc0U | (c >> 6U));
        all += static_cast<char>(0x80U | (c & 0x3fU));
    }
    study.arms[0].id = all;
    study.arms[1].id = "*[0]\\end{tabular}%";
    study.warnings = {all, "$ -- ?` ,, '' \xe2\x98\x83 ▲▼ ≥ → − …"};
    study.plan.file = "/data/~$#%&_{}^\\ä.csv";
    QTemporaryDir folder;
    const auto write = [&](const char* name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write("study.tex", QByteArray::fromStdString(studyToLatex(study))));
    QVERIFY(write("empty.tex", QByteArray::fromStdString(studyToLatex(emptyStudy({})))));
    QVERIFY(write("document.tex",
                  "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\input{study}\n"
                  "\\input{empty}\n\\end{document}\n"));
    QProcess tex;
    tex.setWorkingDirectory(folder.path());
    tex.start(program, {"-interaction=nonstopmode", "-halt-on-error", "document.tex"});
    QVERIFY(tex.waitForFinished(60'000));
    const QByteArray log = tex.readAllStandardOutput();
    QVERIFY2(tex.exitCode() == 0, log.right(2000).constData());
    QVERIFY(QFile::exists(folder.filePath("document.pdf")));
}

QTEST_GUILESS_MAIN(TestLatex)
#include "tst_latex.moc"
