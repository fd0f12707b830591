// Memory caps by systemd's scopes: what is asked of systemd-run, and what the group then says.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>

#include "group_tree.h"
#include "run/cap_scope.h"
#include "run/worker_client.h"
#include "run_support.h"

using namespace mmapscope;
using namespace mmapscope::test;
using namespace std::chrono_literals;

namespace {

const std::string kSlice = "/cg/user.slice/app.slice";

/// The name systemd gives the scope, from what it is asked.
std::string unitOf(const CapScope& scope) {
    const std::string key = "--unit=";
    for (const std::string& word : scope.launcher()) {
        if (word.starts_with(key)) {
            return word.substr(key.size());
        }
    }
    return {};
}

}  // namespace

class TestCapScope : public QObject {
    Q_OBJECT

  private slots:
    void systemdIsAskedForTheLimit() {
        const CapScope scope(mib(64), "/cg");
        const auto& words = scope.launcher();
        QCOMPARE(words.front(), std::string("systemd-run"));
        QCOMPARE(words.back(), std::string("--"));
        for (const char* word :
             {"--user", "--scope", "--property=MemoryMax=67108864", "--property=MemorySwapMax=0"}) {
            QVERIFY2(std::find(words.begin(), words.end(), word) != words.end(), word);
        }
        QVERIFY(unitOf(scope) != unitOf(CapScope(mib(64), "/cg")));
    }

    void theLimitThatHoldsIsRead() {
        GroupTree tree(2);
        tree.directory("/cg");
        tree.directory(kSlice);
        tree.file("/cg/user.slice/memory.max") = "33554432\n";
        std::string where;
        int asked = 0;
        CapScope scope(mib(64), "/cg", tree.operations(), [&](pid_t) {
            // It is still where it was started when it is first looked at.
            return ++asked < 3 ? std::string("0::/user.slice/session-3.scope\n") : where;
        });
        where = "1:name=systemd:/x\n0::/user.slice/app.slice/" + unitOf(scope) + ".scope\n";
        const std::string directory = kSlice + "/" + unitOf(scope) + ".scope";
        tree.directory(directory);
        tree.file(directory + "/memory.max") = "67108864\n";
        tree.file(directory + "/memory.peak") = "5242880\n";
        const auto in = scope.await(1);
        QVERIFY2(in.has_value(), in ? "" : in.error().message.c_str());
        QCOMPARE(asked, 3);
        QCOMPARE(scope.effective().count(), mib(32).count());
        QCOMPARE(scope.report().peak, std::optional(mib(5)));
        QCOMPARE(scope.report().fileBytes, std::optional(kib(8)));

        QVERIFY(!scope.killedAbove());
        tree.file(kSlice + "/memory.events") = "low 0\noom_kill 1\n";
        QVERIFY(scope.killedAbove());
    }

    void withoutAScope_data() {
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("says");
        QTest::newRow("never moved") << "0::/user.slice/session-3.scope\n"
                                     << "made no scope";
        QTest::newRow("gone") << ""
                              << "made no scope";
        QTest::newRow("no memory controller") << "0::/user.slice/app.slice/UNIT.scope\n"
                                              << "has no memory controller";
    }

    void withoutAScope() {
        QFETCH(QString, where);
        QFETCH(QString, says);
        GroupTree tree(2);
        tree.directory(kSlice);
        std::string text;
        CapScope scope(mib(64), "/cg", tree.operations(), [&](pid_t) { return text; });
        text = where.replace("UNIT", QString::fromStdString(unitOf(scope))).toStdString();
        const auto in = scope.await(1, 20ms);
        QVERIFY(!in);
        QCOMPARE(int(in.error().kind), int(ErrorKind::unavailable));
        const QString message = QString::fromStdString(in.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(!scope.killedAbove());
    }

    void managerIsFound() {
        const QTemporaryDir bin, runtime;
        const QByteArray path = "/nowhere:" + bin.path().toUtf8(), directory = runtime.path().toUtf8();
        QVERIFY(!userManagerIsThere(nullptr, directory));
        QVERIFY(!userManagerIsThere(path, directory));
        QVERIFY(QDir(runtime.path()).mkpath("systemd/private"));
        QVERIFY(!userManagerIsThere(path, directory));
        QFile program(bin.filePath("systemd-run"));
        QVERIFY(program.open(QFile::WriteOnly));
        program.close();
        QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        QVERIFY(userManagerIsThere(path, directory));
        QVERIFY(!userManagerIsThere(path, nullptr));
    }

    /// A stand-in for systemd-run: it only executes what stands behind "--".
    void aLauncherKeepsTheWorker() {
        const QTemporaryDir folder;
        QFile script(folder.filePath("systemd-run"));
        QVERIFY(script.open(QFile::WriteOnly));
        script.write("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QFile data(folder.filePath("data"));
        QVERIFY(data.open(QFile::WriteOnly));
        data.write(QByteArray(1 << 20, 'x'));
        data.close();

        CapScope scope(mib(64), "/cg");
        RunWatch watch;
        watch.launcher = scope.launcher();
        watch.launcher.front() = script.fileName().toStdString();
        pid_t process = 0;
        bool livedWithItsRecord = false;
        watch.started = [&](pid_t pid) {
            process = pid;
            return Status();
        };
        watch.recorded = [&] { livedWithItsRecord = ::kill(process, 0) == 0; };
        const RunRecord record = runInWorker(
            MMAPSCOPE_WORKER, mustRequest(data.fileName().toStdString(), "read", "scan"), watch, {});
        QVERIFY2(record.status == RunStatus::ok, record.error.c_str());
        QVERIFY(livedWithItsRecord);
    }

    void realScope() {
        if (!userManagerIsThere(std::getenv("PATH"), std::getenv("XDG_RUNTIME_DIR"))) {
            QSKIP("no service manager of this user to ask for a scope");
        }
        const auto place = findCapPlace();
        if (!place || !place->bySystemd) {
            QSKIP("groups can be made by hand here");
        }
        CapScope scope(mib(64), place->directory);
        RunWatch watch;
        watch.launcher = scope.launcher();
        watch.started = [&](pid_t pid) { return scope.await(pid); };
        CapReport report;
        watch.recorded = [&] { report = scope.report(); };
        const QTemporaryDir folder;
        QFile data(folder.filePath("data"));
        QVERIFY(data.open(QFile::WriteOnly));
        data.write(QByteArray(1 << 20, 'x'));
        data.close();
        const RunRecord record = runInWorker(
            MMAPSCOPE_WORKER, mustRequest(data.fileName().toStdString(), "read", "scan"), watch, {});
        QVERIFY2(record.status == RunStatus::ok, record.error.c_str());
        QVERIFY(report.peak && *report.peak > Bytes(0));
    }
};

QTEST_GUILESS_MAIN(TestCapScope)
#include "tst_cap_scope.moc"
