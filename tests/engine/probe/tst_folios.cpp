#include <fcntl.h>
#include <sys/stat.h>

#include "core/unique_fd.h"
#include "probe/folios.h"
#include "probe/residency.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

class TestFolios : public QObject {
    Q_OBJECT

  private:
    Tree tree_;
    FileFacts file_;
    Range all_;

    void fill(int advice) {
        const UniqueFd fd(::open(file_.path.c_str(), O_RDONLY));
        ::fsync(fd.get());
        for (int i = 0; i < 5 && !residencyOf(file_, all_)->resident.isZero(); ++i) {
            ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
        }
        ::posix_fadvise(fd.get(), 0, 0, advice);
        std::string piece(1U << 20U, '\0');
        off_t at = 0;
        for (ssize_t got = 1; got > 0; at += got) {
            got = ::pread(fd.get(), piece.data(), piece.size(), at);
        }
    }

  private slots:
    void initTestCase() {
        tree_.file("file", std::string(16U << 20U, 'f'));
        file_ = *inspectFile(tree_.path("file"));
        all_ = {Bytes(0), file_.bytes};
        if (file_.storage == StorageClass::memory) {
            QSKIP("the temporary directory is in memory and can't be evicted; set TMPDIR to a disk");
        }
    }
    void smallFolios() {
        fill(POSIX_FADV_RANDOM);
        const auto look = lookAtFolios(file_, all_, 16);
        QVERIFY2(look.has_value(), look ? "" : look.error().message.c_str());
        QCOMPARE(look->places, 16U);
        QVERIFY(look->meanMapped >= pageSize());
        QVERIFY(look->meanMapped <= look->largestMapped);
        if (!look->largestFolio) {
            QSKIP("/proc/kpageflags is for root");
        }
        QCOMPARE(*look->largestFolio, pageSize());
        QCOMPARE(*look->meanFolio, pageSize());
    }
    void largeFoliosMapMoreAtOnce() {
        fill(POSIX_FADV_RANDOM);
        const auto small = lookAtFolios(file_, all_, 16);
        fill(POSIX_FADV_NORMAL);
        const auto large = lookAtFolios(file_, all_, 16);
        QVERIFY(small && large);
        if (!large->largestFolio) {
            QSKIP("/proc/kpageflags is for root");
        }
        if (*large->largestFolio == pageSize()) {
            QSKIP("this filesystem has no large folios");
        }
        QVERIFY(large->largestFolio > small->largestFolio);
        QVERIFY(large->meanMapped >= small->meanMapped);
    }
    void looksReadNothing() {
        const UniqueFd fd(::open(file_.path.c_str(), O_RDONLY));
        ::fsync(fd.get());
        for (int i = 0; i < 5 && !residencyOf(file_, all_)->resident.isZero(); ++i) {
            ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
        }
        const auto look = lookAtFolios(file_, all_);
        QVERIFY(!look.has_value());
        QCOMPARE(look.error().kind, ErrorKind::unavailable);
        QVERIFY(residencyOf(file_, all_)->resident.isZero());
    }
    void emptyAndShrunkFiles() {
        tree_.file("empty", "");
        const auto empty = *inspectFile(tree_.path("empty"));
        QVERIFY(!lookAtFolios(empty, {Bytes(0), Bytes(0)}).has_value());
        // Planned at 16 MiB, 5 bytes now: no signal, and what is there is looked at.
        FileFacts shrunk = file_;
        tree_.file("short", "12345");
        shrunk.path = tree_.path("short");
        const auto look = lookAtFolios(shrunk, all_, 4);
        QVERIFY2(look.has_value(), look ? "" : look.error().message.c_str());
        QCOMPARE(look->places, 1U);
        QCOMPARE(look->largestMapped, pageSize());
    }
};

QTEST_GUILESS_MAIN(TestFolios)
#include "tst_folios.moc"
