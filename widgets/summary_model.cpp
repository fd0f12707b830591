#include "widgets/summary_model.h"

#include <QFont>
#include <QGuiApplication>
#include <algorithm>
#include <array>

#include "study/arm_figures.h"
#include "widgets/glyphs.h"
#include "widgets/text.h"

namespace mmapscope {

namespace {

struct ColumnWords {
    const char* title;  ///< two short lines keep the columns narrow
    const char* help;
};

constexpr std::array<ColumnWords, SummaryModel::kColumnCount> kWords{{
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "arm"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "The source with its parameters. Double-click: use as baseline")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "verdict"),
     QT_TRANSLATE_NOOP(
         "mmapscope::SummaryModel",
         "faster: the whole interval lies above 1.01; slower: below 0.99; tied: neither; unranked: too "
         "few good rounds, an error, or outcomes that differ")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "throughput"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Median over the measured runs of the bytes over the wall time: of what comes out "
                       "where it is called decoded (zstd), else of the file")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "ratio\n[95 % interval]"),
     QT_TRANSLATE_NOOP(
         "mmapscope::SummaryModel",
         "Throughput over the baseline's, above 1 is faster: median over rounds of the paired ratio, "
         "with the bootstrap interval of that median")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "wall"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Median wall time: open, map, copy in, work, unmap, close")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "setup"),
     QT_TRANSLATE_NOOP(
         "mmapscope::SummaryModel",
         "Median time to the first byte delivered: opening, mapping, filling huge pages. Part of wall")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "cpu"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Median CPU time of the arm's threads, from their exact clocks")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "user"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "CPU time in user mode; most kernels count it in ticks, so ±4 ms a run")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "system"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "CPU time in the kernel; most kernels count it in ticks, so ±4 ms a run")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "minor\nfaults"),
     QT_TRANSLATE_NOOP(
         "mmapscope::SummaryModel",
         "Page faults that needed no storage, of the arm's threads: the page was in the cache or is new")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "major\nfaults"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Page faults that waited for storage, of the arm's threads")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "peak\nprivate"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Largest private memory: heap, buffers, anonymous mappings")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "peak huge\npages"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Largest memory from the huge-page pool. RSS doesn't contain it")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "peak mapped\ncache"),
     QT_TRANSLATE_NOOP(
         "mmapscope::SummaryModel",
         "Largest page cache mapped into the process. read fills the same memory, only unmapped")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "storage\nread"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "Median of bytes fetched from the storage device")},
    {QT_TRANSLATE_NOOP("mmapscope::SummaryModel", "context\nswitches"),
     QT_TRANSLATE_NOOP("mmapscope::SummaryModel",
                       "Median of voluntary and involuntary switches of the arm's threads")},
}};

QString verdictWord(Verdict verdict) {
    switch (verdict) {
        case Verdict::baseline:
            return SummaryModel::tr("baseline");
        case Verdict::faster:
            return SummaryModel::tr("▲ faster");
        case Verdict::slower:
            return SummaryModel::tr("▼ slower");
        case Verdict::tied:
            return SummaryModel::tr("≈ tied");
        case Verdict::unranked:
            break;
    }
    return SummaryModel::tr("unranked");
}

QString ratioText(const ArmSummary& summary) {
    const auto figure = [](double value) { return QString::number(value, 'f', 2); };
    if (summary.verdict == Verdict::baseline) {
        return figure(1);
    }
    if (summary.ratio && summary.ratioLow && summary.ratioHigh) {
        return SummaryModel::tr("%1 [%2, %3]")
            .arg(figure(*summary.ratio), figure(*summary.ratioLow), figure(*summary.ratioHigh));
    }
    return {};
}

/// Why an arm has no rank: the summary's reason, else the error of its last run that failed.
QString reasonOf(const Study& study, const ArmSummary* summary, std::uint32_t arm) {
    if (summary != nullptr && !summary->unrankedReason.empty()) {
        return QString::fromStdString(summary->unrankedReason);
    }
    for (auto run = study.runs.rbegin(); run != study.runs.rend(); ++run) {
        if (run->arm == arm && run->status != RunStatus::ok && !run->error.empty()) {
            return QString::fromStdString(run->error);
        }
    }
    return {};
}

}  // namespace

SummaryModel::SummaryModel(QObject* parent)
    : QAbstractTableModel(parent), theme_(Theme::forPalette(QGuiApplication::palette())) {}

