// THP settings from trees as kernels of different ages have them.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "probe/thp.h"

using namespace mmapscope;

class TestThp : public QObject {
    Q_OBJECT

  private slots:
    void init() { QVERIFY(root_.emplace().isValid()); }
    void multiSize();
    void oldKernel();
    void none();

  private:
    void write(const QString& name, const QByteArray& text) {
        const QString path = root_->filePath("kernel/mm/transparent_hugepage/" + name);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    [[nodiscard]] ThpSettings read() const { return readThpSettings(root_->path().toStdString()); }
    std::optional<QTemporaryDir> root_;
};

void TestThp::multiSize() {
    write("enabled", "always [madvise] never\n");
    write("defrag", "always defer defer+madvise [madvise] never\n");
    write("shmem_enabled", "always within_size advise [never] deny force\n");
    write("hugepages-2048kB/enabled", "always [inherit] madvise never\n");
    write("hugepages-2048kB/shmem_enabled", "always [inherit] within_size advise never\n");
    write("hugepages-16kB/enabled", "always inherit madvise [never]\n");
    write("hugepages-xkB/enabled", "[always]\n");
    const ThpSettings thp = read();
    QCOMPARE(thp.enabled, std::optional<std::string>("madvise"));
    QCOMPARE(thp.defrag, std::optional<std::string>("madvise"));
    QCOMPARE(thp.shmemEnabled, std::optional<std::string>("never"));
    QCOMPARE(thp.sizes.size(), std::size_t(2));
    QCOMPARE(thp.sizes[0], (ThpSize{kib(16), "never", std::nullopt}));
    QCOMPARE(thp.sizes[1], (ThpSize{mib(2), "inherit", "inherit"}));
}

void TestThp::oldKernel() {
    write("enabled", "[always] madvise never\n");
    const ThpSettings thp = read();
    QCOMPARE(thp.enabled, std::optional<std::string>("always"));
    QVERIFY(!thp.defrag && !thp.shmemEnabled && thp.sizes.empty());
}

void TestThp::none() {
    const ThpSettings thp = read();
    QVERIFY(!thp.enabled && thp.sizes.empty());
}

QTEST_GUILESS_MAIN(TestThp)
#include "tst_thp.moc"
