// Arms and threads by storage: the table is whole, what can't run is left out with its reason, and threads
// fit the file and the workload.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <set>

#include "study/preselection.h"

using namespace mmapscope;

namespace {

constexpr StorageClass kClasses[] = {
    StorageClass::nvme, StorageClass::ssd,     StorageClass::rotational, StorageClass::virtualDisk,
    StorageClass::fuse, StorageClass::network, StorageClass::memory,     StorageClass::unknown};

bool has(const Preselection& chosen, std::string_view source) {
    return std::any_of(chosen.arms.begin(), chosen.arms.end(),
                       [&](const ArmChoice& arm) { return arm.source == source; });
}

const LeftOut* leftOut(const Preselection& chosen, std::string_view source) {
    for (const LeftOut& arm : chosen.leftOut) {
        if (arm.source == source) {
            return &arm;
        }
    }
    return nullptr;
}

}  // namespace

class TestPreselection : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;

    /// A file of that size, said to lie on such storage.
    FileFacts fileOn(StorageClass storage, std::size_t size) {
        const std::string path = dir_.filePath(QString("f%1").arg(size)).toStdString();
        std::ofstream(path, std::ios::binary).close();
        std::filesystem::resize_file(path, size);
        auto facts = inspectFile(path);
        if (!facts) {
            qFatal("%s", facts.error().message.c_str());
        }
        facts->storage = storage;
        facts->storageReason = "as the test says";
        return *facts;
    }

    static Preselection chosenFor(const FileFacts& file, const char* workload, unsigned cores,
                                  Bytes memory = gib(64)) {
        const WorkloadType& type = *findWorkload(workload);
        return preselect(file, type, *parseParameters(type.parameters, ""), {cores, memory});
    }

  private slots:
    void everyClassHasOneRow() {
        QCOMPARE(preselectionTable().size(), std::size(kClasses));
        for (const StorageClass storage : kClasses) {
            QCOMPARE(preselectionFor(storage).storage, storage);
        }
    }

    void whatSpeaksForAWorkloadIsSaid() {
        FileFacts file = fileOn(StorageClass::ssd, 100);
        std::set<std::string_view> said;
        for (const WorkloadType* type : allWorkloads()) {
            const std::string_view why = whyWorkload(file, *type);
            QVERIFY(!why.empty() && !why.ends_with('.'));
            said.insert(why);
        }
        QCOMPARE(said.size(), std::size_t{3});  // zstd, ticks, and what is left
        file.bytes = Bytes(0);
        QCOMPARE(whyWorkload(file, *findWorkload("scan")), std::string_view("is empty"));
        // What can't be decoded is no tick CSV.
        QVERIFY(workloadHint(fileOn(StorageClass::ssd, 100), *findWorkload("zstd")).empty());
    }

    void rowsNameWhatExists() {
        for (const PreselectionRow& row : preselectionTable()) {
            const auto label = std::string(name(row.storage));
            QVERIFY2(row.arms.size() >= 3, label.c_str());
            QCOMPARE(row.arms.front().source, allSources().front()->id);
            QVERIFY2(!row.reason.empty() && !row.reason.ends_with('.') && !row.basis.empty(), label.c_str());
            std::set<std::string_view> seen;
            for (const ArmChoice& arm : row.arms) {
                const SourceType* type = findSource(arm.source);
                QVERIFY2(type != nullptr, std::string(arm.source).c_str());
                QVERIFY(parseParameters(type->parameters, arm.parameters).has_value());
                QVERIFY2(arm.workload.empty() || findWorkload(arm.workload) != nullptr, label.c_str());
                QVERIFY2(seen.insert(arm.source).second, label.c_str());
            }
        }
    }

    void threadsByStorage_data() {
        QTest::addColumn<int>("storage");
        QTest::addColumn<unsigned>("threads");
        QTest::addColumn<QList<unsigned>>("offered");
        const auto row = [](StorageClass storage, unsigned threads, const QList<unsigned>& offered) {
            QTest::newRow(name(storage).data()) << static_cast<int>(storage) << threads << offered;
        };
        row(StorageClass::nvme, 6, {1, 2, 4, 6});
        row(StorageClass::ssd, 6, {1, 2, 4, 6});
        row(StorageClass::rotational, 1, {1, 2});
        row(StorageClass::virtualDisk, 1, {1, 2, 4, 6});
        row(StorageClass::fuse, 12, {1, 2, 4, 8, 12});
        row(StorageClass::network, 12, {1, 2, 4, 8, 12});
        row(StorageClass::memory, 1, {1, 2, 4, 6});
        row(StorageClass::unknown, 1, {1, 2, 4, 6});
    }
    void threadsByStorage() {
        QFETCH(int, storage);
        QFETCH(unsigned, threads);
        QFETCH(QList<unsigned>, offered);
        const Preselection chosen =
            chosenFor(fileOn(static_cast<StorageClass>(storage), 20U << 20U), "scan", 6);
        QCOMPARE(chosen.threads, threads);
        QCOMPARE(QList<unsigned>(chosen.threadsOffered.begin(), chosen.threadsOffered.end()), offered);
        QVERIFY(chosen.threadReason.empty());
        QVERIFY2(chosen.reason.find("(as the test says): ") != std::string::npos, chosen.reason.c_str());
        QVERIFY(chosen.reason.find('\n') == std::string::npos);
        QVERIFY(has(chosen, "read"));
    }

    void noMappingWhereAFaultIsASeekOrARoundTrip() {
        for (const StorageClass storage :
             {StorageClass::rotational, StorageClass::network, StorageClass::fuse}) {
            for (const ArmChoice& arm : chosenFor(fileOn(storage, 20U << 20U), "scan", 2).arms) {
                QVERIFY2(!findSource(arm.source)->traits.mapsFile, std::string(arm.source).c_str());
            }
        }
        QVERIFY(has(chosenFor(fileOn(StorageClass::fuse, 20U << 20U), "pieces", 2), "mmap-window"));
    }

    void workloadsBringTheirOwn() {
        const FileFacts file = fileOn(StorageClass::nvme, 20U << 20U);
        QVERIFY(has(chosenFor(file, "pieces", 2), "mmap-window"));
        QVERIFY(!has(chosenFor(file, "scan", 2), "mmap-window"));
        QVERIFY(has(chosenFor(file, "zstd", 2), "read-thread"));
    }

    void smallFilesHaveFewerThreads() {
        const Preselection chosen = chosenFor(fileOn(StorageClass::nvme, (3U << 20U) + 5), "scan", 8);
        QCOMPARE(chosen.threads, 3U);
        QVERIFY2(chosen.threadReason.find("too few for more than 3 threads") != std::string::npos,
                 chosen.threadReason.c_str());
        QCOMPARE(chosen.threadsOffered.back(), 3U);
        QCOMPARE(chosenFor(fileOn(StorageClass::fuse, 1), "scan", 8).threads, 1U);
    }

    void emptyFilesAreRead() {
        const Preselection chosen = chosenFor(fileOn(StorageClass::nvme, 0), "scan", 8);
        QCOMPARE(chosen.threads, 1U);
        QVERIFY(has(chosen, "read") && !has(chosen, "mmap"));
        const LeftOut* mmap = leftOut(chosen, "mmap");
        QVERIFY(mmap != nullptr);
        QCOMPARE(mmap->reason, std::string("the file is empty: nothing to map"));
    }

    void whatCannotBeSplitHasOneThread() {
        // Not zstd at all: the run will say so; until then one thread is what can be promised.
        const Preselection chosen = chosenFor(fileOn(StorageClass::nvme, 20U << 20U), "zstd", 8);
        QCOMPARE(chosen.threads, 1U);
        QCOMPARE(chosen.threadsOffered, std::vector<unsigned>{1});
        QVERIFY(!chosen.threadReason.empty());
    }

    void filesLargerThanHalfOfMemoryAreNotHeldWhole() {
        const FileFacts file = fileOn(StorageClass::nvme, 20U << 20U);
        const Preselection chosen = chosenFor(file, "scan", 2, mib(32));
        QVERIFY(!has(chosen, "mmap-populate"));
        const LeftOut* populate = leftOut(chosen, "mmap-populate");
        QVERIFY(populate != nullptr);
        QVERIFY2(populate->reason.find("20 MiB in memory, more than half of 32 MiB") != std::string::npos,
                 populate->reason.c_str());
        QVERIFY(has(chosenFor(file, "scan", 2), "mmap-populate"));
    }

    void veryManyCores() {
        const Preselection chosen = chosenFor(fileOn(StorageClass::fuse, 300U << 20U), "scan", 4096);
        QVERIFY(chosen.threads <= Accounts::kMaxArmThreads);
    }

    void thisMachineIsKnown() { QVERIFY(thisMachine().cores >= 1 && !thisMachine().memory.isZero()); }
};

QTEST_GUILESS_MAIN(TestPreselection)
#include "tst_preselection.moc"
