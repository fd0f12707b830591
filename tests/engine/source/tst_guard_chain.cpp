// What the guard does with signals that aren't its own. Everything happens in child processes: the handler is
// installed once in a process and remembers what was there before it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include "source/guarded_mapping.h"

using namespace mmapscope;

namespace {

constexpr int kPreviousHandler = 42;
constexpr int kWrong = 43;

void previousHandler(int) {
    _exit(kPreviousHandler);
}
void previousAction(int, siginfo_t* info, void*) {
    _exit(info->si_addr != nullptr ? kPreviousHandler : kWrong);
}

// A file of one page under a mapping of two: touching the second one is a SIGBUS.
int onePageFile() {
    const int fd = memfd_create("page", MFD_CLOEXEC);
    return ftruncate(fd, static_cast<off_t>(pageSize().count())) == 0 ? fd : -1;
}

const volatile std::byte* unguardedHole(int fd) {
    void* const address = mmap(nullptr, 2 * pageSize().size(), PROT_READ, MAP_PRIVATE, fd, 0);
    return static_cast<std::byte*>(address) + pageSize().size();
}

Result<GuardedMapping> guardedHole(int fd) {
    return GuardedMapping::map(MappingKind::file, pageSize() * 2, PROT_READ, MAP_PRIVATE, fd);
}

template <class Body>
int statusOfChild(Body body) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

void standardAction() {
    signal(SIGBUS, SIG_DFL);
}

}  // namespace

class TestGuardChain : public QObject {
    Q_OBJECT
  private slots:
    void ourFaultIsRepaired() {
        const int status = statusOfChild([] {
            const auto mapping = guardedHole(onePageFile());
            if (!mapping || !mapping->intact()) {
                return kWrong;
            }
            const auto* const bytes = static_cast<const volatile std::byte*>(mapping->data());
            const bool zero =
                bytes[pageSize().size()] == std::byte{0} && bytes[2 * pageSize().size() - 1] == std::byte{0};
            const auto intact = mapping->intact();
            return zero && !intact && intact.error().kind == ErrorKind::changed ? 0 : kWrong;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    void someoneElsesFaultDies() {
        const int status = statusOfChild([] {
            standardAction();
            const int fd = onePageFile();
            const auto mapping = guardedHole(fd);
            return static_cast<int>(*unguardedHole(fd));
        });
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGBUS);
    }

    void aFaultAfterUnmappingDies() {
        const int status = statusOfChild([] {
            standardAction();
            const int fd = onePageFile();
            auto mapping = guardedHole(fd);
            const void* const where = mapping->data();
            mapping->unmap();
            // The same addresses, now someone else's.
            mmap(const_cast<void*>(where), 2 * pageSize().size(), PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
            return static_cast<int>(static_cast<const volatile std::byte*>(where)[pageSize().size()]);
        });
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGBUS);
    }

    void someoneElsesFaultReachesTheirHandler() {
        const int status = statusOfChild([] {
            signal(SIGBUS, previousHandler);
            const int fd = onePageFile();
            const auto mapping = guardedHole(fd);
            return static_cast<int>(*unguardedHole(fd));
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), kPreviousHandler);
    }

    void theirActionGetsTheDetails() {
        const int status = statusOfChild([] {
            struct sigaction action {};
            action.sa_sigaction = previousAction;
            action.sa_flags = SA_SIGINFO;
            sigaction(SIGBUS, &action, nullptr);
            const int fd = onePageFile();
            const auto mapping = guardedHole(fd);
            return static_cast<int>(*unguardedHole(fd));
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), kPreviousHandler);
    }

    void aSignalSentByHandKills() {
        const int status = statusOfChild([] {
            standardAction();
            const auto mapping = guardedHole(onePageFile());
            kill(getpid(), SIGBUS);
            return kWrong;
        });
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGBUS);
    }

    void anIgnoredSignalSentByHandIsIgnored() {
        const int status = statusOfChild([] {
            signal(SIGBUS, SIG_IGN);
            const auto mapping = guardedHole(onePageFile());
            kill(getpid(), SIGBUS);
            return 0;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
};

QTEST_GUILESS_MAIN(TestGuardChain)
#include "tst_guard_chain.moc"
