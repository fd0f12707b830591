#include "widgets/compare_panel.h"

#include <QAction>
#include <QClipboard>
#include <QDataStream>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "report/summary_table.h"
#include "study/arm_figures.h"
#include "widgets/outcome_words.h"
#include "widgets/ratio_chart.h"
#include "widgets/summary_sorter.h"
#include "widgets/why_section.h"

namespace mmapscope {

class ComparePanel::Private {
  public:
    explicit Private(ComparePanel* panel);

    void showChart(const Study& study);
    void showNotes(const Study& study);
    void fitToContents();
    void restyle();
    void chooseBaseline(const QModelIndex& index);
    void fillColumnMenu(QMenu& menu);
    void rowMenu(const QPoint& position);

    ComparePanel* q_;
    Theme theme_;
    SummaryModel* model_;
    SummarySorter* sorter_;
    QTableView* table_;
    RatioChart* chart_;
    WhySection* why_;
    QLabel* plan_;  ///< what was measured and how
    QLabel* outcome_;
    QLabel* warnings_;
    QLabel* reasons_;  ///< why arms have no rank, and figures none
    QPushButton* baseline_;
    bool outcomeGood_ = true;
    std::ptrdiff_t fitted_ = 0;  ///< ranked arms when the columns were last fitted
    Study shown_;                ///< arms and summary only
};

ComparePanel::Private::Private(ComparePanel* panel)
    : q_(panel),
      model_(new SummaryModel(panel)),
      sorter_(new SummarySorter(panel)),
      table_(new QTableView(panel)),
      chart_(new RatioChart(panel)),
      why_(new WhySection(panel)),
      plan_(new QLabel(panel)),
      outcome_(new QLabel(panel)),
      warnings_(new QLabel(panel)),
      reasons_(new QLabel(panel)),
      baseline_(new QPushButton(tr("Use as &baseline"), panel)) {
    sorter_->setSourceModel(model_);
    table_->setModel(sorter_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setIconSize(QSize(30, 12));
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setAccessibleName(tr("Arms of the study"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 10);
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::DescendingOrder);
    table_->setSortingEnabled(true);

    for (const auto& [label, accessibleName] : {std::pair{plan_, tr("What was measured")},
                                                {outcome_, tr("Outcome check")},
                                                {warnings_, tr("Warnings")},
                                                {reasons_, tr("Arms without a rank, and notes")}}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setAccessibleName(accessibleName);
    }

    auto* columns = new QToolButton(q_);
    columns->setText(tr("&Columns"));
    columns->setPopupMode(QToolButton::InstantPopup);
    columns->setToolTip(tr("Choose the columns (or right-click on the header)"));
    auto* columnMenu = new QMenu(columns);
    connect(columnMenu, &QMenu::aboutToShow, q_, [this, columnMenu] {
        columnMenu->clear();
        fillColumnMenu(*columnMenu);
    });
    columns->setMenu(columnMenu);
    auto* copy = new QPushButton(tr("Copy &table"), q_);
    copy->setToolTip(tr("Copy the table as shown, tab-separated, for a spreadsheet"));
    baseline_->setToolTip(tr("Compare all arms with the selected one (or double-click its row)"));
    baseline_->setEnabled(false);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(baseline_);
    buttons->addStretch(1);
    buttons->addWidget(columns);
    buttons->addWidget(copy);
    auto* layout = new QVBoxLayout(q_);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(plan_);
    layout->addWidget(outcome_);
    layout->addWidget(warnings_);
    layout->addWidget(table_, 3);
    layout->addWidget(reasons_);
    layout->addLayout(buttons);
    auto* pictures = new QWidget(q_);
    auto* stack = new QVBoxLayout(pictures);
    stack->setContentsMargins(0, 0, 0, 0);
    stack->addWidget(chart_);
    stack->addWidget(why_);
    stack->addStretch(1);
    auto* scroll = new QScrollArea(q_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::StrongFocus);
    scroll->setAccessibleName(tr("Ratios, and where the time went"));
    scroll->setWidget(pictures);
    layout->addWidget(scroll, 3);

    connect(table_, &QTableView::doubleClicked, q_,
            [this](const QModelIndex& index) { chooseBaseline(index); });
    connect(table_, &QTableView::customContextMenuRequested, q_, [this](const QPoint& at) { rowMenu(at); });
    connect(baseline_, &QPushButton::clicked, q_, [this] { chooseBaseline(table_->currentIndex()); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, q_,
            [this] { baseline_->setEnabled(q_->selectedArm().has_value()); });
    connect(copy, &QPushButton::clicked, q_, [this] { QGuiApplication::clipboard()->setText(q_->toTsv()); });
    connect(header, &QHeaderView::customContextMenuRequested, q_, [this, header](const QPoint& at) {
        QMenu menu;
        fillColumnMenu(menu);
        menu.exec(header->mapToGlobal(at));
    });
    connect(sorter_, &QAbstractItemModel::layoutChanged, q_, [this] { showChart(shown_); });
    auto* copyAction = new QAction(table_);
    copyAction->setShortcut(QKeySequence::Copy);
    copyAction->setShortcutContext(Qt::WidgetShortcut);
    connect(copyAction, &QAction::triggered, copy, &QPushButton::click);
    table_->addAction(copyAction);
    restyle();
}

void ComparePanel::Private::fillColumnMenu(QMenu& menu) {
    for (int column = 1; column < SummaryModel::kColumnCount; ++column) {
        QAction* action =
            menu.addAction(model_->headerData(column, Qt::Horizontal, Qt::AccessibleTextRole).toString());
        action->setCheckable(true);
        action->setChecked(!table_->isColumnHidden(column));
        connect(action, &QAction::toggled, table_,
                [this, column](bool shown) { table_->setColumnHidden(column, !shown); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Show all")), &QAction::triggered, table_, [this] {
        for (int column = 0; column < SummaryModel::kColumnCount; ++column) {
            table_->setColumnHidden(column, false);
        }
    });
}

void ComparePanel::Private::rowMenu(const QPoint& position) {
    const QModelIndex index = table_->indexAt(position);
    QMenu menu;
    QAction* baseline = menu.addAction(tr("Use as baseline"));
    baseline->setEnabled(index.isValid());
    QAction* copy = menu.addAction(tr("Copy table"));
    const QAction* chosen = menu.exec(table_->viewport()->mapToGlobal(position));
    if (chosen == baseline) {
        chooseBaseline(index);
    } else if (chosen == copy) {
        QGuiApplication::clipboard()->setText(q_->toTsv());
    }
}

void ComparePanel::Private::chooseBaseline(const QModelIndex& index) {
    if (index.isValid()) {
        emit q_->baselineChosen(index.data(SummaryModel::kArmRole).toUInt());
    }
}

void ComparePanel::Private::showChart(const Study& study) {
    std::vector<RatioBar> bars;
    for (int row = 0; row < sorter_->rowCount(); ++row) {
        const auto arm = sorter_->index(row, 0).data(SummaryModel::kArmRole).toUInt();
        RatioBar bar;
        bar.arm = static_cast<int>(arm);
        bar.id = sorter_->index(row, SummaryModel::kArm).data().toString();
        for (const ArmSummary& summary : study.summary) {
            if (summary.arm != arm) {
                continue;
            }
            bar.isBaseline = summary.verdict == Verdict::baseline;
            if (!bar.isBaseline && summary.ratio && summary.ratioLow && summary.ratioHigh) {
                bar.interval = RatioInterval{*summary.ratio, *summary.ratioLow, *summary.ratioHigh};
            }
        }
        bars.push_back(std::move(bar));
    }
    chart_->setBars(std::move(bars));
}

void ComparePanel::Private::showNotes(const Study& study) {
    const auto fill = [](QLabel* label, const QStringList& lines) {
        label->setText(lines.join(u'\n'));
        label->setVisible(!lines.isEmpty());
    };
    QStringList warnings;
    for (const std::string& warning : study.warnings) {
        warnings << tr("⚠ %1").arg(QString::fromStdString(warning));
    }
    fill(warnings_, warnings);
    QStringList reasons;
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (const QString reason = model_->index(row, 0).data(SummaryModel::kReasonRole).toString();
            !reason.isEmpty()) {
            reasons << tr("%1 has no rank: %2").arg(model_->index(row, 0).data().toString(), reason);
        }
    }
    std::vector<ArmFigures> figures;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        figures.push_back(figuresOf(study, arm));
    }
    if (const std::string note = splitNote(figures); !note.empty()) {
        reasons << tr("Note: %1").arg(QString::fromStdString(note));
    }
    fill(reasons_, reasons);
    fill(plan_, study.arms.empty() ? QStringList() : QStringList(QString::fromStdString(planText(study))));
    const OutcomeWords outcome = outcomeWords(study);
    outcomeGood_ = outcome.good;
    fill(outcome_, outcome.text.isEmpty() ? QStringList() : QStringList(outcome.text));
}

void ComparePanel::Private::fitToContents() {
    constexpr int kWidestVerdict = 220;  // a long reason is written out under the table
    table_->resizeColumnsToContents();
    for (int column = 0; column < SummaryModel::kColumnCount; ++column) {
        table_->setColumnWidth(column, table_->columnWidth(column) + 8);
    }
    table_->setColumnWidth(SummaryModel::kVerdict,
                           std::min(table_->columnWidth(SummaryModel::kVerdict), kWidestVerdict));
    // The table as high as its rows, so that the picture follows it at once.
    const int row = table_->verticalHeader()->defaultSectionSize();
    const int frame = table_->horizontalHeader()->sizeHint().height() + 2 * table_->frameWidth() +
                      table_->horizontalScrollBar()->sizeHint().height();
    table_->setMaximumHeight(frame + row * std::max(2, model_->rowCount()));
    table_->setMinimumHeight(frame + row * std::clamp(model_->rowCount(), 2, 5));
}

void ComparePanel::Private::restyle() {
    theme_ = Theme::forPalette(q_->palette());
    model_->setTheme(theme_);
    chart_->setTheme(theme_);
    why_->setTheme(theme_);
    const auto colour = [](QLabel* label, const QColor& color) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, color);
        label->setPalette(palette);
    };
    colour(outcome_, outcomeGood_ ? theme_.good() : theme_.bad());
    colour(warnings_, theme_.warning());
    colour(reasons_, theme_.mutedText());
    colour(plan_, theme_.mutedText());
}

