#include "app/gui/compare_window.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/message_line.h"
#include "core/text.h"
#include "report/comparison.h"
#include "report/study_file.h"
#include "report/summary_table.h"
#include "widgets/side_by_side_panel.h"

namespace mmapscope {
namespace {

enum Column { kName, kFile, kWhat, kColumns };
constexpr int kMostStudiesShown = 6;

Result<std::vector<ComparedFile>> readStudies(const std::vector<std::string>& paths) {
    std::vector<ComparedFile> files;
    const auto names = namesOfStudies(paths);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        auto study = loadStudy(paths[i]);
        if (!study) {
            return tl::unexpected(study.error());
        }
        files.push_back({{names[i], std::make_shared<const Study>(std::move(*study))}, paths[i]});
    }
    return files;
}

QString text(const std::string& outside) {
    return QString::fromStdString(printable(outside));
}

}  // namespace

CompareWindow::CompareWindow(std::shared_ptr<const Study> first, const QStringList& paths, QWidget* parent)
    : QDialog(parent),
      message_(new MessageLine(this)),
      studies_(new QTableWidget(this)),
      add_(new QPushButton(tr("&Add…"), this)),
      remove_(new QPushButton(tr("&Remove"), this)),
      makeFirst_(new QPushButton(tr("Make &first"), this)),
      state_(new QLabel(this)),
      panel_(new SideBySidePanel(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Close, this)) {
    setWindowTitle(tr("Studies side by side – mmapscope"));
    setWindowFlag(Qt::WindowMaximizeButtonHint);
    state_->setWordWrap(true);
    state_->setTextFormat(Qt::PlainText);
    makeStudies();
    makeButtons();
    auto* beside = new QVBoxLayout;
    for (QPushButton* button : {add_, makeFirst_, remove_}) {
        button->setAutoDefault(false);
        beside->addWidget(button);
    }
    beside->addStretch(1);
    auto* top = new QHBoxLayout;
    top->addWidget(studies_, 1);
    top->addLayout(beside);
    auto* box = new QVBoxLayout(this);
    box->addWidget(message_);
    box->addLayout(top);
    box->addWidget(state_);
    box->addWidget(panel_, 1);
    box->addWidget(buttons_);
    resize(fontMetrics().averageCharWidth() * 160, fontMetrics().height() * 52);
    if (first != nullptr) {
        listed_.push_back({{tr("open study").toStdString(), std::move(first)}, {}});
    }
    showStudies();
    add(paths);
}

void CompareWindow::makeStudies() {
    studies_->setColumnCount(kColumns);
    studies_->setHorizontalHeaderLabels({tr("name"), tr("file"), tr("what was measured")});
    studies_->horizontalHeader()->setStretchLastSection(true);
    studies_->horizontalHeader()->setHighlightSections(false);
    studies_->verticalHeader()->hide();
    studies_->verticalHeader()->setDefaultSectionSize(studies_->fontMetrics().height() + 10);
    studies_->setSelectionBehavior(QAbstractItemView::SelectRows);
    studies_->setSelectionMode(QAbstractItemView::SingleSelection);
    studies_->setTabKeyNavigation(false);
    studies_->setWordWrap(false);
    studies_->setAccessibleName(tr("Studies that are compared"));
    studies_->setAccessibleDescription(
        tr("The others are held against the first. Studies of one name are one side; F2 edits a name."));
    studies_->setToolTip(
        tr("The others are held against the first. Studies of one name are taken together as one "
           "side: three or more a side measure what two studies of the same thing differ by. "
           "Double-click or F2 edits a name."));
    connect(studies_, &QTableWidget::itemChanged, this,
            [this](const QTableWidgetItem* item) { rename(item->row(), item->text()); });
    connect(studies_, &QTableWidget::itemSelectionChanged, this, &CompareWindow::updateButtons);
    add_->setToolTip(tr("Put further studies beside these"));
    remove_->setToolTip(tr("Take the selected study out of the comparison; its file stays"));
    makeFirst_->setToolTip(tr("Hold the others against the selected study"));
    connect(add_, &QPushButton::clicked, this, &CompareWindow::askAdd);
    connect(remove_, &QPushButton::clicked, this, &CompareWindow::removeSelected);
    connect(makeFirst_, &QPushButton::clicked, this, &CompareWindow::makeSelectedFirst);
}

void CompareWindow::makeButtons() {
    auto* copy = buttons_->addButton(tr("&Copy as Markdown"), QDialogButtonBox::ActionRole);
    auto* save = buttons_->addButton(tr("&Save as"), QDialogButtonBox::ActionRole);
    takeAway_ = {copy, save};
    auto* menu = new QMenu(save);
    const auto item = [&](const QString& name, const QString& suffix, auto write) {
        connect(menu->addAction(name), &QAction::triggered, this,
                [this, suffix, write] { askSave(suffix, write); });
    };
    item(tr("&Markdown…"), QStringLiteral("md"), comparisonToMarkdown);
    item(tr("&CSV…"), QStringLiteral("csv"), comparisonToCsv);
    item(tr("&JSON…"), QStringLiteral("json"), comparisonToJson);
    save->setMenu(menu);
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(comparisonToMarkdown(*compared_)));
    });
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::close);
}

void CompareWindow::add(const QStringList& paths) {
    std::vector<std::string> files;
    for (const QString& path : paths) {
        files.push_back(path.toStdString());
    }
    if (compared_ == nullptr) {
        showState(tr("Reading the studies…"));
    }
    readJob_.start([files](BackgroundJob::Link&) { return readStudies(files); },
                   [this](Read read) { take(std::move(read)); });
    updateButtons();
}

