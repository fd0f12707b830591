#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "core/unique_fd.h"
#include "probe/file_facts.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

class TestFileFacts : public QObject {
    Q_OBJECT
  private slots:
    void looksAtARegularFile() {
        const Tree tree;
        tree.file("a file\nof two lines", std::string(5000, 'x'));
        const auto facts = inspectFile(tree.path("a file\nof two lines"));
        QVERIFY2(facts.has_value(), facts ? "" : facts.error().message.c_str());
        QCOMPARE(facts->bytes.count(), quint64{5000});
        QCOMPARE(facts->stamp.size.count(), quint64{5000});
        QVERIFY(facts->owned);
        QVERIFY(facts->writable);
        QVERIFY(facts->path.starts_with('/'));
        QVERIFY(!facts->filesystem.empty());
        QVERIFY(!facts->mountPoint.empty());
        QVERIFY(!facts->storageReason.empty());
    }
    void emptyAndSparseFilesAreFine() {
        const Tree tree;
        tree.file("empty", "");
        tree.file("sparse", "");
        QCOMPARE(::truncate(tree.path("sparse").c_str(), off_t{5} << 30), 0);
        QCOMPARE(inspectFile(tree.path("empty"))->bytes.count(), quint64{0});
        const auto sparse = inspectFile(tree.path("sparse"));
        QCOMPARE(sparse->bytes, gib(5));
        QVERIFY(sparse->allocated < mib(1));
    }
    void pathBecomesAbsolute() {
        const Tree tree;
        tree.file("x", "1");
        const auto before = std::filesystem::current_path();
        std::filesystem::current_path(tree.root());
        const auto facts = inspectFile("x");
        std::filesystem::current_path(before);
        QVERIFY(facts.has_value());
        QCOMPARE(facts->path, tree.path("x"));
    }
    void stampTellsAChange() {
        const Tree tree;
        tree.file("x", "1");
        const UniqueFd fd(::open(tree.path("x").c_str(), O_RDWR));
        const auto before = stampOf(fd.get());
        QVERIFY(before == stampOf(fd.get()));
        QCOMPARE(::ftruncate(fd.get(), 7), 0);
        QVERIFY(!(*before == *stampOf(fd.get())));
        QVERIFY(!stampOf(-1).has_value());
    }

    void refusesInWords_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty path") << ""
                                    << "no file was named";
        QTest::newRow("missing") << "nothing"
                                 << "no such file";
        QTest::newRow("directory") << "directory"
                                   << "a directory; choose a file";
        QTest::newRow("fifo") << "fifo"
                              << "a FIFO";
        QTest::newRow("socket") << "socket"
                                << "a socket";
        QTest::newRow("dangling link") << "dangling"
                                       << "a symbolic link to /nowhere/at all, which is not there";
        QTest::newRow("circle") << "circle"
                                << "in a circle";
        QTest::newRow("below a file") << "file/x"
                                      << "not a directory";
        QTest::newRow("device") << "/dev/null"
                                << "a device";
        QTest::newRow("proc") << "/proc/self/status"
                              << "made by the kernel as it is read (proc says it has 0 bytes)";
        QTest::newRow("sys") << "/sys/kernel/mm/transparent_hugepage/enabled"
                             << "made by the kernel";
        QTest::newRow("too long") << QString(5000, 'x') << "longer than Linux takes (4095 bytes a path";
    }
    void refusesInWords() {
        QFETCH(QString, what);
        QFETCH(QString, reason);
        const Tree tree;
        tree.file("file", "x");
        std::filesystem::create_directory(tree.path("directory"));
        QCOMPARE(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
        std::filesystem::create_symlink("/nowhere/at all", tree.path("dangling"));
        std::filesystem::create_symlink("circle", tree.path("circle"));
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, tree.path("socket").c_str(), sizeof address.sun_path);
        QCOMPARE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

        const bool asIs = what.isEmpty() || what.startsWith('/');
        const auto facts = inspectFile(asIs ? what.toStdString() : tree.path(what.toStdString()));
        QVERIFY(!facts.has_value());
        QCOMPARE(facts.error().kind, ErrorKind::input);
        QVERIFY2(QString::fromStdString(facts.error().message).contains(reason),
                 facts.error().message.c_str());
        QVERIFY(facts.error().message.find('\n') == std::string::npos);
    }
    void refusesANulByteAndKeepsOneLine() {
        const auto facts = inspectFile(std::string("/tmp/a\0b\nc", 10));
        QVERIFY(!facts.has_value());
        QVERIFY(facts.error().message.find('\n') == std::string::npos);
        QVERIFY(facts.error().message.find("NUL") != std::string::npos);
    }
    void refusesWithoutPermission() {
        const Tree tree;
        tree.file("secret", "x");
        tree.file("closed/x", "x");
        ::chmod(tree.root().c_str(), 0755);
        ::chmod(tree.path("secret").c_str(), 0600);
        ::chmod(tree.path("closed").c_str(), 0700);
        const int result = asNobody([&tree] {
            const auto secret = inspectFile(tree.path("secret"));
            const auto closed = inspectFile(tree.path("closed/x"));
            const bool first = !secret && secret.error().message.find("no permission to read it (owner") !=
                                              std::string::npos;
            const bool second =
                !closed && closed.error().message.find("search permission") != std::string::npos;
            return (first ? 0 : 1) + (second ? 0 : 2);
        });
        if (result == 100) {
            QSKIP("needs root, to drop its privileges");
        }
        QCOMPARE(result, 0);
    }
    void ownershipDecidesResidency() {
        const Tree tree;
        tree.file("readable", "x");
        tree.file("writable", "x");
        ::chmod(tree.root().c_str(), 0755);
        ::chmod(tree.path("readable").c_str(), 0644);
        ::chmod(tree.path("writable").c_str(), 0666);
        const int result = asNobody([&tree] {
            const auto readable = inspectFile(tree.path("readable"));
            const auto writable = inspectFile(tree.path("writable"));
            const bool good = readable && !readable->owned && !readable->writable && writable &&
                              !writable->owned && writable->writable;
            return good ? 0 : 1;
        });
        if (result == 100) {
            QSKIP("needs root, to drop its privileges");
        }
        QCOMPARE(result, 0);
    }
};

QTEST_GUILESS_MAIN(TestFileFacts)
#include "tst_file_facts.moc"
