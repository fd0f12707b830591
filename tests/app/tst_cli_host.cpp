// A study on another machine: through a real sshd on the loopback, with keys and configuration of its own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

namespace {

struct Ended {
    int status = -1;
    QString out, err;
};

QString sshd() {
    return QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/usr/local/sbin", "/usr/bin"});
}

bool write(const QString& path, const QByteArray& text, bool secret = false) {
    QFile file(path);
    const bool done =
        file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(text) == text.size();
    file.setPermissions(secret ? QFile::ReadOwner | QFile::WriteOwner
                               : QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ReadOther |
                                     QFile::ExeOther | QFile::ReadGroup | QFile::ExeGroup);
    return done;
}

sockaddr_in loopback(quint16 port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// One that nothing listens on just now; 0: none.
quint16 freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    ::close(fd);
    return bound ? ntohs(address.sin_port) : quint16{0};
}

bool isOpen(quint16 port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(port);
    const bool open = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return open;
}

/// Command lines of processes that have these words.
QStringList running(const QString& words) {
    QStringList found;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile file("/proc/" + pid + "/cmdline");
        if (file.open(QIODevice::ReadOnly)) {
            const QString line = QString::fromUtf8(file.readAll().replace('\0', ' '));
            if (line.contains(words)) {
                found << line;
            }
        }
    }
    return found;
}

}  // namespace

class TestCliHost : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void cleanupTestCase();
    void thereAsHere();
    void whatIsWrittenIsWrittenHere();
    void oddPaths();
    void whatTheHostRefuses();
    void noisyShells();
    void notReached_data();
    void notReached();
    void anotherVersion();
    void lostInTheMiddle();
    void stopped();

  private:
    QProcess* start(const QStringList& arguments, const QString& ssh = {});
    Ended cli(const QStringList& arguments, const QString& ssh = {});
    [[nodiscard]] QString path(const char* name) const { return folder_.filePath(name); }
    [[nodiscard]] QStringList study(const QStringList& more) const {
        return QStringList{"run",
                           "--host",
                           "127.0.0.1",
                           path("file"),
                           "--source",
                           "read",
                           "--source",
                           "mmap",
                           "--rounds",
                           "5",
                           "--no-why",
                           "--quiet",
                           "--remote-worker",
                           MMAPSCOPE_WORKER} +
               more;
    }

    QTemporaryDir folder_;
    QProcess daemon_;
    quint16 port_ = 0;
};