void CompareWindow::take(Read read) {
    if (!read) {
        const QString error = QString::fromStdString(read.error().message);
        message_->showMessage(MessageLine::Kind::error, error);
        if (compared_ == nullptr) {
            showState(error);
        }
        updateButtons();
        emit ready();
        return;
    }
    message_->dismiss();
    for (ComparedFile& file : *read) {
        const std::string name = file.named.name;
        const auto taken = [&] {
            return std::any_of(listed_.begin(), listed_.end(), [&](const ComparedFile& listed) {
                return listed.named.name == file.named.name;
            });
        };
        for (unsigned turn = 2; taken(); ++turn) {
            file.named.name = name + " (" + std::to_string(turn) + ")";
        }
        listed_.push_back(std::move(file));
    }
    showStudies();
    compare();
}

void CompareWindow::showStudies() {
    const QSignalBlocker quiet(studies_);
    studies_->setRowCount(static_cast<int>(listed_.size()));
    for (int row = 0; row < studies_->rowCount(); ++row) {
        const ComparedFile& listed = listed_[static_cast<std::size_t>(row)];
        auto* name = new QTableWidgetItem(text(listed.named.name));
        auto* file =
            new QTableWidgetItem(listed.path.empty() ? tr("on show in the main window") : text(listed.path));
        auto* what = new QTableWidgetItem(text(planText(*listed.named.study)));
        for (QTableWidgetItem* fixed : {file, what}) {
            fixed->setFlags(fixed->flags() & ~Qt::ItemIsEditable);
        }
        QFont font = name->font();
        font.setBold(row == 0);
        name->setFont(font);
        studies_->setItem(row, kName, name);
        studies_->setItem(row, kFile, file);
        studies_->setItem(row, kWhat, what);
    }
    studies_->resizeColumnsToContents();
    const int shown = std::clamp(studies_->rowCount(), 2, kMostStudiesShown);
    const int rowHeight = studies_->verticalHeader()->defaultSectionSize();
    studies_->setFixedHeight(studies_->horizontalHeader()->sizeHint().height() + shown * rowHeight +
                             2 * studies_->frameWidth());
    updateButtons();
}

void CompareWindow::rename(int row, const QString& name) {
    std::string& listed = listed_[static_cast<std::size_t>(row)].named.name;
    if (const QString trimmed = name.trimmed(); !trimmed.isEmpty()) {
        listed = trimmed.toStdString();
    }
    const QSignalBlocker quiet(studies_);
    studies_->item(row, kName)->setText(text(listed));
    compare();
}

void CompareWindow::removeSelected() {
    if (const int row = studies_->currentRow(); row >= 0) {
        listed_.erase(listed_.begin() + row);
        showStudies();
        compare();
    }
}

void CompareWindow::makeSelectedFirst() {
    if (const int row = studies_->currentRow(); row > 0) {
        std::rotate(listed_.begin(), listed_.begin() + row, listed_.begin() + row + 1);
        showStudies();
        studies_->selectRow(0);
        compare();
    }
}

void CompareWindow::compare() {
    std::vector<NamedStudy> studies;
    for (const ComparedFile& listed : listed_) {
        studies.push_back(listed.named);
    }
    compareJob_.start([studies](BackgroundJob::Link&) { return compareStudies(studies); },
                      [this](Result<SideBySide> compared) { showComparison(std::move(compared)); });
}

void CompareWindow::showComparison(Result<SideBySide> compared) {
    compared_.reset();
    if (compared) {
        compared_ = std::make_shared<const SideBySide>(std::move(*compared));
        panel_->setComparison(compared_);
        showState({});
    } else {
        showState(QString::fromStdString(compared.error().message));
    }
    updateButtons();
    emit ready();
}

/// Words instead of the comparison; none: the comparison.
void CompareWindow::showState(const QString& words) {
    state_->setText(words);
    state_->setVisible(!words.isEmpty());
    panel_->setVisible(words.isEmpty());
}

void CompareWindow::updateButtons() {
    const int row = studies_->selectionModel()->hasSelection() ? studies_->currentRow() : -1;
    add_->setEnabled(!readJob_.busy());
    remove_->setEnabled(row >= 0 && !readJob_.busy());
    makeFirst_->setEnabled(row > 0 && !readJob_.busy());
    for (QPushButton* button : takeAway_) {
        button->setEnabled(compared_ != nullptr);
    }
}

void CompareWindow::askAdd() {
    auto* dialog = new QFileDialog(this, tr("Studies to put beside these"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilter(tr("Studies (*.mmapscope *.json)"));
    connect(dialog, &QFileDialog::filesSelected, this, &CompareWindow::add);
    dialog->open();
}

void CompareWindow::askSave(const QString& suffix, std::string (*write)(const SideBySide&)) {
    auto* dialog = new QFileDialog(this, tr("Save the comparison"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(QStringLiteral("*.") + suffix);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QStringLiteral("comparison.") + suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, write](const QString& path) { saveAs(write, path); });
    dialog->open();
}

void CompareWindow::saveAs(std::string (*write)(const SideBySide&), const QString& path) {
    if (compared_ == nullptr) {
        return;
    }
    saveJob_.start([compared = compared_, files = listed_, write, file = path.toStdString()](
                       BackgroundJob::Link&) { return exportComparison(files, write(*compared), file); },
                   [this, path](const Status& status) {
                       if (!status) {
                           message_->showMessage(MessageLine::Kind::error,
                                                 QString::fromStdString(status.error().message));
                           return;
                       }
                       message_->showMessage(MessageLine::Kind::note, tr("Written: %1").arg(path));
                       emit saved(path);
                   });
}

QString CompareWindow::problem() const {
    return compared_ == nullptr ? state_->text() : QString();
}

}  // namespace mmapscope
