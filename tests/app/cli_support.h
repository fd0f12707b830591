// Runs mmapscope-cli as a script does.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace mmapscope::testing {

struct Ended {
    int status = -1;
    QString out, err;
};

/// What it wrote until it ended, two minutes at most. `environment`: further "NAME=value".
inline Ended cli(const QStringList& arguments, const QStringList& environment = {}) {
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() + environment);
    process.start(QStringLiteral(MMAPSCOPE_CLI), arguments);
    process.waitForFinished(120'000);
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace mmapscope::testing
