#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QtTest>
#include <csignal>

#include "core/atomic_file.h"

using namespace mmapscope;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
}

QStringList entries(const QString& folder) {
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

Status write(const QString& path, const std::string& content) {
    return writeFileAtomically(path.toStdString(), content);
}

/// A filesystem of 64 KiB, gone again at the end.
class SmallTmpfs {
  public:
    explicit SmallTmpfs(const QString& path) : path_(path.toStdString()) {
        mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=64k") == 0;
    }
    ~SmallTmpfs() {
        if (mounted_) {
            ::umount2(path_.c_str(), MNT_DETACH);
        }
    }
    SmallTmpfs(const SmallTmpfs&) = delete;
    SmallTmpfs& operator=(const SmallTmpfs&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }

  private:
    std::string path_;
    bool mounted_ = false;
};

/// Writes beyond it fail with EFBIG; an unprivileged stand-in for a full disk.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t most) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{most, old_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, SIG_DFL);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit old_{};
};

}  // namespace

class TestAtomicFile : public QObject {
    Q_OBJECT

  private slots:
    void writesAndReplaces();
    void keepsModeAndLinks();
    void failedWriteLeavesTheOldFile();
    void fullFilesystemLeavesTheOldFile();
    void refusals_data();
    void refusals();
    void devicesAreWrittenTo();
    void aFifoNobodyReadsIsAnErrorAtOnce();
    void leftoversOfKilledWritersGo();
    void theMeasuredFileIsNeverOverwritten();
    void checkingChangesNothing();
};