void TestCliHost::initTestCase() {
    if (sshd().isEmpty() || QStandardPaths::findExecutable("ssh-keygen").isEmpty()) {
        QSKIP("there is no sshd here (openssh-server)");
    }
    QVERIFY(folder_.isValid());
    for (const char* key : {"host_key", "user_key"}) {
        QCOMPARE(QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", path(key)}), 0);
    }
    QVERIFY(QFile::copy(path("user_key.pub"), path("authorized_keys")));
    port_ = freePort();
    QVERIFY(port_ != 0);
    const QByteArray folder = folder_.path().toUtf8();
    QVERIFY(write(path("sshd_config"),
                  "ListenAddress 127.0.0.1\nPort " + QByteArray::number(port_) + "\nHostKey " + folder +
                      "/host_key\nAuthorizedKeysFile " + folder +
                      "/authorized_keys\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                      "StrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nPidFile none\n",
                  true));
    // Its privileges are separated in this folder, which packages make at boot.
    if (::geteuid() == 0) {
        QDir().mkpath("/run/sshd");
    }
    daemon_.setProcessChannelMode(QProcess::MergedChannels);
    daemon_.start(sshd(), {"-D", "-e", "-f", path("sshd_config")});
    QVERIFY(daemon_.waitForStarted());
    bool answers = false;
    for (int i = 0; i < 100 && !answers && daemon_.state() == QProcess::Running; ++i) {
        answers = isOpen(port_);
        QTest::qWait(answers ? 0 : 50);
    }
    QVERIFY2(answers, daemon_.readAll().constData());
    const QByteArray known = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n";
    QVERIFY(write(path("ssh_config"),
                  "Host *\n  IdentityFile " + folder + "/user_key\n  IdentitiesOnly yes\n" + known, true));
    QFile file(path("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(3 << 20, 'm'));
}

void TestCliHost::cleanupTestCase() {
    daemon_.terminate();
    daemon_.waitForFinished(3000);
}

QProcess* TestCliHost::start(const QStringList& arguments, const QString& ssh) {
    auto* process = new QProcess(this);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(
        "MMAPSCOPE_SSH",
        ssh.isEmpty() ? QStringLiteral("ssh -F %1 -p %2").arg(path("ssh_config")).arg(port_) : ssh);
    process->setProcessEnvironment(environment);
    process->start(QStringLiteral(MMAPSCOPE_CLI), arguments);
    return process;
}

Ended TestCliHost::cli(const QStringList& arguments, const QString& ssh) {
    const std::unique_ptr<QProcess> process(start(arguments, ssh));
    process->waitForFinished(60'000);
    return {process->exitCode(), QString::fromUtf8(process->readAllStandardOutput()),
            QString::fromUtf8(process->readAllStandardError())};
}

void TestCliHost::thereAsHere() {
    const Ended there = cli(study({"--json", "-"}));
    QVERIFY2(there.status == 0, qPrintable(there.err));
    const auto root = QJsonDocument::fromJson(there.out.toUtf8()).object();
    QVERIFY(root["complete"].toBool());
    QCOMPARE(root["plan"]["host"].toString(), QStringLiteral("127.0.0.1"));
    const Ended here = cli({"run", path("file"), "--source", "read", "--source", "mmap", "--rounds", "5",
                            "--no-why", "--quiet", "--json", "-"});
    const auto own = QJsonDocument::fromJson(here.out.toUtf8()).object();
    QCOMPARE(root["runs"].toArray().size(), own["runs"].toArray().size());
    QCOMPARE(root["runs"][0]["outcome"], own["runs"][0]["outcome"]);
    QCOMPARE(root["environment"]["kernel"], own["environment"]["kernel"]);
    QCOMPARE(root["summary"].toArray().size(), 2);
    QVERIFY(!root["runs"][0]["sampling"]["samples"]["t_ns"].toArray().isEmpty());
    const Ended table = cli(study({}));
    QVERIFY2(table.out.contains("127.0.0.1:" + path("file")), qPrintable(table.out));
}

void TestCliHost::whatIsWrittenIsWrittenHere() {
    const QString json = path("study.mmapscope"), csv = path("runs.csv");
    QCOMPARE(cli(study({"--json", json, "--csv", csv})).status, 0);
    QVERIFY(QFileInfo(json).size() > 0 && QFileInfo(csv).size() > 0);
    const Ended refused = cli(study({"--json", "/nowhere/x.json"}));
    QCOMPARE(refused.status, 2);
    QCOMPARE(refused.err.count('\n'), 1);
}

void TestCliHost::oddPaths() {
    for (const char* name :
         {"a b", "quo'te", "se;mi $(touch mmapscope-evil)", "new\nline", "-dash", "\xff\xfe"}) {
        const QByteArray file = folder_.path().toUtf8() + '/' + name;
        FILE* out = fopen(file.constData(), "w");
        QVERIFY(out != nullptr);
        fputs("content", out);
        fclose(out);
        // As bytes: a path need not be text.
        const int status = QProcess::execute(
            "/bin/sh",
            {"-c", QStringLiteral("MMAPSCOPE_SSH='ssh -F %1 -p %2' \"%3\" run --host 127.0.0.1 "
                                  "--remote-worker \"%5\" --source read --rounds 5 --quiet --no-why "
                                  "--json /dev/null \"$(printf '%4')\" > /dev/null")
                       .arg(path("ssh_config"))
                       .arg(port_)
                       .arg(
                           MMAPSCOPE_CLI,
                           [&] {
                               QString octal;
                               for (const char c : file) {
                                   octal += QStringLiteral("\\%1").arg(static_cast<unsigned char>(c), 3, 8,
                                                                       QLatin1Char('0'));
                               }
                               return octal;
                           }(),
                           MMAPSCOPE_WORKER)});
        QVERIFY2(status == 0, name);
    }
    QVERIFY(!QFileInfo::exists(QDir::homePath() + "/mmapscope-evil") && !QFileInfo::exists("mmapscope-evil"));
}

void TestCliHost::whatTheHostRefuses() {
    QStringList arguments = study({});
    arguments.replaceInStrings(path("file"), path("missing"));
    const Ended ended = cli(arguments);
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.contains("127.0.0.1: " + path("missing")), qPrintable(ended.err));
    QCOMPARE(ended.err.count('\n'), 1);
}

void TestCliHost::noisyShells() {
    // What an rc file prints comes before all else.
    QVERIFY(write(path("noisy"),
                  "#!/bin/sh\necho 'Welcome!'\nprintf 'no newline'\nexec " MMAPSCOPE_WORKER " \"$@\"\n"));
    QStringList arguments = study({"--json", "/dev/null"});
    arguments.replaceInStrings(MMAPSCOPE_WORKER, path("noisy"));
    const Ended ended = cli(arguments);
    QVERIFY2(ended.status == 0, qPrintable(ended.err));
}

void TestCliHost::notReached_data() {
    QTest::addColumn<QStringList>("instead");  // of what, by what
    QTest::addColumn<QString>("ssh");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("said");
    const QString config = QStringLiteral("ssh -F %1 ").arg(path("ssh_config"));
    QTest::newRow("refused") << QStringList() << config + "-p 1" << 3 << "is not reached over ssh: ";
    QTest::newRow("no key") << QStringList()
                            << QStringLiteral(
                                   "ssh -F /dev/null -o StrictHostKeyChecking=no -o "
                                   "UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o "
                                   "IdentitiesOnly=yes -o IdentityFile=/dev/null -p %1")
                                   .arg(port_)
                            << 3 << "Permission denied";
    QTest::newRow("no program") << QStringList{MMAPSCOPE_WORKER, "/nowhere/mmapscope-worker"} << QString()
                                << 3 << "has no /nowhere/mmapscope-worker that can be run";
    QTest::newRow("another program") << QStringList{MMAPSCOPE_WORKER, "/bin/echo"} << QString() << 3
                                     << "came \"--serve\"";
    QTest::newRow("no ssh") << QStringList() << "/nowhere/ssh" << 3 << "can't start ssh as /nowhere/ssh";
    QTest::newRow("option as host") << QStringList{"127.0.0.1", "-oProxyCommand=x"} << QString() << 2
                                    << "is no host";
    QTest::newRow("ends at once") << QStringList{MMAPSCOPE_WORKER, "/bin/true"} << QString() << 3
                                  << "didn't serve";
}

void TestCliHost::notReached() {
    QFETCH(QStringList, instead);
    QFETCH(QString, ssh);
    QFETCH(int, status);
    QFETCH(QString, said);
    QStringList arguments = study({});
    if (!instead.isEmpty()) {
        arguments[arguments.lastIndexOf(instead[0])] = instead[1];
        if (instead[0] == "127.0.0.1") {
            arguments[1] = "--host=" + instead[1];
            arguments.removeAt(2);
        }
    }
    const Ended ended = cli(arguments, ssh);
    QVERIFY2(ended.err.contains(said), qPrintable(ended.err));
    QCOMPARE(ended.status, status);
    QCOMPARE(ended.err.count('\n'), 1);
}

void TestCliHost::anotherVersion() {
    // A hello of another protocol, in a frame of its own: length, type 1, JSON.
    const QByteArray hello = R"({"protocol":99,"tool":"9.9","sample_bytes":8,"byte_order":"little","pid":1})";
    QByteArray frame;
    for (int i = 0; i < 4; ++i) {
        frame += static_cast<char>(hello.size() >> (8 * i));
    }
    frame += QByteArray("\x01\x00", 2) + hello;
    QVERIFY(write(path("frame"), frame));
    QVERIFY(write(path("later"), "#!/bin/sh\nprintf '\\nmmapscope serves frames\\n'\ncat " +
                                     path("frame").toUtf8() + "\ncat > /dev/null\n"));
    QStringList arguments = study({});
    arguments.replaceInStrings(MMAPSCOPE_WORKER, path("later"));
    const Ended ended = cli(arguments);
    QCOMPARE(ended.status, 3);
    QVERIFY2(ended.err.contains("9.9") && ended.err.contains("install both from the same version"),
             qPrintable(ended.err));
}

void TestCliHost::lostInTheMiddle() {
    const QString json = path("lost.json");
    QStringList arguments = study({"--json", json});
    arguments[arguments.indexOf("--rounds") + 1] = "3000";
    const std::unique_ptr<QProcess> process(start(arguments));
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(json).size() > 0, 30'000);
    QTest::qWait(500);
    // The connection's own process, as if the network were gone.
    for (const QString& line : running("ssh -F " + path("ssh_config"))) {
        QVERIFY(!line.isEmpty());
    }
    QProcess::execute("pkill", {"-KILL", "-f", "ssh -F " + path("ssh_config")});
    QVERIFY(process->waitForFinished(30'000));
    QCOMPARE(process->exitCode(), 1);
    const QString said = QString::fromUtf8(process->readAllStandardError());
    QVERIFY2(said.contains("was lost after") && said.contains("is kept"), qPrintable(said));
    QFile file(json);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto root = QJsonDocument::fromJson(file.readAll()).object();
    QVERIFY(!root["complete"].toBool());
    QVERIFY(root["runs"].toArray().size() > 2);
    // Nothing is left where it ran.
    QTRY_VERIFY_WITH_TIMEOUT(running(QStringLiteral(MMAPSCOPE_WORKER) + " --serve").isEmpty(), 10'000);
}

void TestCliHost::stopped() {
    QStringList arguments = study({"--json", path("stopped.json")});
    arguments[arguments.indexOf("--rounds") + 1] = "3000";
    const std::unique_ptr<QProcess> process(start(arguments));
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(path("stopped.json")).size() > 0, 30'000);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    QVERIFY(process->waitForFinished(20'000));
    QCOMPARE(process->exitCode(), 130);
    QTRY_VERIFY_WITH_TIMEOUT(running(QStringLiteral(MMAPSCOPE_WORKER) + " --serve").isEmpty(), 10'000);

    // Killed outright, it leaves nothing there either.
    const std::unique_ptr<QProcess> killed(start(arguments));
    QTRY_VERIFY_WITH_TIMEOUT(!running(QStringLiteral(MMAPSCOPE_WORKER) + " --serve").isEmpty(), 30'000);
    killed->kill();
    killed->waitForFinished();
    QTRY_VERIFY_WITH_TIMEOUT(running(QStringLiteral(MMAPSCOPE_WORKER) + " --serve").isEmpty(), 10'000);
}

QTEST_GUILESS_MAIN(TestCliHost)
#include "tst_cli_host.moc"
