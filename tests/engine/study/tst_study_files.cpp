// No output overwrites what a study reads, by whatever name it is called.
#include <QTemporaryDir>
#include <QtTest>

#include "study/study_files.h"
#include "workload/workload.h"

using namespace mmapscope;

class TestStudyFiles : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(QString::fromUtf8(name)).toStdString(); }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        for (const char* name : {"measured", "words", "torrent"}) {
            QFile file(dir_.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
        }
        QVERIFY(QFile::link(dir_.filePath("words"), dir_.filePath("link")));
    }

    void filesByTheirRole() {
        const auto names = [](std::string_view workload, const char* parameters, FileRole role) {
            QStringList found;
            const auto parsed = parseParameters(findWorkload(workload)->parameters, parameters);
            for (const NamedFile& file : filesOf(std::string(workload), parsed.value(), role)) {
                found << QString::fromStdString(file.by + file.path);
            }
            return found;
        };
        QCOMPARE(names("zstd", "dictionary=/d", FileRole::reads), QStringList{"dictionary=/d"});
        QCOMPARE(names("zstd", "dictionary=/d", FileRole::writes), QStringList{});
        QCOMPARE(names("pieces", "torrent=/t,name=n", FileRole::writes), QStringList{"torrent=/t"});
        QCOMPARE(names("pieces", "", FileRole::writes), QStringList{});
        QVERIFY(filesOf("of another version", {}, FileRole::reads).empty());
    }

    void whatIsReadIsKept_data() {
        QTest::addColumn<QString>("output");
        QTest::addColumn<bool>("keeps");
        QTest::newRow("the measured file") << "measured" << false;
        QTest::newRow("a dictionary") << "words" << false;
        QTest::newRow("a dictionary by a link") << "link" << false;
        QTest::newRow("a dictionary by a detour") << "./words" << false;
        QTest::newRow("another file") << "torrent" << true;
        QTest::newRow("a new file") << "new.csv" << true;
    }
    void whatIsReadIsKept() {
        QFETCH(QString, output);
        QFETCH(bool, keeps);
        Study study;
        study.plan.file = path("measured");
        for (const char* dictionary : {"", "words"}) {
            Arm arm;
            arm.workload = "zstd";
            arm.workloadParameters = *parseParameters(findWorkload("zstd")->parameters, "");
            arm.workloadParameters["dictionary"] = *dictionary == '\0' ? std::string() : path(dictionary);
            study.arms.push_back(arm);
        }
        const Status status = checkKeepsRead(path(qPrintable(output)), study);
        QCOMPARE(status.has_value(), keeps);
        QVERIFY(keeps || status.error().kind == ErrorKind::usage);
    }
};

QTEST_GUILESS_MAIN(TestStudyFiles)
#include "tst_study_files.moc"
