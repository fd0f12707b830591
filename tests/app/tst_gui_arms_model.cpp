#include <QSignalSpy>
#include <QTest>

#include "app/gui/arms_model.h"

using namespace mmapscope;

namespace {

Availability always(const FileFacts&, const Parameters&, Range, unsigned) {
    return Availability::yes();
}

std::unique_ptr<Source> nothing(const Parameters&) {
    return nullptr;
}

ParameterSpec bytesSpec(std::string_view name, std::string_view fallback) {
    return {name, ParameterKind::bytes, fallback, "How much at once.", {}, kib(4), mib(16), kib(4)};
}

const SourceType kPlain{"plain", "No parameters.", {}, {}, always, nothing};
const SourceType kBuffer{"buffer", "One parameter.", {bytesSpec("buffer", "64KiB")}, {}, always, nothing};
const SourceType kWindow{
    "window",
    "Two parameters.",
    {bytesSpec("window", "1MiB"),
     {"advice", ParameterKind::choice, "none", "What the kernel is told.", {"none", "sequential"}}},
    {},
    always,
    nothing};

QString text(const QModelIndex& index) {
    return index.data(Qt::DisplayRole).toString();
}

}  // namespace

class TestArmsModel : public QObject {
    Q_OBJECT

  private:
    const std::vector<const SourceType*> sources_ = {&kPlain, &kBuffer, &kWindow};

  private slots:
    void everySourceIsARow() {
        const ArmsModel model(sources_);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(text(model.index(0, ArmsModel::kArm)), QStringLiteral("plain"));
        QCOMPARE(text(model.index(1, ArmsModel::kValue)), QStringLiteral("64 KiB"));
        QCOMPARE(text(model.index(2, ArmsModel::kValue)), QStringLiteral("1 MiB, none"));
        QVERIFY(model.chosen(1).empty());
    }

    void onlySeveralParametersMakeChildren() {
        const ArmsModel model(sources_);
        QCOMPARE(model.rowCount(model.index(0, 0)), 0);
        QCOMPARE(model.rowCount(model.index(1, 0)), 0);
        const QModelIndex window = model.index(2, 0);
        QCOMPARE(model.rowCount(window), 2);
        const QModelIndex advice = model.index(1, ArmsModel::kValue, window);
        QCOMPARE(advice.parent(), window);
        QCOMPARE(text(advice), QStringLiteral("none"));
        QVERIFY(model.flags(advice).testFlag(Qt::ItemIsEditable));
        QVERIFY(!model.flags(model.index(2, ArmsModel::kValue)).testFlag(Qt::ItemIsEditable));
        QVERIFY(model.flags(model.index(1, ArmsModel::kValue)).testFlag(Qt::ItemIsEditable));
    }

