#include "app/gui/history_dialog.h"

#include <QDateTime>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextDocument>
#include <QThreadPool>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "core/text.h"

namespace mmapscope {
namespace {

enum Column { kDate, kTitle, kWorkload, kArms, kResult, kSize, kColumns };
constexpr int kEntryRole = HistoryDialog::kPathRole + 1;
constexpr int kSortRole = kEntryRole + 1;

/// Sorts sizes and dates by what they are.
class Item : public QTreeWidgetItem {
  public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget()->sortColumn();
        const QVariant own = data(column, kSortRole);
        return own.isValid() ? own.toLongLong() < other.data(column, kSortRole).toLongLong()
                             : text(column).localeAwareCompare(other.text(column)) < 0;
    }
};

/// The row says already which file it is.
QString shortError(const HistoryEntry& entry) {
    const QString path = entry.path + QStringLiteral(": ");
    return HistoryDialog::tr("can’t be read: %1")
        .arg(entry.error.startsWith(path) ? entry.error.mid(path.size()) : entry.error);
}

QString titleOf(const HistoryEntry& entry) {
    if (!entry.title.isEmpty()) {
        return entry.title;
    }
    return entry.file.isEmpty() ? QFileInfo(entry.path).fileName() : QFileInfo(entry.file).fileName();
}

}  // namespace

HistoryDialog::HistoryDialog(const QString& folder, QWidget* parent, std::function<QString()> beingWritten)
    : QDialog(parent),
      folder_(folder),
      beingWritten_(std::move(beingWritten)),
      filter_(new QLineEdit(this)),
      list_(new QTreeWidget(this)),
      state_(new QLabel(this)),
      result_(new QLabel(this)),
      title_(new QLineEdit(this)),
      note_(new QPlainTextEdit(this)),
      keep_(new QPushButton(tr("&Keep these words"), this)),
      open_(new QPushButton(tr("&Open"), this)),
      compare_(new QPushButton(tr("&Compare"), this)),
      delete_(new QPushButton(tr("&Delete…"), this)) {
    setWindowTitle(tr("History – mmapscope"));
    setWindowFlag(Qt::WindowMaximizeButtonHint);
    build();
    connect(filter_, &QLineEdit::textChanged, this, &HistoryDialog::filter);
    connect(list_, &QTreeWidget::itemSelectionChanged, this, &HistoryDialog::showCurrent);
    connect(list_, &QTreeWidget::itemActivated, this, [this] { open_->click(); });
    connect(keep_, &QPushButton::clicked, this, &HistoryDialog::saveWords);
    connect(open_, &QPushButton::clicked, this, [this] {
        if (const QStringList paths = selected(); paths.size() == 1) {
            emit openAsked(paths.front());
        }
    });
    connect(compare_, &QPushButton::clicked, this, [this] { emit compareAsked(selected()); });
    connect(delete_, &QPushButton::clicked, this, &HistoryDialog::askDelete);
    showCurrent();
    read();
}

