#include "app/gui/arms_panel.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "app/gui/how_panel.h"
#include "app/gui/parameter_delegate.h"
#include "app/gui/parameter_file.h"
#include "app/gui/parameter_text.h"
#include "app/gui/parameters_model.h"
#include "source/folder.h"

namespace mmapscope {

/// What only the file and the machine can tell, asked on a pool thread.
struct ArmsPanel::Answers {
    std::string workload;  ///< the file as the workload sees it, or why it can't use it
    bool usable = false;
    std::vector<Availability> arms;
};

namespace {

/// The file as the workload sees it. Error: what makes it unfit, or unfit to be cut for so many threads.
Result<std::string> sentenceOf(const WorkloadType& type, const FileFacts& file, const Parameters& parameters,
                               Bytes end, unsigned threads) {
    const auto resolved = resolveFor(type, file, parameters);
    if (!resolved) {
        return tl::unexpected(resolved.error());
    }
    const auto limit = end < file.bytes ? type.fitLimit(file, *resolved, end) : Result<Bytes>(end);
    if (!limit) {
        return tl::unexpected(limit.error());
    }
    if (const auto parts = type.split(file, *resolved, *limit, threads); !parts) {
        return tl::unexpected(parts.error());
    }
    return type.describe(file, *resolved);
}

}  // namespace

ArmsPanel::ArmsPanel(QWidget* parent)
    : QWidget(parent), model_(new ArmsModel(allSources(), this)), workloadModel_(new ParametersModel(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(6);
    buildWorkloadPart();
    buildTree();
    connect(model_, &ArmsModel::rejected, this, &ArmsPanel::rejected);
    connect(model_, &ArmsModel::queriesChanged, this, &ArmsPanel::ask);
    connect(model_, &ArmsModel::choiceChanged, this, &ArmsPanel::changed);
    connect(model_, &ArmsModel::choiceChanged, this,
            [this] { why_->setVisible(target_ && !model_->touched() && !why_->text().isEmpty()); });
    connect(model_, &ArmsModel::dataChanged, this, &ArmsPanel::showCurrent);
    connect(workloadModel_, &ParametersModel::rejected, this, &ArmsPanel::rejected);
    connect(workloadModel_, &ParametersModel::dataChanged, this, &ArmsPanel::ask);
    connect(workload_, &QComboBox::currentIndexChanged, this, &ArmsPanel::workloadChosen);
    workloadChosen();
}

void ArmsPanel::buildWorkloadPart() {
    workload_ = new QComboBox;
    workload_->setObjectName(QStringLiteral("workload"));
    workload_->setAccessibleName(tr("Workload"));
    workload_->setToolTip(
        tr("What is done with the bytes: the same for every arm, and every arm must compute the "
           "same"));
    for (const WorkloadType* type : allWorkloads()) {
        workload_->addItem(toQString(type->id));
        workload_->setItemData(workload_->count() - 1, toQString(type->summary), Qt::ToolTipRole);
    }
    auto* caption = new QLabel(tr("&Workload"));
    caption->setBuddy(workload_);
    optionsButton_ = new QToolButton;
    optionsButton_->setObjectName(QStringLiteral("workloadOptionsButton"));
    optionsButton_->setText(tr("Options"));
    optionsButton_->setCheckable(true);
    optionsButton_->setArrowType(Qt::RightArrow);
    optionsButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    optionsButton_->setAutoRaise(true);
    optionsButton_->setToolTip(tr("The workload's parameters"));

    options_ = new QTreeView;
    options_->setObjectName(QStringLiteral("workloadOptions"));
    options_->setAccessibleName(tr("Workload parameters"));
    options_->setModel(workloadModel_);
    editIn(options_);
    options_->setHeaderHidden(true);
    options_->setRootIsDecorated(false);
    options_->setEditTriggers(QAbstractItemView::AllEditTriggers);
    options_->setVisible(false);
    connect(optionsButton_, &QToolButton::toggled, this, [this](bool open) {
        optionsButton_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        options_->setVisible(open);
    });

    verdict_ = new QLabel;
    verdict_->setObjectName(QStringLiteral("workloadVerdict"));
    verdict_->setWordWrap(true);
    verdict_->setTextFormat(Qt::PlainText);
    verdict_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    verdict_->hide();

    why_ = new QLabel;
    why_->setObjectName(QStringLiteral("preselectionReason"));
    why_->setWordWrap(true);
    why_->setTextFormat(Qt::PlainText);
    why_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    why_->hide();

    auto* row = new QHBoxLayout;
    row->addWidget(caption);
    row->addWidget(workload_, 1);
    row->addWidget(optionsButton_);
    auto* box = static_cast<QVBoxLayout*>(layout());
    box->addLayout(row);
    box->addWidget(options_);
    box->addWidget(verdict_);
    box->addWidget(why_);
}

void ArmsPanel::editIn(QTreeView* view) {
    auto* delegate = new ParameterDelegate(view);
    view->setItemDelegate(delegate);
    connect(delegate, &ParameterDelegate::fileWanted, this, [this](const QModelIndex& cell) {
        const QString target = target_ ? QString::fromStdString(target_->file.path) : QString();
        chooseParameterFile(window(), cell, QFileInfo(target).path());
    });
}

void ArmsPanel::buildTree() {
    tree_ = new QTreeView;
    tree_->setObjectName(QStringLiteral("arms"));
    tree_->setAccessibleName(tr("Sources"));
    tree_->setModel(model_);
    editIn(tree_);
    tree_->setUniformRowHeights(true);
    tree_->setAllColumnsShowFocus(true);
    tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    QHeaderView* header = tree_->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(ArmsModel::kArm, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(ArmsModel::kValue, QHeaderView::Stretch);
    header->setSectionResizeMode(ArmsModel::kHow, QHeaderView::ResizeToContents);
    header->setMinimumSectionSize(12);

    how_ = new HowPanel;
    again_ = new QToolButton;
    again_->setObjectName(QStringLiteral("addAgain"));
    again_->setText(tr("Add again"));
    again_->setToolTip(tr("The same source once more, to be given other parameters"));
    remove_ = new QToolButton;
    remove_->setObjectName(QStringLiteral("removeArm"));
    remove_->setText(tr("Remove"));
    remove_->setToolTip(tr("Takes away an arm that was added again"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(again_);
    buttons->addWidget(remove_);
    buttons->addStretch(1);
    auto* box = static_cast<QVBoxLayout*>(layout());
    box->addWidget(tree_, 1);
    box->addLayout(buttons);
    box->addWidget(how_);

    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ArmsPanel::showCurrent);
    const auto explain = [this](const QModelIndex& index) {
        if (!index.data(ArmsModel::kAvailable).toBool()) {
            how_->focusCommand();
        }
    };
    connect(tree_, &QTreeView::clicked, this, [this, explain](const QModelIndex& index) {
        if (index.column() == ArmsModel::kHow) {
            explain(index);
        } else if (index.column() == ArmsModel::kValue && index.flags().testFlag(Qt::ItemIsEditable)) {
            tree_->edit(index);
        } else if (index.column() == ArmsModel::kValue) {
            // Several parameters are edited each in a row of its own.
            const QModelIndex arm = index.siblingAtColumn(ArmsModel::kArm);
            tree_->setExpanded(arm, !tree_->isExpanded(arm));
        }
    });
    connect(tree_, &QTreeView::activated, this, explain);
    connect(again_, &QToolButton::clicked, this, [this] {
        const QModelIndex added = model_->addAgain(tree_->currentIndex());
        tree_->setCurrentIndex(added);
        tree_->edit(added.siblingAtColumn(ArmsModel::kValue));
    });
    connect(remove_, &QToolButton::clicked, this, [this] { model_->remove(tree_->currentIndex()); });
    showCurrent();
}

const WorkloadType& ArmsPanel::workload() const {
    return *allWorkloads()[static_cast<std::size_t>(std::max(0, workload_->currentIndex()))];
}

const Parameters& ArmsPanel::workloadParameters() const {
    return workloadModel_->values();
}

void ArmsPanel::setTarget(const TargetFacts& target) {
    const bool first = !target_;
    target_ = target;
    const int index = workload_->findText(QString::fromStdString(target.workload));
    if (index >= 0 && index != workload_->currentIndex()) {
        workload_->setCurrentIndex(index);  // preselects
    } else if (first || !model_->touched()) {
        preselect();
    } else {
        ask();
    }
}

void ArmsPanel::copyFrom(const ArmsPanel& other) {
    if (!other.target_) {
        return;
    }
    setTarget(*other.target_);
    workload_->setCurrentIndex(other.workload_->currentIndex());
    workloadModel_->setValues(other.workloadParameters());
    model_->choose(other.model_->chosen(1));
}

void ArmsPanel::setThreadsAndLimit(unsigned threads, std::optional<Bytes> limit) {
    if (threads != threads_ || limit != limit_) {
        threads_ = threads;
        limit_ = limit;
        ask();
    }
}

void ArmsPanel::workloadChosen() {
    workloadModel_->setSpecs(workload().parameters);
    const bool any = workloadModel_->rowCount() > 0;
    optionsButton_->setVisible(any);
    options_->setVisible(any && optionsButton_->isChecked());
    options_->resizeColumnToContents(0);
    options_->setFixedHeight(options_->sizeHintForRow(0) * workloadModel_->rowCount() +
                             2 * options_->frameWidth());
    workload_->setAccessibleDescription(toQString(workload().summary));
    preselect();
}

void ArmsPanel::preselect() {
    if (target_) {
        const FileFacts& file = target_->file;
        const PreselectionRow& row = preselectionFor(file.storage);
        why_->setText(
            tr("Ticked for %1 storage: %2.").arg(toQString(name(file.storage)), toQString(row.reason)));
        why_->setToolTip(
            tr("%1\nAfter: %2").arg(QString::fromStdString(file.storageReason), toQString(row.basis)));
        model_->preselect(choicesFor(file, workload().id, thisMachine().memory));
    }
}

void ArmsPanel::ask() {
    ready_ = false;
    emit changed();
    if (!target_) {
        return;
    }
    const Bytes end = std::min(limit_.value_or(target_->file.bytes), target_->file.bytes);
    askJob_.start(
        [file = target_->file, end, threads = threads_, type = &workload(), parameters = workloadParameters(),
         queries = model_->queries()](BackgroundJob::Link&) {
            Answers answers;
            const auto sentence = sentenceOf(*type, file, parameters, end, threads);
            answers.usable = sentence.has_value();
            answers.workload = sentence ? *sentence : sentence.error().message;
            for (const ArmQuery& query : queries) {
                answers.arms.push_back(
                    availabilityFor(*query.source, file, query.parameters, {Bytes(0), end}, threads));
            }
            return answers;
        },
        [this](const Answers& answers) { take(answers); });
}

void ArmsPanel::take(const Answers& answers) {
    ready_ = answers.usable;
    const bool told = answers.workload == target_->description;  // Target says it already
    verdict_->setText(QString::fromStdString(answers.workload));
    verdict_->setVisible(!answers.workload.empty() && !(answers.usable && told));
    model_->setAvailability(answers.arms);
    emit changed();
}

void ArmsPanel::showCurrent() {
    const QModelIndex current = tree_->currentIndex();
    again_->setEnabled(current.isValid());
    remove_->setEnabled(model_->removable(current));
    if (!current.isValid()) {
        how_->showArm(tr("Tick the sources to compare; the first ticked one is the baseline."), {}, {});
        return;
    }
    const QModelIndex arm =
        current.parent().isValid() ? current.parent() : current.siblingAtColumn(ArmsModel::kArm);
    const QString mechanism = current.parent().isValid()
                                  ? current.siblingAtColumn(ArmsModel::kArm).data(Qt::ToolTipRole).toString()
                                  : arm.data(Qt::ToolTipRole).toString();
    how_->showArm(mechanism, arm.data(ArmsModel::kReason).toString(),
                  arm.data(ArmsModel::kUnlock).toString());
}

}  // namespace mmapscope