ComparePanel::ComparePanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    clear();
}

ComparePanel::~ComparePanel() = default;

void ComparePanel::setStudy(const Study& study) {
    const bool sameArms =
        std::equal(study.arms.begin(), study.arms.end(), d_->shown_.arms.begin(), d_->shown_.arms.end(),
                   [](const Arm& a, const Arm& b) { return a.id == b.id; });
    d_->shown_.arms = study.arms;
    d_->shown_.summary = study.summary;
    d_->model_->setStudy(study);
    d_->showNotes(study);
    d_->showChart(d_->shown_);
    d_->why_->setStudy(study);
    d_->restyle();
    // The first figures need wider columns than the dashes before them, and verdicts narrower ones than
    // reasons.
    const auto figures = std::count_if(study.summary.begin(), study.summary.end(), [](const ArmSummary& arm) {
        return arm.medianWall && arm.verdict != Verdict::unranked;
    });
    if (!sameArms || figures != d_->fitted_) {
        d_->fitted_ = figures;
        d_->fitToContents();
    }
}

void ComparePanel::clear() {
    d_->shown_ = Study();
    d_->fitted_ = 0;
    d_->model_->clear();
    d_->showNotes(d_->shown_);
    d_->showChart(d_->shown_);
    d_->why_->setStudy(d_->shown_);
}

