#include <sys/sysmacros.h>

#include "probe/mount_info.h"
#include "probe/mount_source.h"
#include "probe/storage.h"
#include "probe/storage_layers.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

/// A /sys with one of everything; device numbers as Linux gives them.
void makeSys(const Tree& sys) {
    const auto disk = [&sys](const std::string& directory, const std::string& number, const char* rotational,
                             const char* readAhead) {
        sys.file(directory + "/dev", number + "\n");
        sys.file(directory + "/queue/rotational", std::string(rotational) + "\n");
        sys.link("dev/block/" + number, directory);
        sys.file("class/bdi/" + number + "/read_ahead_kb", std::string(readAhead) + "\n");
    };
    const auto partition = [&sys](const std::string& directory, const std::string& number) {
        sys.file(directory + "/partition", "1\n");
        sys.file(directory + "/dev", number + "\n");
        sys.link("dev/block/" + number, directory);
    };
    disk("devices/pci/ata1/block/sda", "8:0", "1", "128");
    sys.file("devices/pci/ata1/block/sda/device/vendor", "ATA     \n");
    sys.file("devices/pci/ata1/block/sda/device/model", "Slow Disk\n");
    partition("devices/pci/ata1/block/sda/sda1", "8:1");
    disk("devices/pci/ata2/block/sdb", "8:16", "0", "256");
    disk("devices/pci/ata3/block/sdc", "8:32", "1", "128");
    sys.file("devices/pci/ata3/block/sdc/device/vendor", "QEMU\n");
    disk("devices/platform/host3/session1/block/sdd", "8:48", "0", "128");
    disk("devices/pci/nvme/nvme0/nvme0n1", "259:0", "0", "512");
    sys.file("devices/pci/nvme/nvme0/nvme0n1/device/model", "Fast Disk\n");
    sys.file("devices/pci/nvme/nvme0/nvme0n1/device/transport", "pcie\n");
    partition("devices/pci/nvme/nvme0/nvme0n1/nvme0n1p2", "259:2");
    disk("devices/fabric/nvme1/nvme1n1", "259:5", "0", "128");
    sys.file("devices/fabric/nvme1/nvme1n1/device/transport", "tcp\n");
    disk("devices/virtio1/block/vda", "254:0", "1", "8192");
    disk("devices/virtual/block/zram0", "253:9", "0", "128");
    // LVM on LUKS on a partition; a mirror of unlike disks; a stripe of like ones; a loop on the NVMe.
    disk("devices/virtual/block/dm-0", "252:0", "0", "128");
    sys.link("devices/virtual/block/dm-0/slaves/nvme0n1p2", "devices/pci/nvme/nvme0/nvme0n1/nvme0n1p2");
    disk("devices/virtual/block/dm-1", "252:1", "0", "4096");
    sys.link("devices/virtual/block/dm-1/slaves/dm-0", "devices/virtual/block/dm-0");
    disk("devices/virtual/block/md0", "9:0", "0", "1024");
    sys.link("devices/virtual/block/md0/slaves/sda", "devices/pci/ata1/block/sda");
    sys.link("devices/virtual/block/md0/slaves/sdb", "devices/pci/ata2/block/sdb");
    disk("devices/virtual/block/md1", "9:1", "0", "1024");
    sys.link("devices/virtual/block/md1/slaves/sda1", "devices/pci/ata1/block/sda/sda1");
    sys.link("devices/virtual/block/md1/slaves/sda", "devices/pci/ata1/block/sda");
    // A volume over a whole rotating disk's partition, which itself claims not to rotate.
    disk("devices/virtual/block/dm-2", "252:2", "0", "128");
    sys.link("devices/virtual/block/dm-2/slaves/sda1", "devices/pci/ata1/block/sda/sda1");
    // A volume on an emulated disk that claims to rotate.
    disk("devices/virtual/block/dm-3", "252:3", "1", "128");
    sys.link("devices/virtual/block/dm-3/slaves/sdc", "devices/pci/ata3/block/sdc");
    disk("devices/virtual/block/loop0", "7:0", "0", "128");
    sys.file("devices/virtual/block/loop0/loop/backing_file", "/fast/image.ext4\n");
    // A device that holds itself: damaged or hostile, but never endless.
    disk("devices/virtual/block/dm-9", "252:9", "0", "128");
    sys.link("devices/virtual/block/dm-9/slaves/dm-9", "devices/virtual/block/dm-9");
    // Two paths to one disk; a disk with an NVMe in front as its cache; several controllers' namespace.
    disk("devices/virtual/block/dm-4", "252:4", "1", "128");
    sys.file("devices/virtual/block/dm-4/dm/name", "mpatha\n");
    sys.file("devices/virtual/block/dm-4/dm/uuid", "mpath-3600508b4\n");
    sys.link("devices/virtual/block/dm-4/slaves/sda", "devices/pci/ata1/block/sda");
    sys.link("devices/virtual/block/dm-4/slaves/sde", "devices/pci/ata4/block/sde");
    disk("devices/pci/ata4/block/sde", "8:64", "1", "128");
    disk("devices/virtual/block/bcache0", "251:0", "0", "128");
    sys.link("devices/virtual/block/bcache0/slaves/sda", "devices/pci/ata1/block/sda");
    sys.link("devices/virtual/block/bcache0/bcache/cache/cache0", "devices/pci/nvme/nvme0/nvme0n1/bcache");
    disk("devices/virtual/nvme-subsystem/nvme-subsys3/nvme3n1", "259:7", "0", "128");
    sys.link("devices/virtual/nvme-subsystem/nvme-subsys3/nvme3n1/device",
             "devices/virtual/nvme-subsystem/nvme-subsys3");
    sys.file("devices/fabric/nvme3/transport", "rdma\n");
    sys.link("devices/virtual/nvme-subsystem/nvme-subsys3/nvme3", "devices/fabric/nvme3");
    // LVM on a mirror.
    disk("devices/virtual/block/dm-5", "252:5", "0", "128");
    sys.file("devices/virtual/block/dm-5/dm/name", "vg-data\n");
    sys.file("devices/virtual/block/dm-5/dm/uuid", "LVM-xyz\n");
    sys.link("devices/virtual/block/dm-5/slaves/md2", "devices/virtual/block/md2");
    disk("devices/virtual/block/md2", "9:2", "0", "128");
    sys.file("devices/virtual/block/md2/md/level", "raid1\n");
    sys.link("devices/virtual/block/md2/slaves/sda1", "devices/pci/ata1/block/sda/sda1");
    sys.link("devices/virtual/block/md2/slaves/sde", "devices/pci/ata4/block/sde");
    sys.file("class/bdi/0:45-fuseblk/read_ahead_kb", "64\n");
    sys.file("class/bdi/0:46/read_ahead_kb", "2048\n");
}

