// Storage as told of real mounts: a loop device, an overlay, a FUSE filesystem.
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <QProcess>
#include <QStandardPaths>

#include "core/unique_fd.h"
#include "probe/file_facts.h"
#include "probe_support.h"
#include "support/mounts.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

/// A loop device over `image` that detaches itself with its last user, whatever happens to this process.
/// Empty: `why`.
std::string attachLoop(const std::string& image, UniqueFd& device, std::string& why) {
    const UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    const UniqueFd file(::open(image.c_str(), O_RDWR | O_CLOEXEC));
    for (int attempt = 0; control && file && attempt < 8; ++attempt) {
        const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
        if (number < 0) {
            break;
        }
        const std::string path = "/dev/loop" + std::to_string(number);
        device.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        loop_config config{};
        config.fd = static_cast<std::uint32_t>(file.get());
        config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
        if (device && ::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) {
            return path;
        }
        if (errno != EBUSY) {  // another took it meanwhile
            break;
        }
    }
    why = std::string("no loop device: ") + std::strerror(errno);
    device.reset();
    return {};
}

}  // namespace

class TestStorageMounts : public QObject {
    Q_OBJECT

  private:
    Tree tree_;
    std::vector<StorageLayer> below_;  ///< of the directory all lies in

    [[nodiscard]] bool endsInBelow(const std::vector<StorageLayer>& layers) const {
        return layers.size() >= below_.size() &&
               std::equal(below_.rbegin(), below_.rend(), layers.rbegin(),
                          [](const StorageLayer& a, const StorageLayer& b) { return a.name == b.name; });
    }

  private slots:
    void initTestCase() {
        if (!leaveMountNamespace()) {
            QSKIP("mounting needs root");
        }
        tree_.file("plain", "bytes");
        const auto file = inspectFile(tree_.path("plain"));
        QVERIFY(file.has_value());
        below_ = file->layers;
    }
    void loopDeviceOverAFile() {
        const QString mkfs = QStandardPaths::findExecutable(
            QStringLiteral("mkfs.ext4"), {QStringLiteral("/usr/sbin"), QStringLiteral("/sbin")});
        if (mkfs.isEmpty()) {
            QSKIP("no mkfs.ext4");
        }
        const std::string image = tree_.path("image");
        tree_.file("image", "");
        QCOMPARE(::truncate(image.c_str(), 16 << 20), 0);
        QCOMPARE(QProcess::execute(
                     mkfs, {QStringLiteral("-q"), QStringLiteral("-F"), QString::fromStdString(image)}),
                 0);
        UniqueFd device;
        std::string why;
        const std::string path = attachLoop(image, device, why);
        if (path.empty()) {
            QSKIP(why.c_str());
        }
        const std::string name = path.substr(5);
        std::filesystem::create_directories(tree_.path("loop"));
        {
            if (::mount(path.c_str(), tree_.path("loop").c_str(), "ext4", 0, nullptr) != 0) {
                QSKIP("ext4 can't be mounted here");
            }
            const auto leave = qScopeGuard([&] { ::umount2(tree_.path("loop").c_str(), MNT_DETACH); });
            tree_.file("loop/file", "in the image");
            const auto file = inspectFile(tree_.path("loop/file"));
            QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
            QCOMPARE(file->filesystem, std::string("ext4"));
            QVERIFY(!file->layers.empty());
            QCOMPARE(file->layers[0].name, name);
            QCOMPARE(file->layers[0].kind, "loop over " + image);
            QVERIFY(file->layers[0].logicalBlock.has_value());
            QVERIFY2(endsInBelow(file->layers), layersText(file->layers).c_str());
            QCOMPARE(file->layers.size(), below_.size() + 1);
            QVERIFY(file->readAhead.has_value());
            QCOMPARE(file->storage, inspectFile(tree_.path("plain"))->storage);
        }
        device.reset();
        // Detached by its last user's going; the kernel may take a moment.
        const std::string backing = "/sys/block/" + name + "/loop/backing_file";
        QTRY_VERIFY(![&] {
            std::string now;
            std::getline(std::ifstream(backing), now);
            return now == image;
        }());
    }
    void overlayOverDirectories() {
        for (const char* name : {"lower", "upper", "work", "merged"}) {
            std::filesystem::create_directories(tree_.path(name));
        }
        tree_.file("lower/file", "of the lower one");
        const std::string options = "lowerdir=" + tree_.path("lower") + ",upperdir=" + tree_.path("upper") +
                                    ",workdir=" + tree_.path("work");
        if (::mount("overlay", tree_.path("merged").c_str(), "overlay", 0, options.c_str()) != 0) {
            QSKIP("overlayfs can't be mounted here");
        }
        const auto leave = qScopeGuard([&] { ::umount2(tree_.path("merged").c_str(), MNT_DETACH); });
        const auto file = inspectFile(tree_.path("merged/file"));
        QVERIFY(file.has_value());
        QCOMPARE(file->layers.front().name, std::string("overlay"));
        QCOMPARE(file->layers.front().kind,
                 "upper " + tree_.path("upper") + ", lower " + tree_.path("lower"));
        QVERIFY2(endsInBelow(file->layers), layersText(file->layers).c_str());
        QCOMPARE(file->storage, inspectFile(tree_.path("plain"))->storage);
    }
    void fuse() {
        tree_.file("branch/file", "behind a program");
        std::filesystem::create_directories(tree_.path("fuse"));
        Mount mount;
        const std::string why = mount.mergerfs(tree_.path("branch"), tree_.path("fuse"), "defaults");
        if (!why.empty()) {
            QSKIP(why.c_str());
        }
        const auto file = inspectFile(tree_.path("fuse/file"));
        QVERIFY(file.has_value());
        QCOMPARE(file->storage, StorageClass::fuse);
        QCOMPARE(file->layers.size(), std::size_t{1});
        QCOMPARE(file->layers.front().kind, std::string("FUSE mergerfs"));
    }
};

QTEST_GUILESS_MAIN(TestStorageMounts)
#include "tst_storage_mounts.moc"
