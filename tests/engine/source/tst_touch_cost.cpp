// What cached bytes cost, measured on a file that is there, one that shrinks meanwhile, and one that isn't.
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <thread>

#include "source/touch_cost.h"

using namespace mmapscope;

class TestTouchCost : public QObject {
    Q_OBJECT

  private slots:
    void bothWaysTakeTime() {
        const auto cost = measureTouchCost(fileOf(20 << 20));
        QVERIFY2(cost, cost ? "" : cost.error().message.c_str());
        QCOMPARE(cost->bytes, mib(16));
        QVERIFY(cost->mapped.count() > 0 && cost->copied.count() > 0);
    }

    void aFileThatShrinksIsAnError() {
        const FileFacts file = fileOf(16 << 20);
        std::atomic<bool> done{false};
        std::atomic<int> sized{0};
        std::thread shrinker([&] {
            while (!done) {
                sized += ::truncate(file.path.c_str(), 4096) == 0 ? 1 : 0;
                sized += ::truncate(file.path.c_str(), 16 << 20) == 0 ? 1 : 0;
            }
        });
        int refused = 0;
        for (int i = 0; i < 40; ++i) {
            const auto cost = measureTouchCost(file);
            refused += cost ? 0 : 1;
        }
        done = true;
        shrinker.join();
        QVERIFY(sized > 0);
        QVERIFY2(refused > 0, "the file never shrank in time: nothing was tested");
    }

    void whatIsNotThereIsAnError() {
        QVERIFY(!measureTouchCost(fileOf(0)));
        FileFacts file = fileOf(4096);
        QVERIFY(QFile::remove(QString::fromStdString(file.path)));
        QCOMPARE(measureTouchCost(file).error().kind, ErrorKind::unavailable);
    }

  private:
    FileFacts fileOf(int bytes) {
        QFile file(folder_.filePath("file"));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray(bytes, 'x')) != bytes) {
            qFatal("no file");
        }
        file.close();
        return *inspectFile(file.fileName().toStdString());
    }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestTouchCost)
#include "tst_touch_cost.moc"
