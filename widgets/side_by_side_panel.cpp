#include "widgets/side_by_side_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/text.h"
#include "report/comparison.h"
#include "widgets/glyphs.h"
#include "widgets/ratio_chart.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

constexpr int kMostDifferencesShown = 6;
constexpr int kMostArmsShown = 8;

QString text(const std::string& outside) {
    return QString::fromStdString(printable(outside));
}

QString nameOf(const ComparedSide& side) {
    constexpr qsizetype kLongest = 24;
    const QString name = text(side.name);
    return name.size() <= kLongest ? name : name.left(kLongest - 1) + u'…';
}

/// Taken literally by tool tips, which else guess whether they are HTML.
QString plainToolTip(const QString& words) {
    return QStringLiteral("<p>%1</p>").arg(words.toHtmlEscaped());
}

QTableWidget* makeTable(const QString& name, QWidget* parent) {
    auto* table = new QTableWidget(parent);
    table->setAccessibleName(name);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setAlternatingRowColors(true);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 10);
    table->horizontalHeader()->setHighlightSections(false);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setWordWrap(false);
    return table;
}

void fill(QTableWidget& table, const SummaryTable& content) {
    table.clear();
    table.setColumnCount(static_cast<int>(content.columns.size()));
    table.setRowCount(static_cast<int>(content.rows.size()));
    for (int c = 0; c < table.columnCount(); ++c) {
        const TableColumn& column = content.columns[static_cast<std::size_t>(c)];
        const QString unit = text(column.unit);
        auto* title = new QTableWidgetItem(unit.isEmpty() ? text(column.title)
                                                          : text(column.title) + QLatin1Char('\n') + unit);
        title->setTextAlignment(Qt::AlignVCenter | (column.right ? Qt::AlignRight : Qt::AlignLeft));
        table.setHorizontalHeaderItem(c, title);
        for (int r = 0; r < table.rowCount(); ++r) {
            const auto& row = content.rows[static_cast<std::size_t>(r)];
            auto* item = new QTableWidgetItem(QString::fromStdString(row[static_cast<std::size_t>(c)]));
            item->setTextAlignment(Qt::AlignVCenter | (column.right ? Qt::AlignRight : Qt::AlignLeft));
            item->setToolTip(plainToolTip(item->text()));
            table.setItem(r, c, item);
        }
    }
    table.resizeColumnsToContents();
}

/// As high as its rows, up to so many; never less than `least` of them.
void fitHeight(QTableWidget& table, int least, int most) {
    const int row = table.verticalHeader()->defaultSectionSize();
    const int frame = table.horizontalHeader()->sizeHint().height() + 2 * table.frameWidth() +
                      table.horizontalScrollBar()->sizeHint().height();
    table.setMinimumHeight(frame + row * std::min(table.rowCount(), least));
    table.setMaximumHeight(frame + row * std::min(table.rowCount(), most));
}

/// One under the other by arm, each side in its colour and with its marker.
std::vector<RatioBar> barsOf(const SideBySide& compared) {
    std::vector<RatioBar> bars;
    for (const ComparedRow& row : compared.rows) {
        for (std::size_t side = 1; side < row.sides.size(); ++side) {
            if (!compared.sides[side].refusal.empty()) {
                continue;
            }
            RatioBar bar;
            bar.arm = static_cast<int>(side);
            bar.isDot = true;
            bar.id = compared.sides.size() > 2
                         ? SideBySidePanel::tr("%1 – %2").arg(text(row.id), nameOf(compared.sides[side]))
                         : text(row.id);
            if (const auto& change = row.sides[side].change) {
                bar.interval = change->interval;
            }
            bars.push_back(std::move(bar));
        }
    }
    return bars;
}

/// Columns of comparisonTable: the arm, the first side's throughput, then three a side.
int rateColumn(std::size_t side) {
    return side == 0 ? 1 : static_cast<int>(3 * side - 1);
}

}  // namespace