const char* const kMounts =
    "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "2 1 259:2 / /fast rw - xfs /dev/nvme0n1p2 rw\n";

}  // namespace

class TestStorage : public QObject {
    Q_OBJECT

  private:
    Tree sys_;  ///< made once: hundreds of files

  private slots:
    void initTestCase() { makeSys(sys_); }
    void readsACapturedMountinfo() {
        const auto mounts = parseMountInfo(captured("mountinfo.txt"));
        QCOMPARE(mounts.size(), std::size_t{19});
        const MountEntry* root = findMount(mounts, std::nullopt, makedev(254, 0), "/home/file");
        QVERIFY(root != nullptr);
        QCOMPARE(root->filesystem, std::string("ext4"));
        QCOMPARE(root->source, std::string("/dev/vda"));
        QCOMPARE(allOptions(*root), std::string("rw,relatime,discard"));
        // Two lie on /dev/shm: the later one is on top.
        QCOMPARE(findMount(mounts, std::nullopt, std::nullopt, "/dev/shm/x")->id, quint64{30});
        QCOMPARE(findMount(mounts, quint64{25}, std::nullopt, "/dev/shm/x")->id, quint64{25});
        QCOMPARE(findMount(mounts, std::nullopt, std::nullopt, "/dev/shmother")->mountPoint,
                 std::string("/dev"));
        QVERIFY(findMount(mounts, std::nullopt, std::nullopt, "relative") == nullptr);
    }
    void readsHardMountinfo() {
        const auto mounts = parseMountInfo(
            "36 35 98:0 /mnt1 /mnt\\0402/a\\134b\\012c rw,noatime master:1 shared:2 - ext3 /dev/my\\040root "
            "rw,errors=continue\n"
            "37 35 0:50 / /plain rw - tmpfs  rw,size=1k\n"
            "garbage\n"
            "38 35 0:51 / /nodash rw shared:1\n"
            "39 35 x:1 / /bad rw - ext4 /dev/a rw\n"
            "40 35 0:52 / /last ro - fuse.mergerfs a:b ro,user_id=0");
        QCOMPARE(mounts.size(), std::size_t{3});
        QCOMPARE(mounts[0].mountPoint, std::string("/mnt 2/a\\b\nc"));
        QCOMPARE(mounts[0].source, std::string("/dev/my root"));
        QCOMPARE(mounts[1].source, std::string());
        QCOMPARE(mounts[1].superOptions, std::string("rw,size=1k"));
        QCOMPARE(mounts[2].filesystem, std::string("fuse.mergerfs"));
    }