void ComparePanel::setWhyStage(WhyStage stage, double fraction) {
    d_->why_->setStage(stage, fraction);
}

std::optional<std::uint32_t> ComparePanel::selectedArm() const {
    const QModelIndexList rows = d_->table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? std::nullopt
                          : std::optional<std::uint32_t>(rows.front().data(SummaryModel::kArmRole).toUInt());
}

QString ComparePanel::toTsv() const {
    const QHeaderView* header = d_->table_->horizontalHeader();
    std::vector<int> columns;
    for (int visual = 0; visual < header->count(); ++visual) {
        if (const int column = header->logicalIndex(visual); !header->isSectionHidden(column)) {
            columns.push_back(column);
        }
    }
    const auto clean = [](QString text) { return text.replace(u'\t', u' ').replace(u'\n', u' '); };
    QStringList lines;
    for (int row = -1; row < d_->sorter_->rowCount(); ++row) {
        QStringList cells;
        for (const int column : columns) {
            cells << clean(row < 0
                               ? d_->model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                               : d_->sorter_->index(row, column).data().toString());
        }
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

QByteArray ComparePanel::columnState() const {
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << static_cast<qint32>(SummaryModel::kColumnCount) << d_->table_->horizontalHeader()->saveState();
    return state;
}

bool ComparePanel::restoreColumnState(const QByteArray& state) {
    QDataStream stream(state);
    qint32 columns = 0;
    QByteArray header;
    stream >> columns >> header;
    // Another version had other columns: its order means nothing here.
    return stream.status() == QDataStream::Ok && columns == SummaryModel::kColumnCount &&
           d_->table_->horizontalHeader()->restoreState(header);
}

SummaryModel* ComparePanel::model() const {
    return d_->model_;
}

QTableView* ComparePanel::table() const {
    return d_->table_;
}

WhyChart* ComparePanel::whyChart() const {
    return d_->why_->chart();
}

QCustomPlot* ComparePanel::ratioPlot() const {
    return d_->chart_;
}

void ComparePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        d_->restyle();
    }
}

}  // namespace mmapscope