SummaryModel::Row SummaryModel::rowOf(const Study& study, std::uint32_t arm) {
    Row row;
    row.arm = arm;
    row.id = QString::fromStdString(study.arms[arm].id);
    const auto found = std::find_if(study.summary.begin(), study.summary.end(),
                                    [arm](const ArmSummary& one) { return one.arm == arm; });
    const ArmSummary* summary = found == study.summary.end() ? nullptr : &*found;
    const ArmFigures figures = figuresOf(study, arm);

    row.texts[kArm] = row.id;
    if (summary != nullptr) {
        row.verdict = summary->verdict;
        row.outcomesAgree = summary->outcomesAgree != false;
        row.values[kThroughput] = summary->medianBytesPerSecond;
        row.values[kRatio] = summary->verdict == Verdict::baseline ? std::optional(1.0) : summary->ratio;
        row.texts[kRatio] = ratioText(*summary);
    }
    if (row.verdict == Verdict::unranked) {
        row.note = reasonOf(study, summary, arm);
    }
    row.texts[kVerdict] =
        row.note.isEmpty() ? verdictWord(row.verdict) : tr("%1: %2").arg(verdictWord(row.verdict), row.note);
    constexpr std::array kOrder{2.0, 0.0, 3.0, 1.0, 4.0};  // faster, tied, baseline, slower, unranked
    row.values[kVerdict] = kOrder[static_cast<std::size_t>(row.verdict)];

    const std::pair<Column, std::optional<double>> times[]{{kWall, figures.wallNs},
                                                           {kSetup, figures.setupNs},
                                                           {kCpu, figures.cpuNs},
                                                           {kUser, figures.userNs},
                                                           {kSystem, figures.systemNs}};
    for (const auto& [column, value] : times) {
        row.values[column] = value;
        row.texts[column] = value ? durationText(*value / 1e9) : QString();
    }
    row.splitNote = QString::fromStdString(splitNote({figures}));
    const std::pair<Column, std::optional<double>> counts[]{{kMinorFaults, figures.minorFaults},
                                                            {kMajorFaults, figures.majorFaults},
                                                            {kSwitches, figures.switches}};
    for (const auto& [column, value] : counts) {
        row.values[column] = value;
        row.texts[column] = value ? countText(*value) : QString();
    }
    const std::pair<Column, std::optional<double>> amounts[]{{kPrivate, figures.peakPrivateBytes},
                                                             {kHugePages, figures.peakHugetlbBytes},
                                                             {kMappedCache, figures.peakMappedCacheBytes},
                                                             {kStorageRead, figures.storageReadBytes}};
    for (const auto& [column, value] : amounts) {
        row.values[column] = value;
        row.texts[column] = value ? bytesText(Bytes(static_cast<std::uint64_t>(*value))) : QString();
    }
    if (row.values[kThroughput]) {
        row.texts[kThroughput] = rateText(*row.values[kThroughput]);
    }
    for (QString& text : row.texts) {
        if (text.isEmpty()) {
            text = notAvailableText();
        }
    }
    return row;
}

void SummaryModel::setStudy(const Study& study) {
    std::vector<Row> rows;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        rows.push_back(rowOf(study, arm));
    }
    if (const bool decoded = countsDecodedBytes(study); decoded != decoded_) {
        decoded_ = decoded;
        emit headerDataChanged(Qt::Horizontal, kThroughput, kThroughput);
    }
    // While a study runs the arms stay the same: then selection and scroll position must stay, too.
    const bool same = std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                                 [](const Row& a, const Row& b) { return a.id == b.id; });
    if (same && !rows.empty()) {
        rows_ = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
        return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void SummaryModel::setTheme(const Theme& theme) {
    theme_ = theme;
    if (!rows_.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1),
                         {Qt::DecorationRole, Qt::ForegroundRole});
    }
}

void SummaryModel::clear() {
    beginResetModel();
    rows_.clear();
    endResetModel();
}

int SummaryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SummaryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumnCount;
}

QString SummaryModel::toolTip(const Row& row, int column) const {
    const QString help = tr(kWords[static_cast<std::size_t>(column)].help);
    if ((column == kArm || column == kVerdict || column == kRatio) && !row.note.isEmpty()) {
        return tr("%1 is unranked: %2\n%3").arg(row.id, row.note, help);
    }
    if ((column == kUser || column == kSystem) && !row.values[column] && !row.splitNote.isEmpty()) {
        return tr("not available here: %1\n%2").arg(row.splitNote, help);
    }
    if (column != kArm && !row.values[column]) {
        return tr("not available here: no good run of %1 has this figure\n%2").arg(row.id, help);
    }
    return help;
}

QVariant SummaryModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool absent = column != kArm && !row.values[column];
    const int arm = static_cast<int>(row.arm);
    switch (role) {
        case Qt::DisplayRole:
            return row.texts[column];
        case Qt::ToolTipRole:
            return toolTip(row, column);
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::AccessibleTextRole).toString(),
                                    absent ? tr("not available") : row.texts[column]);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                (column == kArm || column == kVerdict ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case Qt::DecorationRole:
            return column == kArm ? QVariant(lineSample(theme_.armPen(arm), theme_.armMarker(arm), 2))
                                  : QVariant();
        case Qt::FontRole:
            if (row.verdict == Verdict::baseline && (column == kArm || column == kVerdict)) {
                QFont bold = tabularFont(QGuiApplication::font());
                bold.setBold(true);
                return bold;
            }
            return tabularFont(QGuiApplication::font());
        case Qt::ForegroundRole:
            if (absent || row.verdict == Verdict::unranked) {
                return column == kVerdict && !row.outcomesAgree ? theme_.bad() : theme_.mutedText();
            }
            if (column == kVerdict && row.verdict == Verdict::faster) {
                return theme_.good();
            }
            return column == kVerdict && row.verdict == Verdict::slower ? QVariant(theme_.bad()) : QVariant();
        case kValueRole:
            return column == kArm ? QVariant(row.id) : absent ? QVariant() : QVariant(*row.values[column]);
        case kArmRole:
            return row.arm;
        case kReasonRole:
            return row.note;
        default:
            return {};
    }
}

QVariant SummaryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) {
        return {};
    }
    const ColumnWords& words = kWords[static_cast<std::size_t>(section)];
    const QString title = section == kThroughput && decoded_ ? tr("throughput\n(decoded)") : tr(words.title);
    switch (role) {
        case Qt::DisplayRole:
            return title;
        case Qt::AccessibleTextRole:
            return QString(title).replace(u'\n', u' ');
        case Qt::ToolTipRole:
            return tr(words.help);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment((section == kArm || section == kVerdict ? Qt::AlignLeft : Qt::AlignRight) |
                              Qt::AlignVCenter));
        default:
            return {};
    }
}

}  // namespace mmapscope
