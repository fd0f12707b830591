// The program itself, as started from a shell without a display.
#include <QFileInfo>
#include <QProcess>
#include <QTest>

class TestGuiProgram : public QObject {
    Q_OBJECT

  private slots:
    void withoutADisplayItSpeaksAndEnds_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitStatus");
        QTest::addColumn<QString>("said");
        QTest::newRow("help") << QStringList{"--help"} << 0 << QStringLiteral("--open");
        QTest::newRow("version") << QStringList{"--version"} << 0 << QStringLiteral(MMAPSCOPE_VERSION);
        QTest::newRow("unknown option") << QStringList{"--nonsense"} << 2 << QStringLiteral("nonsense");
        QTest::newRow("two files") << QStringList{"a", "b"} << 2 << QStringLiteral("one file");
        QTest::newRow("no display") << QStringList{} << 3 << QStringLiteral("mmapscope-cli");
    }
    void withoutADisplayItSpeaksAndEnds() {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, exitStatus);
        QFETCH(const QString, said);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
            environment.remove(QLatin1String(name));
        }
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QFileInfo(QStringLiteral(MMAPSCOPE_WORKER)).path() + QStringLiteral("/mmapscope"),
                      arguments);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), exitStatus);
        const QString text = QString::fromUtf8(exitStatus == 0 ? program.readAllStandardOutput()
                                                               : program.readAllStandardError());
        QVERIFY2(text.contains(said), qPrintable(text));
        if (exitStatus != 0) {
            QCOMPARE(text.trimmed().count(QLatin1Char('\n')), 0);
        }
    }
};

QTEST_GUILESS_MAIN(TestGuiProgram)
#include "tst_gui_program.moc"
