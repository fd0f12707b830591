#include "app/gui/user_data.h"

#include <QDateTime>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include "report/study_file.h"

namespace mmapscope {
namespace {

constexpr int kRecent = 10;
constexpr int kNameLength = 60;

QString dataFolder(const char* name) {
    return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QLatin1Char('/') +
           QLatin1String(name);
}

QString keyOf(RecentKind kind) {
    return kind == RecentKind::files ? QStringLiteral("recent/files") : QStringLiteral("recent/studies");
}

}  // namespace

QString samplesFolder() {
    return dataFolder("samples");
}

QString studiesFolder() {
    return dataFolder("studies");
}

QString autosavePath(const QString& file) {
    QString name = QFileInfo(file).fileName().left(kNameLength);
    for (QChar& c : name) {
        if (!c.isLetterOrNumber() && !QStringLiteral("-_.").contains(c)) {
            c = QLatin1Char('_');
        }
    }
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
    return studiesFolder() + QLatin1Char('/') + time + QLatin1Char('-') + name +
           QString::fromLatin1(kStudySuffix.data(), qsizetype(kStudySuffix.size()));
}

QStringList recent(RecentKind kind) {
    return QSettings().value(keyOf(kind)).toStringList();
}

void addRecent(RecentKind kind, const QString& path) {
    QStringList paths = recent(kind);
    paths.removeAll(path);
    paths.prepend(path);
    QSettings().setValue(keyOf(kind), QStringList(paths.mid(0, kRecent)));
}

bool mayEvict(const QString& file) {
    return file.startsWith(samplesFolder() + QLatin1Char('/')) ||
           QSettings().value(QStringLiteral("cache/mayEvict"), false).toBool();
}

void rememberMayEvict() {
    QSettings().setValue(QStringLiteral("cache/mayEvict"), true);
}

}  // namespace mmapscope
