// What desktops read of this program: its entry, and the type of its files.
#include <QMimeDatabase>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

class TestResources : public QObject {
    Q_OBJECT

    static QString resource(const char* suffix) {
        return QStringLiteral(MMAPSCOPE_SOURCE_DIR "/resources/io.github.mmapscope.mmapscope.") +
               QLatin1String(suffix);
    }
    static QString contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    /// What it said where it didn't succeed; empty: it did.
    static QString complaintOf(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        return process.waitForFinished() && process.exitStatus() == QProcess::NormalExit &&
                       process.exitCode() == 0
                   ? QString()
                   : QStringLiteral("%1: %2").arg(program, QString::fromUtf8(process.readAll()));
    }

  private slots:
    void checkedByTheirOwnTools_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("entry") << "desktop-file-validate" << QStringList{resource("desktop")};
        QTest::newRow("type") << "xmllint" << QStringList{"--noout", resource("xml")};
        QTest::newRow("metainfo") << "xmllint" << QStringList{"--noout", resource("metainfo.xml")};
    }
    void checkedByTheirOwnTools() {
        QFETCH(QString, program);
        QFETCH(QStringList, arguments);
        QVERIFY2(QFileInfo::exists(arguments.back()), qPrintable(arguments.back()));
        if (QStandardPaths::findExecutable(program).isEmpty()) {
            QSKIP(qPrintable(program + " is not installed"));
        }
        const QString complaint = complaintOf(program, arguments);
        QVERIFY2(complaint.isEmpty(), qPrintable(complaint));
    }

    void theEntryOpensOneFileOfTheType() {
        const QString entry = contentOf(resource("desktop"));
        QVERIFY(entry.contains("\nMimeType=application/x-mmapscope-study;\n"));
        QVERIFY(entry.contains("\nExec=mmapscope %f\n"));
    }

    void aStudyIsKnownByItsName() {
        if (QStandardPaths::findExecutable("update-mime-database").isEmpty()) {
            QSKIP("update-mime-database is not installed");
        }
        const QTemporaryDir data;
        const QString mime = data.filePath("mime");
        QVERIFY(QDir().mkpath(mime + "/packages"));
        QVERIFY(QFile::copy(resource("xml"), mime + "/packages/mmapscope.xml"));
        const QString complaint = complaintOf("update-mime-database", {mime});
        QVERIFY2(complaint.isEmpty(), qPrintable(complaint));
        qputenv("XDG_DATA_HOME", data.path().toLocal8Bit());
        const QMimeDatabase types;
        QCOMPARE(types.mimeTypeForFile("x.mmapscope", QMimeDatabase::MatchExtension).name(),
                 QStringLiteral("application/x-mmapscope-study"));
        QVERIFY(types.mimeTypeForFile("x.json", QMimeDatabase::MatchExtension).name() !=
                QStringLiteral("application/x-mmapscope-study"));
    }
};

QTEST_GUILESS_MAIN(TestResources)
#include "tst_resources.moc"