SideBySidePanel::SideBySidePanel(QWidget* parent)
    : QWidget(parent),
      same_(new QLabel(tr("Machines, settings and versions are the same as far as known."), this)),
      differences_(makeTable(tr("What the studies' machines and settings differ in"), this)),
      refusals_(new QLabel(this)),
      arms_(makeTable(tr("Each arm's change"), this)),
      chart_(new RatioChart(this)),
      words_(new QLabel(this)) {
    chart_->setAccessibleName(tr("Each arm's change with its interval; 1.00 is no change"));
    for (QLabel* label : {refusals_, words_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    refusals_->setAccessibleName(tr("Studies that can't be compared"));
    words_->setAccessibleName(tr("What the comparison says"));
    words_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    words_->setMargin(6);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(words_);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(arms_);
    split->addWidget(chart_);
    split->addWidget(scroll);
    split->setChildrenCollapsible(false);
    split->setStretchFactor(1, 3);
    split->setStretchFactor(2, 2);
    auto* box = new QVBoxLayout(this);
    box->addWidget(same_);
    box->addWidget(differences_);
    box->addWidget(refusals_);
    box->addWidget(split, 1);
}

void SideBySidePanel::setComparison(std::shared_ptr<const SideBySide> compared) {
    compared_ = std::move(compared);
    const SummaryTable differences = differencesTable(*compared_);
    fill(*differences_, differences);
    fitHeight(*differences_, 2, kMostDifferencesShown);
    differences_->setVisible(!differences.rows.empty());
    same_->setVisible(differences.rows.empty());
    fill(*arms_, comparisonTable(*compared_));
    addReasons();
    fitHeight(*arms_, 4, kMostArmsShown);
    const auto bars = barsOf(*compared_);
    chart_->setBars(bars, nameOf(compared_->sides.front()));
    chart_->setVisible(compared_->hasChanges());
    QStringList refusals;
    for (const ComparedSide& side : compared_->sides) {
        if (!side.refusal.empty()) {
            refusals << tr("Not comparable: %1 – %2").arg(text(side.name), text(side.refusal));
        }
    }
    refusals_->setText(refusals.join(u'\n'));
    refusals_->setVisible(!refusals.isEmpty());
    QStringList lines;
    for (const std::string& line : comparisonSentences(*compared_)) {
        lines << QString::fromStdString(line);
    }
    words_->setText(lines.join(QStringLiteral("\n\n")));
    restyle();
}

/// Where there is no verdict, its cells say why.
void SideBySidePanel::addReasons() {
    for (int row = 0; row < arms_->rowCount(); ++row) {
        for (std::size_t side = 1; side < compared_->sides.size(); ++side) {
            const ComparedArm& arm = compared_->rows[static_cast<std::size_t>(row)].sides[side];
            const std::string& refusal = compared_->sides[side].refusal;
            const QString reason = text(refusal.empty() ? arm.reason : refusal);
            for (int column = rateColumn(side); column < rateColumn(side) + 3 && !reason.isEmpty();
                 ++column) {
                arms_->item(row, column)->setToolTip(plainToolTip(reason));
                arms_->item(row, column)->setData(Qt::AccessibleDescriptionRole, reason);
            }
        }
    }
}

void SideBySidePanel::restyle() {
    const Theme theme = Theme::forPalette(palette());
    chart_->setTheme(theme);
    QPalette refused = refusals_->palette();
    refused.setColor(QPalette::WindowText, theme.bad());
    refusals_->setPalette(refused);
    if (compared_ == nullptr) {
        return;
    }
    for (std::size_t side = 1; side < compared_->sides.size(); ++side) {
        const int verdict = rateColumn(side) + 2;
        const auto index = static_cast<int>(side);
        arms_->horizontalHeaderItem(verdict)->setIcon(
            lineSample(theme.armPen(index), theme.armMarker(index), devicePixelRatioF()));
        for (int row = 0; row < arms_->rowCount(); ++row) {
            const auto& change = compared_->rows[static_cast<std::size_t>(row)].sides[side].change;
            QColor color = change ? theme.text() : theme.mutedText();
            if (change && change->verdict == Verdict::slower) {
                color = theme.bad();
            } else if (change && change->verdict == Verdict::faster) {
                color = theme.good();
            }
            arms_->item(row, verdict)->setForeground(color);
        }
    }
    arms_->resizeColumnsToContents();
}

QString SideBySidePanel::words() const {
    return words_->text();
}

void SideBySidePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

}  // namespace mmapscope
