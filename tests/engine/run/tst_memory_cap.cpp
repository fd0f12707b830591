// Memory caps: where a group can be made, on made-up trees of both versions, and real groups where there are.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "group_tree.h"
#include "run/memory_cap.h"

using namespace mmapscope;

namespace {

std::vector<MountEntry> mounts(int version) {
    return parseMountInfo(version == 2 ? "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n"
                                       : "31 1 0:27 / /cg rw - cgroup cgroup rw,memory\n");
}

CapPlace placeOf(int version) {
    CapPlace place;
    place.version = version;
    place.directory = "/cg";
    return place;
}

}  // namespace

class TestMemoryCap : public QObject {
    Q_OBJECT

  private slots:
    void version2TakesTheNearestAncestorThatGives();
    void version2WithoutAWay_data();
    void version2WithoutAWay();
    void version1TakesItsOwn();
    void noController();
    void ancestorsLimitIsTheEffectiveOne();
    void aGroupHasItsLimitAndGoes();
    void busyGroupsAreTriedAgain();
    void orphansAreCleanedUp();
    void reports();
    void realGroupCapsAndKills();
    void realHomeIsReaped();
};

void TestMemoryCap::version2TakesTheNearestAncestorThatGives() {
    // A desktop: the terminal's scope holds processes; app.slice gives its children memory, and is ours.
    GroupTree tree(2);
    tree.directory("/cg", "cpu memory", false);
    tree.directory("/cg/user.slice", "memory", false);
    tree.directory("/cg/user.slice/app.slice", "memory pids");
    tree.directory("/cg/user.slice/app.slice/term.scope", "");
    const auto place = findCapPlace(mounts(2), "0::/user.slice/app.slice/term.scope\n", tree.operations());
    QVERIFY2(place.has_value(), place ? "" : place.error().message.c_str());
    QCOMPARE(place->directory, std::string("/cg/user.slice/app.slice"));
    QCOMPARE(place->version, 2);
    QVERIFY(!place->ancestorLimit);
}

void TestMemoryCap::version2WithoutAWay_data() {
    QTest::addColumn<QString>("subtree");
    QTest::addColumn<bool>("writable");
    QTest::addColumn<QString>("says");
    QTest::newRow("not given") << "cpu" << true << "not given";
    QTest::newRow("not ours") << "memory" << false << "may be written";
}

void TestMemoryCap::version2WithoutAWay() {
    QFETCH(QString, subtree);
    QFETCH(bool, writable);
    QFETCH(QString, says);
    GroupTree tree(2);
    tree.directory("/cg", subtree.toStdString(), writable);
    tree.directory("/cg/a", "");
    const auto place = findCapPlace(mounts(2), "0::/a\n", tree.operations());
    QVERIFY(!place);
    QCOMPARE(int(place.error().kind), int(ErrorKind::unavailable));
    const QString message = QString::fromStdString(place.error().message);
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains("systemd-run --user --scope -p Delegate=yes"), qPrintable(message));
}

void TestMemoryCap::version1TakesItsOwn() {
    GroupTree tree(1);
    tree.directory("/cg");
    tree.directory("/cg/mine");
    QCOMPARE(findCapPlace(mounts(1), "4:memory:/mine\n", tree.operations())->directory,
             std::string("/cg/mine"));
    GroupTree closed(1);
    closed.directory("/cg/mine", "", false);
    const auto refused = findCapPlace(mounts(1), "4:memory:/mine\n", closed.operations());
    QVERIFY(!refused && refused.error().message.find("sudo chown -R $USER /cg/mine") != std::string::npos);
}

void TestMemoryCap::noController() {
    GroupTree tree(2);
    const auto place = findCapPlace({}, "0::/a\n", tree.operations());
    QVERIFY(!place && place.error().message.find("no cgroup memory controller") != std::string::npos);
}

void TestMemoryCap::ancestorsLimitIsTheEffectiveOne() {
    GroupTree tree(1);
    tree.directory("/cg");
    tree.directory("/cg/mine");
    tree.file("/cg/memory.limit_in_bytes") = "268435456";
    const auto place = findCapPlace(mounts(1), "4:memory:/mine\n", tree.operations());
    QCOMPARE(place->ancestorLimit, std::optional(mib(256)));
    QCOMPARE(place->ancestorFile, std::string("/cg/memory.limit_in_bytes"));
    const auto home = CapHome::make(*place, "", tree.operations());
    QCOMPARE((*home)->effective(gib(1)).count(), mib(256).count());
    QCOMPARE((*home)->effective(mib(64)).count(), mib(64).count());
}

