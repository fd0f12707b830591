#include <QSemaphore>
#include <QTest>
#include <thread>

#include "widgets/background_job.h"

using namespace mmapscope;

class TestBackgroundJob : public QObject {
    Q_OBJECT
  private slots:
    void theResultComesOnTheOwnersThread() {
        BackgroundJob job;
        const auto owner = std::this_thread::get_id();
        std::thread::id worked;
        std::thread::id delivered;
        int result = 0;
        job.start(
            [&](BackgroundJob::Link&) {
                worked = std::this_thread::get_id();
                return 42;
            },
            [&](int value) {
                result = value;
                delivered = std::this_thread::get_id();
            });
        QVERIFY(job.busy());
        QTRY_COMPARE(result, 42);
        QVERIFY(!job.busy());
        QVERIFY(worked != owner);
        QVERIFY(delivered == owner);
    }

    void aSecondStartForgetsTheFirst() {
        BackgroundJob job;
        QSemaphore go;
        QSemaphore ended;
        QList<int> results;
        bool stopped = false;
        job.start(
            [&](BackgroundJob::Link& link) {
                go.acquire();
                stopped = link.stop().stop_requested();
                ended.release();
                return 1;
            },
            [&](int value) { results << value; });
        job.start([](BackgroundJob::Link&) { return 2; }, [&](int value) { results << value; });
        go.release();
        QTRY_COMPARE(results, QList<int>{2});
        ended.acquire();
        QVERIFY(stopped);
        QTest::qWait(20);
        QCOMPARE(results, QList<int>{2});
    }

    void destructionCancelsWithoutWaiting() {
        QSemaphore go;
        QSemaphore ended;
        bool delivered = false;
        {
            BackgroundJob job;
            job.start(
                [&](BackgroundJob::Link& link) {
                    go.acquire();
                    link.post([&] { delivered = true; });
                    ended.release();
                    return 0;
                },
                [&](int) { delivered = true; });
        }
        go.release();
        ended.acquire();
        QTest::qWait(20);
        QVERIFY(!delivered);
    }

    void whatWasPostedBeforeACancelIsDropped() {
        BackgroundJob job;
        QSemaphore posted;
        bool delivered = false;
        job.start(
            [&](BackgroundJob::Link& link) {
                link.post([&] { delivered = true; });
                posted.release();
                return 0;
            },
            [&](int) { delivered = true; });
        posted.acquire();
        job.cancel();
        QTest::qWait(20);
        QVERIFY(!delivered);
    }

    void doneMayStartTheNext() {
        BackgroundJob job;
        int result = 0;
        job.start([](BackgroundJob::Link&) { return 1; },
                  [&](int) {
                      job.start([](BackgroundJob::Link&) { return 2; }, [&](int value) { result = value; });
                  });
        QTRY_COMPARE(result, 2);
    }

    void aStopStillDelivers() {
        BackgroundJob job;
        bool stopped = false;
        job.start(
            [](BackgroundJob::Link& link) {
                while (!link.stop().stop_requested()) {
                    std::this_thread::yield();
                }
                return true;
            },
            [&](bool value) { stopped = value; });
        job.requestStop();
        QTRY_VERIFY(stopped);
    }
};

QTEST_GUILESS_MAIN(TestBackgroundJob)
#include "tst_gui_background_job.moc"
