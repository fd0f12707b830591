#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/unique_fd.h"
#include "probe/residency.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

/// Clean pages leave; a few tries, as they may sit in per-CPU batches.
bool evictWhole(int fd) {
    ::fsync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;
}

}  // namespace

class TestResidency : public QObject {
    Q_OBJECT

  private:
    Tree tree_;
    std::string path_;
    FileFacts file_;
    UniqueFd fd_;
    Bytes length_ = mib(8) + Bytes(5);

    void readPages(std::uint64_t from, std::uint64_t count) {
        // Random advice: no readahead beyond what is asked for.
        ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_RANDOM);
        std::string page(pageSize().size(), '\0');
        for (std::uint64_t i = from; i < from + count; ++i) {
            QVERIFY(::pread(fd_.get(), page.data(), page.size(),
                            static_cast<off_t>((pageSize() * i).count())) > 0);
        }
    }

  private slots:
    void initTestCase() {
        tree_.file("file", std::string(length_.size(), 'r'));
        path_ = tree_.path("file");
        fd_.reset(::open(path_.c_str(), O_RDWR));
        file_ = *inspectFile(path_);
        if (file_.storage == StorageClass::memory) {
            QSKIP("the temporary directory is in memory and can't be evicted; set TMPDIR to a disk");
        }
    }
    void tellsWhatIsThereAndWhatIsDirty() {
        evictWhole(fd_.get());
        const Range all{Bytes(0), length_};
        auto none = residencyOf(file_, all);
        QVERIFY2(none.has_value(), none ? "" : none.error().message.c_str());
        QCOMPARE(none->resident.count(), quint64{0});
        QCOMPARE(none->total, length_);
        readPages(0, 16);
        QCOMPARE(residencyOf(file_, all)->resident, pageSize() * 16);
        QCOMPARE(residencyOf(file_, {pageSize() * 8, pageSize() * 24})->fraction(), 0.5);
        // The last page holds 5 bytes: all there is all there.
        readPages(length_ / pageSize(), 1);
        const auto tail = residencyOf(file_, {mib(8), length_});
        QCOMPARE(tail->resident.count(), quint64{5});
        QCOMPARE(tail->fraction(), 1.0);
        QCOMPARE(::pwrite(fd_.get(), "w", 1, 0), 1);
        const auto dirty = residencyOf(file_, all);
        QVERIFY(dirty.has_value());
        ::fsync(fd_.get());
        if (mincoreResidency(fd_.get(), all)->resident == dirty->resident && dirty->dirty.isZero()) {
            QSKIP("no cachestat here: mincore can't tell dirty pages");
        }
        QVERIFY(dirty->dirty >= pageSize());
        QVERIFY(residencyOf(file_, all)->dirty.isZero());
    }
    void mincoreAgreesWithCachestat() {
        evictWhole(fd_.get());
        readPages(3, 40);
        for (const Range range : {Range{Bytes(0), length_}, Range{pageSize() * 2, pageSize() * 5},
                                  Range{Bytes(100), Bytes(200)}, Range{pageSize() * 4 + Bytes(1), mib(1)}}) {
            const auto one = residencyOf(file_, range);
            const auto other = mincoreResidency(fd_.get(), range);
            QVERIFY(one && other);
            QCOMPARE(one->resident, other->resident);
        }
    }
    void mapShowsWhere() {
        evictWhole(fd_.get());
        readPages(0, 256);  // the first MiB of eight, on 4 KiB pages
        const auto map = residencyMap(file_, 8);
        QVERIFY(map.has_value());
        QCOMPARE(map->size(), std::size_t{8});
        const double share =
            static_cast<double>((pageSize() * 256).count()) / static_cast<double>(mib(1).count());
        if (share <= 1.0) {
            QVERIFY((*map)[0] > 0.99 * share);
            QVERIFY((*map)[1] < 0.01);
        }
        QCOMPARE((*map)[7], 0.0F);
        // More steps than pages: none is left out.
        const auto fine = residencyMap(file_, 10000);
        QCOMPARE(fine->size(), std::size_t{10000});
        QCOMPARE(fine->front(), 1.0F);
        QCOMPARE(fine->back(), 0.0F);
    }
    void emptyFileAndEmptyRange() {
        tree_.file("empty", "");
        const auto empty = *inspectFile(tree_.path("empty"));
        const auto seen = residencyOf(empty, {Bytes(0), Bytes(0)});
        QVERIFY(seen.has_value());
        QVERIFY(seen->total.isZero());
        QVERIFY(residencyMap(empty, 10)->empty());
        QVERIFY(residencyOf(file_, {mib(1), mib(1)})->resident.isZero());
    }
    void windowsOfAHugeSparseFile() {
        tree_.file("sparse", "");
        QCOMPARE(::truncate(tree_.path("sparse").c_str(), off_t{3} << 30), 0);
        const auto sparse = *inspectFile(tree_.path("sparse"));
        const UniqueFd fd(::open(sparse.path.c_str(), O_RDONLY));
        char byte = 0;
        ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM);
        QCOMPARE(::pread(fd.get(), &byte, 1, off_t{5} << 29), 1);
        const auto map = residencyMap(sparse, 3);
        QVERIFY(map.has_value());
        QCOMPARE((*map)[0], 0.0F);
        QCOMPARE((*map)[1], 0.0F);
        QVERIFY((*map)[2] > 0.0F);
        QCOMPARE(mincoreResidency(fd.get(), {Bytes(0), gib(3)})->resident,
                 residencyOf(sparse, {Bytes(0), gib(3)})->resident);
    }
    void notOurFileIsNotAvailable() {
        ::chmod(tree_.root().c_str(), 0755);
        ::chmod(path_.c_str(), 0644);
        const int result = asNobody([this] {
            const auto file = inspectFile(path_);
            if (!file) {
                return 1;
            }
            const auto seen = residencyOf(*file, {Bytes(0), length_});
            const auto map = residencyMap(*file, 4);
            const bool told = !seen && seen.error().kind == ErrorKind::unavailable &&
                              seen.error().message.starts_with("not your file") && !map;
            return told ? 0 : 2;
        });
        if (result == 100) {
            QSKIP("needs root, to drop its privileges");
        }
        QCOMPARE(result, 0);
    }
    void goneFileIsAnError() {
        FileFacts gone = file_;
        gone.path = tree_.path("gone");
        QVERIFY(!residencyOf(gone, {Bytes(0), length_}).has_value());
    }
};

QTEST_GUILESS_MAIN(TestResidency)
#include "tst_residency.moc"