void HistoryDialog::build() {
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Show only studies that have these words"));
    filter_->setClearButtonEnabled(true);
    list_->setAccessibleName(tr("Saved studies"));
    list_->setHeaderLabels({tr("Saved"), tr("Study"), tr("Workload"), tr("Arms"), tr("Result"), tr("Size")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAlternatingRowColors(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setSortingEnabled(true);
    list_->sortByColumn(kDate, Qt::DescendingOrder);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(kResult, QHeaderView::Stretch);
    for (QLabel* label : {state_, result_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    filter_->setObjectName(QStringLiteral("historyFilter"));
    title_->setObjectName(QStringLiteral("historyTitle"));
    title_->setAccessibleName(tr("Title"));
    note_->setAccessibleName(tr("Note"));
    note_->setTabChangesFocus(true);
    note_->setMaximumHeight(fontMetrics().height() * 4);
    auto* folder = new QPushButton(tr("Show in &folder"), this);
    connect(folder, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    for (QPushButton* button : {open_, compare_, delete_, folder}) {
        button->setAutoDefault(false);
        buttons->addButton(button, QDialogButtonBox::ActionRole);
    }
    keep_->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* words = new QFormLayout;
    words->addRow(tr("&Title"), title_);
    words->addRow(tr("&Note"), note_);
    auto* keep = new QHBoxLayout;
    keep->addWidget(keep_);
    keep->addStretch(1);
    words->addRow(QString(), keep);
    auto* box = new QVBoxLayout(this);
    box->addWidget(filter_);
    box->addWidget(list_, 1);
    box->addWidget(state_);
    box->addWidget(result_);
    box->addLayout(words);
    box->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 170, fontMetrics().height() * 40);
}

void HistoryDialog::read() {
    state_->setText(tr("Looking at the saved studies…"));
    readJob_.start(
        [this, folder = folder_](BackgroundJob::Link& link) {
            return readHistory(folder, link.stop(), [this, &link](int done, int all) {
                if (done % 50 == 0) {
                    link.post([this, done, all] {
                        state_->setText(tr("Looking at the saved studies: %1 of %2").arg(done).arg(all));
                    });
                }
            });
        },
        [this](const std::vector<HistoryEntry>& entries) { take(entries); });
}

void HistoryDialog::take(const std::vector<HistoryEntry>& entries) {
    const QStringList before = selected();
    entries_ = entries;
    list_->setSortingEnabled(false);
    list_->clear();
    qint64 bytes = 0;
    QList<QTreeWidgetItem*> items;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const HistoryEntry& entry = entries_[i];
        bytes += entry.bytes;
        auto* item = new Item;
        const QDateTime saved = QDateTime::fromMSecsSinceEpoch(entry.modifiedMs);
        item->setText(kDate, QLocale().toString(saved, QLocale::ShortFormat));
        item->setData(kDate, kEntryRole, static_cast<qulonglong>(i));
        item->setData(kDate, kSortRole, entry.modifiedMs);
        item->setData(kDate, kPathRole, entry.path);
        item->setText(kTitle, titleOf(entry));
        item->setText(kWorkload, entry.workload);
        item->setText(kArms, entry.arms);
        item->setText(kResult, !entry.error.isEmpty() ? shortError(entry)
                               : entry.complete       ? entry.result
                                                      : tr("stopped: %1").arg(entry.result));
        item->setText(kSize,
                      QString::fromStdString(formatBytes(Bytes(static_cast<std::uint64_t>(entry.bytes)))));
        item->setTextAlignment(kSize, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(kSize, kSortRole, entry.bytes);
        for (int c = 0; c < kColumns; ++c) {
            item->setToolTip(c, item->text(c));
        }
        items << item;
    }
    list_->addTopLevelItems(items);
    list_->setSortingEnabled(true);
    for (const Column c : {kDate, kTitle, kWorkload, kArms, kSize}) {
        list_->resizeColumnToContents(c);
        list_->setColumnWidth(
            c, std::min(list_->columnWidth(c), fontMetrics().averageCharWidth() * (c == kArms ? 24 : 36)));
    }
    for (QTreeWidgetItem* item : items) {
        item->setSelected(before.contains(item->data(kDate, kPathRole).toString()));
    }
    state_->setText(
        entries_.empty()
            ? tr("No study yet. Every study is saved here by itself, run by run: %1").arg(folder_)
            : tr("%1, %2, in %3")
                  .arg(entries_.size() == 1 ? tr("1 study") : tr("%1 studies").arg(entries_.size()),
                       QString::fromStdString(formatBytes(Bytes(static_cast<std::uint64_t>(bytes)))),
                       folder_));
    filter(filter_->text());
    showCurrent();
    emit filled();
}

QStringList HistoryDialog::selected() const {
    QStringList paths;
    for (const QTreeWidgetItem* item : list_->selectedItems()) {
        if (!item->isHidden()) {
            paths << item->data(kDate, kPathRole).toString();
        }
    }
    return paths;
}

void HistoryDialog::showCurrent() {
    const QStringList paths = selected();
    const HistoryEntry* one = nullptr;
    for (const HistoryEntry& entry : entries_) {
        one = paths.size() == 1 && entry.path == paths.front() ? &entry : one;
    }
    const QString measured = beingWritten_();
    const bool isMeasured = one != nullptr && one->path == measured;
    const bool readable = one != nullptr && one->error.isEmpty() && !isMeasured;
    open_->setEnabled(readable);
    compare_->setEnabled(paths.size() >= 2);
    delete_->setEnabled(!paths.isEmpty() && !(paths.contains(measured)));
    for (QWidget* part : std::initializer_list<QWidget*>{title_, note_, keep_}) {
        part->setEnabled(readable);
    }
    result_->setText(one == nullptr          ? QString()
                     : isMeasured            ? tr("Being measured now: named and deleted when it has ended")
                     : !one->error.isEmpty() ? one->error
                                             : tr("%1\n%2").arg(one->file, one->result));
    const QString path = one == nullptr ? QString() : one->path;
    if (wordsChanged()) {
        if (path == wordsOf_) {
            return;  // the list is new, and the words are still being written
        }
        saveWords();
    }
    wordsOf_ = path;
    title_->setText(one == nullptr ? QString() : one->title);
    note_->setPlainText(one == nullptr ? QString() : one->note);
    setWordsKept();
}

bool HistoryDialog::wordsChanged() const {
    return !wordsOf_.isEmpty() && (title_->isModified() || note_->document()->isModified());
}

void HistoryDialog::setWordsKept() {
    title_->setModified(false);
    note_->document()->setModified(false);
}

void HistoryDialog::filter(const QString& words) {
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = list_->topLevelItem(row);
        const HistoryEntry& entry = entries_[item->data(kDate, kEntryRole).toULongLong()];
        QString all = entry.note + QLatin1Char('\n') + entry.file;
        for (int c = 0; c < kColumns; ++c) {
            all += QLatin1Char('\n') + item->text(c);
        }
        bool has = true;
        for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            has = has && all.contains(word, Qt::CaseInsensitive);
        }
        item->setHidden(!has);
    }
}

void HistoryDialog::saveWords() {
    if (!wordsOf_.isEmpty()) {
        setWordsKept();
        waiting_.push_back({wordsOf_, title_->text().trimmed(), note_->toPlainText().trimmed()});
        writeNext();
    }
}

void HistoryDialog::writeNext() {
    if (changeJob_.busy() || waiting_.empty()) {
        return;
    }
    changeJob_.start([words = waiting_.front()](
                         BackgroundJob::Link&) { return annotateStudy(words.path, words.title, words.note); },
                     [this](const Status& status) {
                         const Words written = waiting_.front();
                         waiting_.erase(waiting_.begin());
                         if (!status) {
                             closing_ = false;
                             unwritten_ = true;
                             state_->setText(QString::fromStdString(status.error().message));
                             title_->setModified(title_->isModified() || written.path == wordsOf_);
                             return writeNext();
                         }
                         if (!waiting_.empty()) {
                             return writeNext();
                         }
                         closing_ ? reject() : read();
                     });
}

void HistoryDialog::reject() {
    if (!unwritten_ && wordsChanged()) {
        saveWords();
    }
    // What can't be written is told, once.
    closing_ = changeJob_.busy();
    unwritten_ = false;
    if (!closing_) {
        QDialog::reject();
    }
}

HistoryDialog::~HistoryDialog() {
    if (wordsChanged()) {
        waiting_.push_back({wordsOf_, title_->text().trimmed(), note_->toPlainText().trimmed()});
    }
    // The first is being written already, if any is.
    const std::size_t begun = changeJob_.busy() && !waiting_.empty() ? 1 : 0;
    for (std::size_t i = begun; i < waiting_.size(); ++i) {
        QThreadPool::globalInstance()->start(
            [words = waiting_[i]] { static_cast<void>(annotateStudy(words.path, words.title, words.note)); });
    }
}

void HistoryDialog::askDelete() {
    const QStringList paths = selected();
    if (paths.isEmpty()) {
        return;
    }
    auto* question = new QMessageBox(
        QMessageBox::Question, tr("Delete"),
        paths.size() == 1 ? tr("Delete this study? It can't be brought back.")
                          : tr("Delete %1 studies? They can't be brought back.").arg(paths.size()),
        QMessageBox::Cancel, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    connect(yes, &QPushButton::clicked, this, [this, paths] { remove(paths); });
    question->open();
}

void HistoryDialog::remove(const QStringList& paths) {
    if (paths.contains(wordsOf_)) {
        setWordsKept();
    }
    deleteJob_.start(
        [paths](BackgroundJob::Link&) {
            QStringList left;
            for (const QString& path : paths) {
                QFile file(path);
                if (!file.remove() && file.exists()) {
                    left << QStringLiteral("%1: %2").arg(path, file.errorString());
                }
            }
            return left;
        },
        [this](const QStringList& left) {
            if (!left.isEmpty()) {
                state_->setText(tr("Not deleted: %1").arg(left.join(QStringLiteral("; "))));
                return;
            }
            read();
        });
}

QString HistoryDialog::said() const {
    return state_->text();
}

}  // namespace mmapscope