void TestMemoryCap::aGroupHasItsLimitAndGoes() {
    for (const int version : {1, 2}) {
        GroupTree tree(version);
        tree.directory("/cg", "memory");
        std::string homeDirectory;
        {
            auto home = CapHome::make(placeOf(version), "", tree.operations());
            QVERIFY2(home.has_value(), home ? "" : home.error().message.c_str());
            homeDirectory = (*home)->directory();
            QVERIFY(tree.has(homeDirectory));
            if (version == 2) {
                QCOMPARE(tree.file(homeDirectory + "/cgroup.subtree_control"), std::string("+memory"));
            }
            std::string directory;
            {
                auto group = (*home)->group(mib(64));
                QVERIFY(group.has_value());
                directory = group->directory();
                QCOMPARE(tree.file(directory + (version == 1 ? "/memory.limit_in_bytes" : "/memory.max")),
                         std::string("67108864"));
                QVERIFY(group->join(4711).has_value());
                QCOMPARE(tree.file(directory + "/cgroup.procs"), std::string("4711"));
            }
            QVERIFY(!tree.has(directory));
            QVERIFY((*home)->group(mib(64))->directory() != directory);
        }
        QVERIFY(!tree.has(homeDirectory));
    }
}

void TestMemoryCap::busyGroupsAreTriedAgain() {
    GroupTree tree(2);
    tree.directory("/cg", "memory");
    auto home = CapHome::make(placeOf(2), "", tree.operations());
    std::string directory;
    {
        auto group = (*home)->group(mib(32));
        directory = group->directory();
        tree.busy[directory] = 3;
    }
    QVERIFY(!tree.has(directory));
}

void TestMemoryCap::orphansAreCleanedUp() {
    GroupTree tree(1);
    tree.directory("/cg");
    tree.directory("/cg/mmapscope-999999999-5/run-1");
    tree.directory("/cg/mmapscope-999999999-5");
    tree.directory("/cg/mmapscope-notes");  // somebody else's
    tree.directory("/cg/other");
    const auto home = CapHome::make(placeOf(1), "", tree.operations());
    QVERIFY(home.has_value());
    QVERIFY(!tree.has("/cg/mmapscope-999999999-5"));
    QVERIFY(tree.has("/cg/mmapscope-notes") && tree.has("/cg/other"));
    // Another one of this living process stays.
    const auto second = CapHome::make(placeOf(1), "", tree.operations());
    QVERIFY(second.has_value() && tree.has((*home)->directory()));
}

void TestMemoryCap::reports() {
    for (const int version : {1, 2}) {
        GroupTree tree(version);
        tree.directory("/cg", "memory");
        auto home = CapHome::make(placeOf(version), "", tree.operations());
        auto group = (*home)->group(mib(32));
        QVERIFY(!group->report().outOfMemory);
        QCOMPARE(group->report().fileBytes, std::optional(Bytes(8192)));
        tree.file(group->directory() + (version == 1 ? "/memory.oom_control" : "/memory.events")) =
            "oom_kill_disable 0\noom_kill 1\n";
        QVERIFY(group->report().outOfMemory);
    }
}

void TestMemoryCap::realGroupCapsAndKills() {
    const auto place = findCapPlace();
    if (!place || place->bySystemd) {
        QSKIP(place ? "no group can be made by hand here" : place.error().message.c_str());
    }
    auto home = CapHome::make(*place, "");
    QVERIFY2(home.has_value(), home ? "" : home.error().message.c_str());
    const std::string directory = (*home)->directory();
    {
        auto group = (*home)->group(mib(32));
        QVERIFY2(group.has_value(), group ? "" : group.error().message.c_str());
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            char go = 0;
            (void)!::read(ends[0], &go, 1);
            constexpr std::size_t kTooMuch = 128U << 20U;
            auto* const at = static_cast<char*>(
                ::mmap(nullptr, kTooMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
            for (std::size_t i = 0; i < kTooMuch; i += 4096) {
                at[i] = 1;
            }
            ::_exit(0);
        }
        QVERIFY(group->join(child).has_value());
        QCOMPARE(::write(ends[1], "g", 1), ssize_t{1});
        int status = 0;
        ::waitpid(child, &status, 0);
        ::close(ends[0]);
        ::close(ends[1]);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        const CapReport report = group->report();
        QVERIFY(report.outOfMemory);
        QVERIFY(report.peak && *report.peak <= mib(32) + mib(1) && *report.peak > mib(16));
    }
    home->reset();
    QVERIFY(!QDir(QString::fromStdString(directory)).exists());
}

void TestMemoryCap::realHomeIsReaped() {
    const auto place = findCapPlace();
    if (!place || place->bySystemd) {
        QSKIP(place ? "no group can be made by hand here" : place.error().message.c_str());
    }
    // A process that makes a home and a group in it, and is killed.
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto home = CapHome::make(*place, MMAPSCOPE_WORKER);
        auto group = home ? (*home)->group(mib(32)) : Result<CappedGroup>(tl::unexpected(home.error()));
        const std::string said = group ? (*home)->directory() : group.error().message;
        (void)!::write(ends[1], said.data(), said.size());
        ::pause();
        ::_exit(0);
    }
    char said[4096]{};
    QVERIFY(::read(ends[0], said, sizeof said - 1) > 0);
    const QString directory = QString::fromUtf8(said);
    QVERIFY2(QDir(directory).exists(), said);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(directory).exists(), 10'000);
}

QTEST_GUILESS_MAIN(TestMemoryCap)
#include "tst_memory_cap.moc"
