// Where the window keeps what is the user's: samples, autosaved studies, and the lists of recent ones.
#pragma once

#include <QString>
#include <QStringList>

namespace mmapscope {

[[nodiscard]] QString samplesFolder();
[[nodiscard]] QString studiesFolder();
/// Where a study of `file` that starts now is saved after every run.
[[nodiscard]] QString autosavePath(const QString& file);

enum class RecentKind { files, studies };
/// Newest first, at most ten; not checked for existence (a network path may hang).
[[nodiscard]] QStringList recent(RecentKind kind);
void addRecent(RecentKind kind, const QString& path);

/// Whether the user agreed that files are evicted from the page cache and read again. Samples need no asking.
[[nodiscard]] bool mayEvict(const QString& file);
void rememberMayEvict();

}  // namespace mmapscope
