#include "run/stamps.h"

#include <QTest>
#include <array>

#include "run/run_errors.h"

using namespace mmapscope;

class TestStamps : public QObject {
    Q_OBJECT
  private slots:
    void theStepGivesEveryRunItsPoints_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<int>("threads");
        QTest::addColumn<quint64>("finest");
        for (const quint64 bytes : {quint64{1} << 20U, (quint64{1} << 20U) + 1, (quint64{16} << 20U) - 1,
                                    quint64{100} << 20U, quint64{1} << 30U, quint64{22000000000}}) {
            for (const int threads : {1, 2, 8, 64, 128}) {
                for (const quint64 finest : {kFinestStep.count(), kFinestMeasuredStep.count()}) {
                    QTest::addRow("%llu by %d from %llu", static_cast<unsigned long long>(bytes), threads,
                                  static_cast<unsigned long long>(finest))
                        << bytes << threads << finest;
                }
            }
        }
    }

    void theStepGivesEveryRunItsPoints() {
        QFETCH(quint64, bytes);
        QFETCH(int, threads);
        QFETCH(quint64, finest);
        const auto n = static_cast<std::size_t>(threads);
        const Bytes range(bytes / n);
        const Bytes step = stampStep(range, n, Bytes(finest));
        QVERIFY(step >= Bytes(finest));
        QCOMPARE((step % Bytes(finest)).count(), std::uint64_t{0});
        const std::uint64_t each = range / step;
        QVERIFY(each <= 1024);
        if (step > Bytes(finest)) {
            QVERIFY2(each * n >= kStampsPerRun, std::to_string(each * n).c_str());
        }
    }

    void aFullBufferKeepsTheEnd() {
        StampBuffer buffer(3);
        for (std::int64_t i = 1; i <= 5; ++i) {
            buffer.add({i, static_cast<std::uint64_t>(i), 0});
        }
        QCOMPARE(buffer.stamps().size(), std::size_t{3});
        QCOMPARE(buffer.stamps().back().tNs, std::int64_t{5});
        QCOMPARE(buffer.stamps()[1].tNs, std::int64_t{2});
    }

    void threadsAreMergedByTimeIntoTotals() {
        const std::array a{Stamp{10, 100, 1}, Stamp{30, 300, 2}};
        const std::array b{Stamp{20, 50, 5}, Stamp{30, 60, 5}};
        const std::array<std::span<const Stamp>, 3> all{a, b, {}};
        const Stamps merged = mergeStamps(all, {40, 360, 9});
        QCOMPARE(merged.tNs, (std::vector<std::int64_t>{0, 10, 20, 30, 30, 40}));
        QCOMPARE(merged.bytes, (std::vector<std::uint64_t>{0, 100, 150, 350, 360, 360}));
        QCOMPARE(merged.minorFaults, (std::vector<std::uint64_t>{0, 1, 6, 7, 7, 9}));
    }

    void nothingStampedIsStillACurve() {
        const Stamps merged = mergeStamps({}, {7, 0, 3});
        QCOMPARE(merged.tNs, (std::vector<std::int64_t>{0, 7}));
        QCOMPARE(merged.minorFaults, (std::vector<std::uint64_t>{0, 3}));
    }

    void theWorstErrorIsReported_data() {
        QTest::addColumn<QString>(
            "reports");  // c cancelled, o ordinary, p another ordinary, g guard, h changed
        QTest::addColumn<QString>("worst");
        QTest::newRow("stopped") << "c"
                                 << "c";
        QTest::newRow("an error stopped the others") << "oc"
                                                     << "o";
        QTest::newRow("stopped first") << "co"
                                       << "o";
        QTest::newRow("the first of equals") << "op"
                                             << "o";
        QTest::newRow("the decoder stumbled over zeros") << "og"
                                                         << "g";
        QTest::newRow("a changed file") << "oh"
                                        << "h";
        QTest::newRow("guard first") << "goh"
                                     << "g";
    }

    void theWorstErrorIsReported() {
        QFETCH(QString, reports);
        QFETCH(QString, worst);
        std::stop_source stop;
        RunErrors errors(stop);
        QVERIFY(!errors.any());
        for (const QChar report : reports) {
            const std::string text = QString(report).toStdString();
            if (report == 'c') {
                errors.report({ErrorKind::cancelled, text});
            } else if (report == 'g') {
                errors.report({ErrorKind::unavailable, text}, ErrorRank::bytes);
            } else {
                errors.report({report == 'h' ? ErrorKind::changed : ErrorKind::input, text});
            }
            QVERIFY2(stop.stop_requested(), "the rest of the arm must stop");
        }
        QCOMPARE(errors.worst()->message, worst.toStdString());
    }
};

QTEST_GUILESS_MAIN(TestStamps)
#include "tst_stamps.moc"