    void layersDownToTheMembers() {
        const Tree sys;
        makeSys(sys);
        sys.file("devices/virtual/block/dm-1/dm/name", "vg-root\n");
        sys.file("devices/virtual/block/dm-1/dm/uuid", "LVM-abc\n");
        sys.file("devices/virtual/block/dm-0/dm/name", "crypt\n");
        sys.file("devices/virtual/block/dm-0/dm/uuid", "CRYPT-LUKS2-x\n");
        sys.file("devices/pci/nvme/nvme0/nvme0n1/queue/scheduler", "[none] mq-deadline kyber\n");
        sys.file("devices/pci/nvme/nvme0/nvme0n1/queue/logical_block_size", "512\n");
        sys.file("devices/pci/nvme/nvme0/nvme0n1/queue/physical_block_size", "4096\n");
        sys.file("devices/pci/nvme/nvme0/nvme0n1/queue/write_cache", "write back\n");
        sys.file("devices/virtual/block/md0/md/level", "raid1\n");
        const auto at = [&](const char* device) {
            return storageLayers(sys.path(std::string("devices/virtual/block/") + device));
        };
        const auto lvm = at("dm-1");
        QCOMPARE(layersText(lvm), std::string("dm-1 (LVM vg-root) → dm-0 (LUKS crypt) → nvme0n1"));
        QCOMPARE(lvm[2].kind, std::string("disk Fast Disk"));
        QCOMPARE(lvm[2].scheduler, std::string("none"));
        QCOMPARE(lvm[2].rotational, std::optional(false));
        QCOMPARE(lvm[2].physicalBlock, std::optional(kib(4)));
        QCOMPARE(lvm[2].depth, 2U);
        QVERIFY2(
            describe(lvm[2]).find("blocks of 512 B (4 KiB physical), cache write back") != std::string::npos,
            describe(lvm[2]).c_str());
        QCOMPARE(layersText(at("md0")), std::string("md0 (RAID raid1) → sda, sdb"));
        QCOMPARE(at("md0")[1].rotational, std::optional(true));
        QCOMPARE(layersText(at("loop0")), std::string("loop0 (loop over /fast/image.ext4)"));
        QVERIFY(at("dm-9").size() <= 8);  // holds itself
        QVERIFY(at("none").front().kind == "disk" && !at("none").front().rotational);
        QVERIFY(storageLayers("").empty());
        QCOMPARE(layersText({}), std::string());
    }
    void tellsStorage_data() {
        QTest::addColumn<QString>("mount");
        QTest::addColumn<QString>("storage");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<qlonglong>("readAheadKib");
        const auto row = [](const char* title, const char* mount, const char* storage, const char* reason,
                            long kib) {
            QTest::newRow(title) << mount << storage << reason << qlonglong{kib};
        };
        row("rotational partition", "8:1 / /d rw - ext4 /dev/sda1 rw", "rotational",
            "sda (ATA Slow Disk): queue/rotational is 1", 128);
        row("ssd", "8:16 / /d rw - ext4 /dev/sdb rw", "ssd", "sdb: queue/rotational is 0", 256);
        row("emulated disk", "8:32 / /d rw - ext4 /dev/sdc rw", "virtual", "sdc (QEMU) is a virtual", 128);
        row("iSCSI", "8:48 / /d rw - ext4 /dev/sdd rw", "network", "over the network", 128);
        row("nvme partition", "259:2 / /d rw - xfs /dev/nvme0n1p2 rw", "nvme",
            "nvme0n1 (Fast Disk) is an NVMe", 512);
        row("nvme over tcp", "259:5 / /d rw - xfs /dev/nvme1n1 rw", "network", "NVMe over tcp", 128);
        row("several NVMe controllers over rdma", "259:7 / /d rw - xfs /dev/nvme3n1 rw", "network",
            "NVMe over rdma", 128);
        row("two paths", "252:4 / /d rw - xfs /dev/mapper/mpatha rw", "rotational", "dm-4 lies on 2 devices",
            128);
        row("virtio that claims to rotate", "254:0 / /d rw - ext4 /dev/vda rw", "virtual", "vda is a virtual",
            8192);
        row("zram", "253:9 / /d rw - ext4 /dev/zram0 rw", "memory", "disk in memory", 128);
        row("mapper on mapper", "252:1 / /d rw - ext4 /dev/mapper/a rw", "nvme",
            "dm-1 lies on dm-0 lies on nvme0n1", 4096);
        row("volume on a rotating disk", "252:2 / /d rw - ext4 /dev/mapper/v rw", "rotational",
            "dm-2 lies on sda (ATA Slow Disk): queue/rotational is 1", 128);
        row("volume on a virtual disk that claims to rotate", "252:3 / /d rw - ext4 /dev/mapper/w rw",
            "virtual", "dm-3 lies on sdc (QEMU) is a virtual", 128);
        row("unlike mirror", "9:0 / /d rw - ext4 /dev/md0 rw", "unknown", "sda rotational, sdb ssd", 1024);
        row("like stripe", "9:1 / /d rw - ext4 /dev/md1 rw", "rotational", "md1 lies on 2 devices", 1024);
        row("loop", "7:0 / /d rw - ext4 /dev/loop0 rw", "nvme",
            "loop0 is a loop device over /fast/image.ext4", 128);
        row("holds itself", "252:9 / /d rw - ext4 /dev/dm-9 rw", "unknown", "devices deep", 128);
        row("fuse", "0:44 / /d rw - fuse.mergerfs a:b rw", "fuse", "filesystem type fuse.mergerfs", -1);
        row("fuseblk", "0:45 / /d rw - fuseblk /dev/nothere rw", "fuse", "filesystem type fuseblk", 64);
        row("nfs", "0:46 / /d rw - nfs4 host:/x rw", "network", "filesystem type nfs4", 2048);
        row("virtiofs", "0:47 / /d rw - virtiofs tag rw", "network", "filesystem type virtiofs", -1);
        row("tmpfs", "0:48 / /d rw - tmpfs tmpfs rw", "memory", "filesystem type tmpfs", -1);
        row("btrfs without a device", "0:49 / /d rw - btrfs /dev/nothere rw", "unknown",
            "names no block device", -1);
        row("zfs", "0:50 / /d rw - zfs pool/set rw", "unknown", "names no block device", -1);
        row("overlay", "0:51 / /d rw - overlay overlay rw,lowerdir=/nothere,upperdir=/nothere/u", "unknown",
            "layers can't be told", -1);
        row("missing in sys", "66:6 / /d rw - ext4 /dev/x rw", "unknown", "66:6 is not under", -1);
    }
    void tellsStorage() {
        QFETCH(QString, mount);
        QFETCH(QString, storage);
        QFETCH(QString, reason);
        QFETCH(qlonglong, readAheadKib);
        const auto mounts = parseMountInfo(kMounts + std::string("9 1 ") + mount.toStdString() + "\n");
        QCOMPARE(mounts.size(), std::size_t{3});
        const StorageFacts facts = storageOf(mounts.back(), mounts, sys_.root());
        QCOMPARE(QString::fromUtf8(name(facts.storage).data()), storage);
        QVERIFY2(QString::fromStdString(facts.reason).contains(reason), facts.reason.c_str());
        QCOMPARE(facts.readAhead ? static_cast<qlonglong>(facts.readAhead->count() >> 10U) : -1,
                 readAheadKib);
    }
    void chainsInWords_data() {
        QTest::addColumn<QString>("mount");
        QTest::addColumn<QString>("chain");
        const auto row = [](const char* title, const char* mount, const char* chain) {
            QTest::newRow(title) << mount << chain;
        };
        row("nvme partition", "259:2 / /d rw - xfs /dev/nvme0n1p2 rw", "nvme0n1");
        row("LVM on a mirror", "252:5 / /d rw - ext4 /dev/mapper/vg-data rw",
            "dm-5 (LVM vg-data) → md2 (RAID raid1) → sda, sde");
        row("multipath", "252:4 / /d rw - xfs /dev/mapper/mpatha rw", "dm-4 (multipath mpatha) → sda, sde");
        row("bcache", "251:0 / /d rw - ext4 /dev/bcache0 rw", "bcache0 (bcache) → sda, nvme0n1");
        row("two partitions of one disk", "9:1 / /d rw - ext4 /dev/md1 rw", "md1 → sda");
        row("loop on xfs on nvme", "7:0 / /d rw - ext4 /dev/loop0 rw",
            "loop0 (loop over /fast/image.ext4) → nvme0n1");
        row("mergerfs", "0:44 / /d rw - fuse.mergerfs a:b rw", "a:b (FUSE mergerfs)");
        row("nfs", "0:46 / /d rw - nfs4 host:/x rw", "host:/x (network filesystem nfs4)");
        row("tmpfs", "0:48 / /d rw - tmpfs tmpfs rw", "");
        row("missing in sys", "66:6 / /d rw - ext4 /dev/x rw", "");
        row("overlay of a container",
            "0:51 / /d rw - overlay overlay rw,lowerdir=/none/a:/none/b,upperdir=/none/u",
            "overlay (upper /none/u, lower /none/a and 1 more, not seen from here)");
        row("overlay that says nothing", "0:51 / /d rw - overlay overlay rw",
            "overlay (branches, not seen from here)");
    }
    void chainsInWords() {
        QFETCH(QString, mount);
        QFETCH(QString, chain);
        const auto mounts = parseMountInfo(kMounts + std::string("9 1 ") + mount.toStdString() + "\n");
        QCOMPARE(QString::fromStdString(layersText(storageOf(mounts.back(), mounts, sys_.root()).layers)),
                 chain);
    }
    void overlaysOverTheirBranches() {
        const Tree sys;
        makeSys(sys);
        for (const char* name : {"up", "a:b", "c,d", "plain"}) {
            std::filesystem::create_directories(sys.path(name));
        }
        const std::string root = sys.root();
        // Branches on the root and on another filesystem, ':' and ',' escaped; the newer way of listing too.
        const auto mounts =
            parseMountInfo("1 0 8:16 / / rw - ext4 /dev/sdb rw\n2 1 259:2 / " + root +
                           "/up rw - xfs /dev/nvme0n1p2 rw\n9 1 0:51 / /d rw - overlay overlay rw,"
                           "lowerdir=" +
                           root + "/a\\134:b,lowerdir+=" + root + "/c\\134,d,upperdir=" + root + "/up\n");
        QCOMPARE(mounts.size(), std::size_t{3});
        const auto branches = overlayBranches(mounts.back(), mounts);
        QCOMPARE(branches.size(), std::size_t{3});
        QVERIFY(branches[0].upper && branches[0].mount == &mounts[1]);
        QCOMPARE(branches[1].path, root + "/a:b");
        QCOMPARE(branches[2].path, root + "/c,d");
        QVERIFY(branches[2].mount == &mounts[0]);
        const StorageFacts facts = storageOf(mounts.back(), mounts, root);
        QCOMPARE(facts.storage, StorageClass::unknown);  // two kinds
        QCOMPARE(QString::fromStdString(layersText(facts.layers)),
                 QString::fromStdString("overlay (upper " + root + "/up, lower " + root +
                                        "/a:b and 1 more) → nvme0n1, sdb"));
    }
    void tellsOverlayWithVisibleLayers() {
        const Tree sys;
        makeSys(sys);
        const std::string layer = sys.path("lower");
        std::filesystem::create_directories(layer);
        const auto mounts = parseMountInfo(
            "1 0 254:0 / / rw - ext4 /dev/vda rw\n9 1 0:51 / /d rw - overlay overlay rw,lowerdir=" + layer +
            ",upperdir=" + layer + "\n");
        const StorageFacts facts = storageOf(mounts.back(), mounts, sys.root());
        QCOMPARE(facts.storage, StorageClass::virtualDisk);
        QVERIFY(facts.reason.starts_with("overlay over ext4: vda"));
    }
};

QTEST_GUILESS_MAIN(TestStorage)
#include "tst_storage.moc"
