// What is observed of kernel and filesystem on a real file, and counters with their reasons.
#include <QTemporaryDir>
#include <QtTest>

#include "probe/behaviours.h"

using namespace mmapscope;

class TestBehaviours : public QObject {
    Q_OBJECT

  private slots:
    void ofAFileInTheCache();
    void ofAnEmptyFile();
    void everyCounterIsThereOrSaysWhy();

  private:
    FileFacts file(const char* name, int bytes) {
        QFile out(dir_.filePath(QLatin1String(name)));
        if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray(bytes, 'x')) != bytes) {
            qFatal("can't write the test's file");
        }
        out.close();
        return *inspectFile(out.fileName().toStdString());
    }
    QTemporaryDir dir_;
};

void TestBehaviours::ofAFileInTheCache() {
    const auto all = observeBehaviours(file("cached", 4 << 20));
    QCOMPARE(all.size(), std::size_t(4));
    for (const Behaviour& one : all) {
        QVERIFY(!one.what.empty() && !one.seen.empty() && !one.means.empty());
    }
    // The file was just written: the fault-around look has pages to look at.
    QVERIFY2(all[1].looked, all[1].seen.c_str());
}

void TestBehaviours::ofAnEmptyFile() {
    const auto all = observeBehaviours(file("empty", 0));
    QVERIFY(!all[0].looked && !all[1].looked);
    QVERIFY2(all[0].seen.find("page cache") != std::string::npos, all[0].seen.c_str());
}

void TestBehaviours::everyCounterIsThereOrSaysWhy() {
    const auto all = lookAtCounters();
    QVERIFY(!all.empty());
    for (const CounterFinding& one : all) {
        QVERIFY(!one.title.empty());
        QVERIFY2(one.finding.available || !one.finding.reason.empty(), one.title.c_str());
    }
}

QTEST_GUILESS_MAIN(TestBehaviours)
#include "tst_behaviours.moc"
