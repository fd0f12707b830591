#include <fcntl.h>
#include <sys/prctl.h>
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
    void looksIntoAFoldersFiles() {
        tree_.file("folder/a", std::string(5U << 20U, 'a'));
        tree_.file("folder/b", "short");
        tree_.file("folder/c", std::string(3U << 20U, 'c'));
        tree_.file("folder/none", "");
        auto folder = *inspectInput(tree_.path("folder"));
        QVERIFY(folder.isFolder());
        const auto look = lookAtFolios(folder, {Bytes(0), folder.bytes}, 8);
        QVERIFY2(look.has_value(), look ? "" : look.error().message.c_str());
        QVERIFY2(look->places >= 7 && look->places <= 9, std::to_string(look->places).c_str());
        // Only what the range touches: the last file alone.
        const auto last = lookAtFolios(folder, {mib(6), folder.bytes}, 2);
        QVERIFY(last.has_value());
        QVERIFY(last->places >= 1 && last->places <= 3);
        std::filesystem::remove(tree_.path("folder/c"));
        QVERIFY(!lookAtFolios(folder, {Bytes(0), folder.bytes}, 8).has_value());
    }
    void withoutPrivilegesByWhatAFaultMaps() {
        ::chmod(tree_.root().c_str(), 0755);
        tree_.file("theirs", std::string(4U << 20U, 't'));
        if (::chown(tree_.path("theirs").c_str(), 65534, 65534) != 0) {
            QSKIP("needs root, to give a file away");
        }
        const int result = asNobody([this] {
            ::prctl(PR_SET_DUMPABLE, 1);  // else its own /proc/self is root's after setresuid(2)
            const auto file = inspectFile(tree_.path("theirs"));
            const auto look = file ? lookAtFolios(*file, {Bytes(0), file->bytes}, 8)
                                   : Result<FolioLook>(fail(ErrorKind::input, ""));
            if (!look) {
                return 1;
            }
            if (look->largestFolio || look->meanFolio) {
                return 2;  // kpageflags is for root
            }
            return look->places == 8 && look->placesTold() == 8 &&
                           look->sizes.back().size == look->largestMapped
                       ? 0
                       : 3;
        });
        QCOMPARE(result, 0);
        const int ours = asNobody([this] {
            const auto file = inspectFile(file_.path);
            const auto look =
                file ? lookAtFolios(*file, all_, 8) : Result<FolioLook>(fail(ErrorKind::input, ""));
            return !look && look.error().message.find("not your file") != std::string::npos ? 0 : 1;
        });
        QCOMPARE(ours, 0);
    }
    void wordsForManySizes() {
        FolioLook look;
        look.sizes = {{kib(4), 10}, {kib(16), 5}, {kib(64), 25}, {mib(2), 60}};
        QCOMPARE(folioText(look), std::string("2 MiB 60 %, 64 KiB 25 %, 4 KiB 10 %, 16 KiB 5 %"));
        QCOMPARE(folioText(look, 3), folioText(look));  // one more is as short as saying so
        QCOMPARE(folioText(look, 2), std::string("2 MiB 60 %, 64 KiB 25 %, other sizes 15 %"));
        QCOMPARE(folioText(look, 0), std::string("other sizes 100 %"));
        QCOMPARE(folioText(FolioLook{}), std::string());
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
