#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/mount.h>
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

/// An overlay of the tree's folders lower and upper at its folder merged, gone again at the end.
class OverlayMount {
  public:
    explicit OverlayMount(const Tree& tree) : at_(tree.path("merged")) {
        const std::string options = fmt::format("lowerdir={},upperdir={},workdir={}", tree.path("lower"),
                                                tree.path("upper"), tree.path("work"));
        mounted_ = ::mount("overlay", at_.c_str(), "overlay", 0, options.c_str()) == 0;
    }
    ~OverlayMount() {
        if (mounted_) {
            ::umount2(at_.c_str(), MNT_DETACH);
        }
    }
    OverlayMount(const OverlayMount&) = delete;
    OverlayMount& operator=(const OverlayMount&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }

  private:
    std::string at_;
    bool mounted_ = false;
};

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
    void picturesOfLargeFilesAreSampled() {
        evictWhole(fd_.get());
        // The first half resident: 1024 pages of 2049, in 8 steps of 256.
        readPages(0, mib(4) / pageSize());
        const auto whole = residencyPicture(file_, 8, 1U << 20U);
        QVERIFY(whole && !whole->sampled);
        QCOMPARE(whole->shares, *residencyMap(file_, 8));
        const auto sampled = residencyPicture(file_, 8, 8 * 32);
        QVERIFY(sampled.has_value());
        if (mib(8) / pageSize() <= 8 * 16) {
            QSKIP("with pages this large a step is smaller than a stretch");
        }
        QVERIFY(sampled->sampled);
        QCOMPARE(sampled->shares.size(), std::size_t{8});
        for (std::size_t step = 0; step < 8; ++step) {
            QVERIFY(std::abs(sampled->shares[step] - whole->shares[step]) < 0.05F);
        }
        QVERIFY(residencyPicture(file_, 0, 1)->shares.empty());
    }
    void sampledSharesAreThoseOfThePattern() {
        // Every fourth run of 64 pages resident, in one step: 0.25, whatever the pattern's period is.
        evictWhole(fd_.get());
        const std::uint64_t pages = mib(8) / pageSize();
        for (std::uint64_t at = 0; at + 64 <= pages; at += 256) {
            readPages(at, 64);
        }
        const auto sampled = residencyPicture(file_, 1, pages / 4);
        QVERIFY(sampled.has_value() && sampled->sampled);
        QVERIFY2(std::abs(sampled->shares[0] - 0.25F) < 0.08F, std::to_string(sampled->shares[0]).c_str());
    }
    void sampledPicturesOfTerabytesHaveABound() {
        tree_.file("vast", "");
        const UniqueFd fd(::open(tree_.path("vast").c_str(), O_RDWR));
        if (::ftruncate(fd.get(), off_t{1} << 40U) != 0) {
            QSKIP("no sparse file of 1 TiB on this filesystem");
        }
        QCOMPARE(::pwrite(fd.get(), "x", 1, (off_t{1} << 40U) - 1), ssize_t{1});
        const auto vast = *inspectFile(tree_.path("vast"));
        const auto picture = residencyPicture(vast, 256, 4096);
        QVERIFY2(picture.has_value(), picture ? "" : picture.error().message.c_str());
        QVERIFY(picture->sampled);
        QCOMPARE(picture->shares.size(), std::size_t{256});
        QCOMPARE(picture->shares.front(), 0.0F);
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
    void overlaysKeepTheirPagesBelow() {
        // As in every container: the pages belong to the file of the layer below.
        for (const char* folder : {"lower", "upper", "work", "merged"}) {
            QVERIFY(QDir().mkpath(QString::fromStdString(tree_.path(folder))));
        }
        tree_.file("lower/file", std::string(length_.size(), 'r'));
        // The overlay doesn't sync what lies in the lower layer, and dirty pages can't be evicted.
        ::fsync(UniqueFd(::open(tree_.path("lower/file").c_str(), O_RDONLY)).get());
        const OverlayMount mount(tree_);
        if (!mount.mounted()) {
            QSKIP("mounting an overlay needs root and a filesystem it takes");
        }
        tree_.file("merged/own", std::string(length_.size(), 'o'));
        for (const char* name : {"merged/file", "merged/own"}) {
            const auto file = inspectFile(tree_.path(name));
            QVERIFY(file.has_value());
            const Range all{Bytes(0), length_};
            const UniqueFd fd(::open(file->path.c_str(), O_RDONLY));
            std::string bytes(length_.size(), '\0');
            QCOMPARE(::pread(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
            QCOMPARE(residencyOf(*file, all)->resident, length_);
            for (int i = 0; i < 5 && !residencyOf(*file, all)->resident.isZero(); ++i) {
                evictWhole(fd.get());
            }
            QVERIFY(residencyOf(*file, all)->resident.isZero());
        }
    }
    void goneFileIsAnError() {
        FileFacts gone = file_;
        gone.path = tree_.path("gone");
        QVERIFY(!residencyOf(gone, {Bytes(0), length_}).has_value());
    }
};

QTEST_GUILESS_MAIN(TestResidency)
#include "tst_residency.moc"
