#include "app/gui/history.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "report/remarks.h"
#include "report/study_file.h"
#include "report/summary_table.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

constexpr int kIndexVersion = 1;
constexpr int kMostArmsNamed = 6;

QString indexPath(const QString& folder) {
    return folder + QStringLiteral("/.index.json");
}

/// The members that are kept as text, by their names in the index.
constexpr std::pair<const char*, QString HistoryEntry::*> kTexts[] = {
    {"title", &HistoryEntry::title},       {"note", &HistoryEntry::note}, {"file", &HistoryEntry::file},
    {"workload", &HistoryEntry::workload}, {"arms", &HistoryEntry::arms}, {"result", &HistoryEntry::result},
    {"error", &HistoryEntry::error}};

QJsonObject toJson(const HistoryEntry& entry) {
    QJsonObject json{{"name", QFileInfo(entry.path).fileName()},
                     {"bytes", entry.bytes},
                     {"modified_ms", entry.modifiedMs},
                     {"complete", entry.complete}};
    for (const auto& [key, member] : kTexts) {
        json[QLatin1String(key)] = entry.*member;
    }
    return json;
}

QHash<QString, HistoryEntry> readIndex(const QString& folder) {
    QHash<QString, HistoryEntry> entries;
    QFile file(indexPath(folder));
    if (!file.open(QIODevice::ReadOnly)) {
        return entries;
    }
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    if (root["version"].toInt() != kIndexVersion) {
        return entries;
    }
    for (const QJsonValue& value : root["studies"].toArray()) {
        HistoryEntry entry;
        entry.bytes = static_cast<qint64>(value["bytes"].toDouble(-1));
        entry.modifiedMs = static_cast<qint64>(value["modified_ms"].toDouble(-1));
        entry.complete = value["complete"].toBool();
        for (const auto& [key, member] : kTexts) {
            entry.*member = value[QLatin1String(key)].toString();
        }
        entries.insert(value["name"].toString(), entry);
    }
    return entries;
}

void writeIndex(const QString& folder, const std::vector<HistoryEntry>& entries) {
    QJsonArray studies;
    for (const HistoryEntry& entry : entries) {
        studies.append(toJson(entry));
    }
    QSaveFile file(indexPath(folder));
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QJsonDocument(QJsonObject{{"version", kIndexVersion}, {"studies", studies}})
                       .toJson(QJsonDocument::Compact));
        file.commit();
    }
}

QString armsOf(const Study& study) {
    QStringList ids;
    for (const Arm& arm : study.arms) {
        ids << QString::fromStdString(arm.id);
    }
    const auto more = ids.size() - kMostArmsNamed;
    const QString named = ids.mid(0, kMostArmsNamed).join(QStringLiteral(", "));
    return more > 0 ? QStringLiteral("%1 and %2 more").arg(named).arg(more) : named;
}

QString resultOf(const Study& study) {
    if (study.sweep) {
        const auto sentences = crossoverSentences(study);
        return sentences.empty() ? QString() : QString::fromStdString(sentences.front());
    }
    const auto lines = findingsInWords(study);
    // What the baseline is stands first; what was found behind it.
    const std::size_t at = lines.size() > 1 ? 1 : 0;
    return lines.empty() ? QString() : QString::fromStdString(lines[at]);
}

void fill(HistoryEntry& entry) {
    const auto study = loadStudy(entry.path.toStdString());
    if (!study) {
        entry.error = QString::fromStdString(study.error().message);
        return;
    }
    entry.title = QString::fromStdString(study->title);
    entry.note = QString::fromStdString(study->note);
    entry.file = QString::fromStdString(study->plan.file);
    entry.workload =
        QString::fromStdString(workloadText(*study)) + (study->sweep ? QStringLiteral(", sweep") : QString());
    entry.arms = armsOf(*study);
    entry.result = resultOf(*study);
    entry.complete = study->sweep ? study->sweep->complete : study->complete;
}

}  // namespace

std::vector<HistoryEntry> readHistory(const QString& folder, const std::stop_token& stop,
                                      const std::function<void(int, int)>& progress) {
    const auto known = readIndex(folder);
    const QFileInfoList files = QDir(folder).entryInfoList(
        {QStringLiteral("*.mmapscope"), QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    std::vector<HistoryEntry> entries;
    bool changed = known.size() != files.size();
    int done = 0;
    for (const QFileInfo& file : files) {
        if (stop.stop_requested()) {
            return entries;
        }
        HistoryEntry entry;
        const auto before = known.find(file.fileName());
        const qint64 modified = file.lastModified().toMSecsSinceEpoch();
        if (before != known.end() && before->bytes == file.size() && before->modifiedMs == modified) {
            entry = *before;
        }
        entry.path = file.absoluteFilePath();
        if (entry.bytes != file.size() || entry.modifiedMs != modified) {
            entry.bytes = file.size();
            entry.modifiedMs = modified;
            fill(entry);
            changed = true;
        }
        entries.push_back(std::move(entry));
        if (progress) {
            progress(++done, static_cast<int>(files.size()));
        }
    }
    if (changed) {
        writeIndex(folder, entries);
    }
    return entries;
}

Status annotateStudy(const QString& path, const QString& title, const QString& note) {
    auto study = loadStudy(path.toStdString());
    if (!study) {
        return tl::unexpected(study.error());
    }
    study->title = title.toStdString();
    study->note = note.toStdString();
    return saveStudy(*study, path.toStdString());
}

}  // namespace mmapscope
