#include <QtTest>
#include <thread>
#include <vector>

#include "run/sample.h"

using namespace mmapscope;

class TestSampleRing : public QObject {
    Q_OBJECT
  private slots:
    void keepsOrderAndDropsTheNewestWhenFull() {
        SampleRing ring(4);
        Sample sample;
        for (int i = 0; i < 6; ++i) {
            sample.tNs = i;
            QCOMPARE(ring.push(sample), i < 4);
        }
        QCOMPARE(ring.dropped(), quint64{2});
        std::vector<Sample> out(3);
        QCOMPARE(ring.pop(out), std::size_t{3});
        QCOMPARE(out[0].tNs, 0);
        QCOMPARE(out[2].tNs, 2);
        sample.tNs = 9;
        QVERIFY(ring.push(sample));
        QCOMPARE(ring.pop(out), std::size_t{2});
        QCOMPARE(out[0].tNs, 3);
        QCOMPARE(out[1].tNs, 9);
        QCOMPARE(ring.pop(out), std::size_t{0});
        QCOMPARE(ring.pop({}), std::size_t{0});
    }
    void everyCapacityWorks_data() {
        QTest::addColumn<int>("capacity");
        for (const int capacity : {0, 1, 3, 7, 1000}) {
            QTest::addRow("%d", capacity) << capacity;
        }
    }
    void everyCapacityWorks() {
        QFETCH(int, capacity);
        SampleRing ring(static_cast<std::size_t>(capacity));
        std::vector<Sample> out(1);
        for (int i = 0; i < 5000; ++i) {
            Sample sample;
            sample.tNs = i;
            QVERIFY(ring.push(sample));
            QCOMPARE(ring.pop(out), std::size_t{1});
            QCOMPARE(out[0].tNs, i);
        }
        QCOMPARE(ring.dropped(), quint64{0});
    }
    void twoThreadsLoseAndTearNothing() {
        constexpr std::uint64_t kCount = 300000;
        SampleRing ring(64);
        std::thread producer([&ring] {
            for (std::uint64_t i = 1; i <= kCount;) {
                Sample sample;
                sample.tNs = static_cast<std::int64_t>(i);
                sample.bytesIn = i * 3;
                sample.shmemPmdMapped = i * 7;
                if (ring.push(sample)) {
                    ++i;
                } else {
                    std::this_thread::yield();
                }
            }
        });
        std::uint64_t seen = 0;
        bool whole = true;
        std::vector<Sample> out(17);
        while (seen < kCount) {
            const std::size_t got = ring.pop(out);
            for (std::size_t i = 0; i < got; ++i) {
                ++seen;
                whole = whole && out[i].tNs == static_cast<std::int64_t>(seen) &&
                        out[i].bytesIn == seen * 3 && out[i].shmemPmdMapped == seen * 7;
            }
            if (got == 0) {
                std::this_thread::yield();
            }
        }
        producer.join();
        QVERIFY(whole);
        QCOMPARE(ring.pop(out), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestSampleRing)
#include "tst_sample_ring.moc"
