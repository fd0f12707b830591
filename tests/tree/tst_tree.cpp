// The tree is the architecture: arrows go app → widgets → engine, and the engine has no Qt.
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

namespace {

struct Include {
    QString file;
    int line;
    QString target;
    bool quoted;
};

QList<Include> includesBelow(const QString& folder) {
    QList<Include> found;
    const QString top = QStringLiteral(MMAPSCOPE_SOURCE_DIR);
    static const QRegularExpression pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
    QDirIterator files(top + '/' + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly)) {
            qFatal("%s can't be read", qPrintable(file.fileName()));
        }
        int number = 0;
        while (!file.atEnd()) {
            ++number;
            const auto match = pattern.match(QString::fromUtf8(file.readLine()));
            if (match.hasMatch()) {
                found.append({QDir(top).relativeFilePath(file.fileName()), number, match.captured(2),
                              match.captured(1) == QStringLiteral("\"")});
            }
        }
    }
    return found;
}

QString describe(const Include& include) {
    return QStringLiteral("%1:%2 includes %3").arg(include.file).arg(include.line).arg(include.target);
}

bool isQt(const QString& target) {
    static const QRegularExpression pattern("^(Q[A-Z]|Qt|qt|q[a-z]+\\.h$|qcustomplot)");
    return pattern.match(target).hasMatch();
}

}  // namespace

class TestTree : public QObject {
    Q_OBJECT
  private slots:
    void theEngineHasNoQt_data() {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"engine", "app/worker", "app/cli"}) {
            QTest::newRow(folder) << folder;
        }
    }
    void theEngineHasNoQt() {
        QFETCH(QString, folder);
        const auto includes = includesBelow(folder);
        QVERIFY(!includes.isEmpty());
        for (const auto& include : includes) {
            QVERIFY2(!isQt(include.target), qPrintable(describe(include)));
        }
    }

    void arrowsGoOneWay_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QStringList>("forbidden");
        QTest::newRow("engine") << "engine" << QStringList{"app/", "widgets/"};
        QTest::newRow("widgets") << "widgets" << QStringList{"app/"};
        QTest::newRow("core") << "engine/core" << QStringList{"probe/", "source/", "workload/", "run/",
                                                              "study/", "report/", "corpus/"};
        QTest::newRow("probe") << "engine/probe"
                               << QStringList{"source/", "workload/", "run/", "study/", "report/", "corpus/"};
        QTest::newRow("source") << "engine/source"
                                << QStringList{"workload/", "run/", "study/", "report/", "corpus/"};
        QTest::newRow("workload") << "engine/workload"
                                  << QStringList{"source/", "run/", "study/", "report/", "corpus/"};
        QTest::newRow("corpus") << "engine/corpus" << QStringList{"source/", "run/", "study/", "report/"};
        QTest::newRow("run") << "engine/run" << QStringList{"study/", "report/", "corpus/"};
        QTest::newRow("study") << "engine/study" << QStringList{"report/", "corpus/"};
        QTest::newRow("worker") << "app/worker"
                                << QStringList{"study/", "report/", "corpus/", "widgets/", "app/gui/"};
    }
    void arrowsGoOneWay() {
        QFETCH(QString, folder);
        QFETCH(QStringList, forbidden);
        const auto includes = includesBelow(folder);
        QVERIFY(!includes.isEmpty());
        for (const auto& include : includes) {
            for (const auto& prefix : forbidden) {
                QVERIFY2(!include.quoted || !include.target.startsWith(prefix),
                         qPrintable(describe(include)));
            }
        }
    }

    void filesStayShort() {
        const QString top = QStringLiteral(MMAPSCOPE_SOURCE_DIR);
        for (const char* folder : {"engine", "widgets", "app", "tests"}) {
            QDirIterator files(top + '/' + folder, {"*.h", "*.cpp"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const auto lines = file.readAll().count('\n');
                QVERIFY2(lines <= 450,
                         qPrintable(QStringLiteral("%1 has %2 lines").arg(file.fileName()).arg(lines)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTree)
#include "tst_tree.moc"
