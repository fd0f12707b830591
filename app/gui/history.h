// The studies that were saved by themselves, told without opening each: what is known of an unchanged file is
// kept in an index beside them.
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/result.h"

namespace mmapscope {

struct HistoryEntry {
    QString path;
    qint64 bytes = 0;
    qint64 modifiedMs = 0;  ///< since 1970
    QString title, note;
    QString file;  ///< what was measured
    QString workload, arms;
    QString result;  ///< in words
    bool complete = false;
    QString error;  ///< why it can't be read; empty: it can

    [[nodiscard]] bool operator==(const HistoryEntry&) const = default;
};

/// Every study in the folder, newest first. Reads those that the index doesn't know as they are now, tells of
/// them as it goes, and writes the index again where that changed it. A folder that isn't there is empty; an
/// index that can't be read or written costs time, nothing else.
[[nodiscard]] std::vector<HistoryEntry> readHistory(
    const QString& folder, const std::stop_token& stop,
    const std::function<void(int done, int all)>& progress = {});

/// Gives a saved study a title and a note. Error: as of loadStudy and saveStudy.
[[nodiscard]] Status annotateStudy(const QString& path, const QString& title, const QString& note);

}  // namespace mmapscope