    void aTickedArmIsChosenWithItsParameters() {
        ArmsModel model(sources_);
        const QSignalSpy changed(&model, &ArmsModel::choiceChanged);
        QVERIFY(model.setData(model.index(2, 0), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(model.setData(model.index(0, ArmsModel::kValue, model.index(2, 0)), "2 mib", Qt::EditRole));
        QCOMPARE(changed.count(), 2);
        const auto arms = model.chosen(3);
        QCOMPARE(arms.size(), std::size_t(1));
        QCOMPARE(arms[0].source, std::string("window"));
        QCOMPARE(arms[0].threads, 3U);
        QCOMPARE(bytesOf(arms[0].sourceParameters, "window"), mib(2));
    }

    void malformedValuesAreRefusedInWords_data() {
        QTest::addColumn<int>("row");
        QTest::addColumn<QString>("value");
        QTest::newRow("no size") << 0 << QStringLiteral("many");
        QTest::newRow("empty") << 0 << QString();
        QTest::newRow("too small") << 0 << QStringLiteral("1KiB");
        QTest::newRow("too large") << 0 << QStringLiteral("1GiB");
        QTest::newRow("not a multiple") << 0 << QStringLiteral("5000");
        QTest::newRow("two parameters in one") << 0 << QStringLiteral("8KiB,advice=sequential");
        QTest::newRow("unknown choice") << 1 << QStringLiteral("hugepage");
    }
    void malformedValuesAreRefusedInWords() {
        QFETCH(const int, row);
        QFETCH(const QString, value);
        ArmsModel model(sources_);
        const QSignalSpy rejected(&model, &ArmsModel::rejected);
        const QModelIndex cell = model.index(row, ArmsModel::kValue, model.index(2, 0));
        const QString before = text(cell);
        QVERIFY(!model.setData(cell, value, Qt::EditRole));
        QCOMPARE(rejected.count(), 1);
        QVERIFY(!rejected[0][0].toString().isEmpty());
        QVERIFY(!rejected[0][0].toString().contains('\n'));
        QCOMPARE(text(cell), before);
    }

    void anArmCanBeAddedAgainAndRemoved() {
        ArmsModel model(sources_);
        QVERIFY(model.setData(model.index(1, 0), Qt::Checked, Qt::CheckStateRole));
        const QModelIndex again = model.addAgain(model.index(1, 0));
        QCOMPARE(again.row(), 2);
        QVERIFY(model.setData(again.siblingAtColumn(ArmsModel::kValue), "1MiB", Qt::EditRole));
        auto arms = model.chosen(1);
        QCOMPARE(arms.size(), std::size_t(2));
        QCOMPARE(bytesOf(arms[0].sourceParameters, "buffer"), kib(64));
        QCOMPARE(bytesOf(arms[1].sourceParameters, "buffer"), mib(1));

        QVERIFY(!model.removable(model.index(1, 0)));
        QVERIFY(model.removable(model.index(2, 0)));
        model.remove(model.index(1, 0));
        QCOMPARE(model.rowCount(), 4);
        model.remove(model.index(2, 0));
        QCOMPARE(model.rowCount(), 3);
        arms = model.chosen(1);
        QCOMPARE(arms.size(), std::size_t(1));
        QCOMPARE(text(model.index(2, ArmsModel::kArm)), QStringLiteral("window"));
    }

    void addingAgainFromAParameterAddsItsArm() {
        ArmsModel model(sources_);
        const QModelIndex advice = model.index(1, ArmsModel::kValue, model.index(2, 0));
        const QModelIndex again = model.addAgain(advice);
        QCOMPARE(again.row(), 3);
        QCOMPARE(text(again), QStringLiteral("window"));
    }

    void unavailableArmsSayWhyAndCannotBeTicked() {
        ArmsModel model(sources_);
        QVERIFY(model.setData(model.index(1, 0), Qt::Checked, Qt::CheckStateRole));
        model.setAvailability(
            {Availability::yes(),
             Availability::no("64 huge pages needed, 0 free", "sudo sysctl vm.nr_hugepages=64"),
             Availability::yes()});
        const QModelIndex arm = model.index(1, ArmsModel::kArm);
        QVERIFY(!model.flags(arm).testFlag(Qt::ItemIsUserCheckable));
        QVERIFY(model.flags(arm).testFlag(Qt::ItemIsEnabled));  // the keyboard still reaches it
        QCOMPARE(arm.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
        QVERIFY(arm.data(Qt::ToolTipRole).toString().contains("64 huge pages needed"));
        QVERIFY(arm.data(Qt::AccessibleDescriptionRole).toString().contains("64 huge pages needed"));
        QVERIFY(arm.data(Qt::AccessibleTextRole).toString().contains("not available"));
        QCOMPARE(arm.data(ArmsModel::kUnlock).toString(), QStringLiteral("sudo sysctl vm.nr_hugepages=64"));
        QCOMPARE(text(arm.siblingAtColumn(ArmsModel::kHow)), QStringLiteral("How?"));
        QVERIFY(model.chosen(1).empty());
        // Once unlocked, the tick that was there counts again.
        model.setAvailability({Availability::yes(), Availability::yes(), Availability::yes()});
        QCOMPARE(model.chosen(1).size(), std::size_t(1));
    }

    void answersForOtherRowsAreIgnored() {
        ArmsModel model(sources_);
        model.addAgain(model.index(0, 0));
        model.setAvailability({Availability::no("x"), Availability::no("x"), Availability::no("x")});
        QVERIFY(model.index(0, 0).data(ArmsModel::kAvailable).toBool());
    }

    void preselectTicksExactlyThoseAndForgetsEdits() {
        ArmsModel model(sources_);
        model.addAgain(model.index(1, 0));
        QVERIFY(model.touched());
        model.preselect({{"plain"}, {"window", "2MiB,advice=sequential"}});
        QVERIFY(!model.touched());
        QCOMPARE(model.rowCount(), 3);
        const auto arms = model.chosen(1);
        QCOMPARE(arms.size(), std::size_t(2));
        QCOMPARE(textOf(arms[1].sourceParameters, "advice"), std::string("sequential"));
        QCOMPARE(bytesOf(arms[1].sourceParameters, "window"), mib(2));
    }

    void whatAFileOpensWithIsTickedByItsStorage_data() {
        QTest::addColumn<int>("storage");
        QTest::addColumn<bool>("maps");
        for (const PreselectionRow& row : preselectionTable()) {
            const bool remote = row.storage == StorageClass::fuse || row.storage == StorageClass::network;
            QTest::newRow(name(row.storage).data())
                << static_cast<int>(row.storage) << !(remote || row.storage == StorageClass::rotational);
        }
    }
    void whatAFileOpensWithIsTickedByItsStorage() {
        QFETCH(const int, storage);
        QFETCH(const bool, maps);
        FileFacts file;
        file.bytes = mib(64);
        file.storage = static_cast<StorageClass>(storage);
        ArmsModel model(allSources());
        model.preselect(choicesFor(file, "scan", gib(8)));
        QVERIFY(!model.touched());
        const auto arms = model.chosen(1);
        QVERIFY(arms.size() >= 3);
        QCOMPARE(arms.front().source, std::string(allSources().front()->id));
        QCOMPARE(std::any_of(arms.begin(), arms.end(),
                             [](const ArmRequest& arm) { return findSource(arm.source)->traits.mapsFile; }),
                 maps);
    }
};

QTEST_MAIN(TestArmsModel)
#include "tst_gui_arms_model.moc"