void TestAtomicFile::writesAndReplaces() {
    QTemporaryDir folder;
    const QString path = folder.filePath("out.csv");
    QVERIFY(write(path, "one"));
    QCOMPARE(contentOf(path), QByteArray("one"));
    QVERIFY(write(path, std::string(300'000, 'z')));
    QCOMPARE(contentOf(path).size(), 300'000);
    QVERIFY(write(path, ""));
    QCOMPARE(contentOf(path), QByteArray());
    QCOMPARE(entries(folder.path()), QStringList{"out.csv"});
    // A bare name is in the current folder; the longest name there can be leaves no room for a suffix.
    const QString here = QDir::currentPath();
    QDir::setCurrent(folder.path());
    const QString longest(255, 'n');
    const bool bare = write("bare", "b").has_value() && write(longest, "l").has_value();
    QDir::setCurrent(here);
    QVERIFY(bare);
    QCOMPARE(contentOf(folder.filePath(longest)), QByteArray("l"));
}

void TestAtomicFile::keepsModeAndLinks() {
    QTemporaryDir folder;
    const QString path = folder.filePath("real");
    QVERIFY(write(path, "one"));
    QCOMPARE(::chmod(path.toUtf8(), 0640), 0);
    const QString link = folder.filePath("link");
    QVERIFY(QFile::link(path, link));
    QVERIFY(write(link, "two"));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(contentOf(path), QByteArray("two"));
    struct stat facts {};
    QCOMPARE(::stat(path.toUtf8(), &facts), 0);
    QCOMPARE(facts.st_mode & 0777U, 0640U);
}

void TestAtomicFile::failedWriteLeavesTheOldFile() {
    QTemporaryDir folder;
    const QString path = folder.filePath("s.json");
    QVERIFY(write(path, "the old study"));
    {
        const FileSizeLimit limit(10'000);
        const Status status = write(path, std::string(20'000, 'x'));
        QVERIFY(!status);
        QCOMPARE(status.error().kind, ErrorKind::failed);
        QVERIFY(QString::fromStdString(status.error().message).contains(path));
    }
    QCOMPARE(contentOf(path), QByteArray("the old study"));
    QCOMPARE(entries(folder.path()), QStringList{"s.json"});
}

void TestAtomicFile::fullFilesystemLeavesTheOldFile() {
    QTemporaryDir folder;
    const SmallTmpfs small(folder.path());
    if (!small.mounted()) {
        QSKIP("mounting a small tmpfs needs root");
    }
    const QString path = folder.filePath("s.json");
    QVERIFY(write(path, "the old study"));
    const Status status = write(path, std::string(200'000, 'x'));
    QVERIFY(!status);
    QVERIFY2(
        QString::fromStdString(status.error().message).contains("No space left on device; free some space"),
        status.error().message.c_str());
    QCOMPARE(contentOf(path), QByteArray("the old study"));
    QCOMPARE(entries(folder.path()), QStringList{"s.json"});
}

void TestAtomicFile::refusals_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("words");
    QTest::newRow("no folder") << "/nowhere/at/all"
                               << "No such file or directory; make the folder first";
    QTest::newRow("a folder") << "/tmp"
                              << "Is a directory";
    QTest::newRow("under a file") << "/etc/passwd/x"
                                  << "Not a directory";
    QTest::newRow("empty") << ""
                           << "file name is needed";
    QTest::newRow("kernel's own folder") << "/proc/s.json"
                                         << "/proc/s.json can't be written";
    QTest::newRow("name too long") << "/tmp/" + QString(300, 'n') << "File name too long";
}

void TestAtomicFile::refusals() {
    QFETCH(QString, path);
    QFETCH(QString, words);
    for (const Status& status : {write(path, "x"), checkWritable(path.toStdString())}) {
        QVERIFY(!status);
        QVERIFY2(QString::fromStdString(status.error().message).contains(words),
                 status.error().message.c_str());
    }
}

void TestAtomicFile::devicesAreWrittenTo() {
    struct stat before {};
    struct stat after {};
    QCOMPARE(::stat("/dev/null", &before), 0);
    QVERIFY(write("/dev/null", "nothing"));
    QVERIFY(checkWritable("/dev/null"));
    QCOMPARE(::stat("/dev/null", &after), 0);
    QVERIFY(S_ISCHR(after.st_mode) && after.st_ino == before.st_ino);
}

void TestAtomicFile::aFifoNobodyReadsIsAnErrorAtOnce() {
    QTemporaryDir folder;
    const QString path = folder.filePath("fifo");
    QCOMPARE(::mkfifo(path.toUtf8(), 0600), 0);
    QVERIFY(!isReplacedWhenWritten(path.toStdString()));
    const Status status = write(path, "x");
    QVERIFY(!status);
    QVERIFY2(QString::fromStdString(status.error().message).contains("nobody reads it"),
             status.error().message.c_str());
    const int reader = ::open(path.toUtf8(), O_RDONLY | O_NONBLOCK);
    QVERIFY(reader >= 0);
    QVERIFY(write(path, "read"));
    char bytes[8];
    QCOMPARE(::read(reader, bytes, sizeof bytes), 4);
    ::close(reader);
}

void TestAtomicFile::leftoversOfKilledWritersGo() {
    QTemporaryDir folder;
    const auto leave = [&](const char* name, time_t modified) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const timespec times[2] = {{modified, 0}, {modified, 0}};
        QCOMPARE(::futimens(file.handle(), times), 0);
    };
    leave(".mmapscope-123-4.tmp", 1'000'000);
    leave(".mmapscope-notes.tmp", 1'000'000);        // somebody's own
    leave(".mmapscope-123-5.tmp", ::time(nullptr));  // its writer may be about to lock it
    leave(".mmapscope-123-6.tmp", 1'000'000);
    const int held = ::open(folder.filePath(".mmapscope-123-6.tmp").toUtf8(), O_RDONLY);
    QCOMPARE(::flock(held, LOCK_EX), 0);
    QVERIFY(checkWritable(folder.filePath("s.json").toStdString()));
    ::close(held);
    QCOMPARE(entries(folder.path()),
             (QStringList{".mmapscope-123-5.tmp", ".mmapscope-123-6.tmp", ".mmapscope-notes.tmp"}));
}

void TestAtomicFile::theMeasuredFileIsNeverOverwritten() {
    QTemporaryDir folder;
    const QString measured = folder.filePath("data.bin");
    QVERIFY(write(measured, "data"));
    QVERIFY(QFile::link(measured, folder.filePath("soft")));
    QCOMPARE(::link(measured.toUtf8(), folder.filePath("hard").toUtf8()), 0);
    for (const QString& path :
         {measured, folder.filePath("soft"), folder.filePath("hard"),
          folder.filePath("./../") + QFileInfo(folder.path()).fileName() + "/data.bin"}) {
        const Status status = checkKeepsMeasured(path.toStdString(), measured.toStdString());
        QVERIFY2(!status, qPrintable(path));
        QCOMPARE(status.error().kind, ErrorKind::usage);
    }
    QVERIFY(checkKeepsMeasured(folder.filePath("s.json").toStdString(), measured.toStdString()));
    const auto inside =
        checkKeepsMeasured(folder.filePath("new/s.json").toStdString(), folder.path().toStdString());
    QVERIFY(!inside);
    QVERIFY(inside.error().message.find("would change it") != std::string::npos);
    QVERIFY(checkKeepsMeasured(folder.path().toStdString() + "-beside", folder.path().toStdString()));
    QVERIFY(isSameFile("not-there-yet", "./not-there-yet"));
    QVERIFY(!isSameFile("not-there-yet", "nor-this"));
    QVERIFY(isSameFile(folder.filePath("new").toStdString(), folder.filePath("./new").toStdString()));
}

void TestAtomicFile::checkingChangesNothing() {
    QTemporaryDir folder;
    const QString path = folder.filePath("s.json");
    QVERIFY(checkWritable(path.toStdString()));
    QVERIFY(entries(folder.path()).isEmpty());
    QVERIFY(write(path, "kept"));
    QVERIFY(checkWritable(path.toStdString()));
    QCOMPARE(contentOf(path), QByteArray("kept"));
    QCOMPARE(entries(folder.path()), QStringList{"s.json"});
    if (::geteuid() != 0) {
        QCOMPARE(::chmod(folder.path().toUtf8(), 0555), 0);
        QVERIFY(!checkWritable(folder.filePath("new").toStdString()));
        QCOMPARE(::chmod(folder.path().toUtf8(), 0755), 0);
    }
}

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "tst_atomic_file.moc"
