#include "widgets/side_by_side_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "report/comparison.h"
#include "widgets/ratio_chart.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

constexpr int kMostDifferencesShown = 6;

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QTableWidget* makeTable(const QString& name, QWidget* parent) {
    auto* table = new QTableWidget(parent);
    table->setAccessibleName(name);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setAlternatingRowColors(true);
    table->verticalHeader()->hide();
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
            auto* item = new QTableWidgetItem(text(row[static_cast<std::size_t>(c)]));
            item->setTextAlignment(Qt::AlignVCenter | (column.right ? Qt::AlignRight : Qt::AlignLeft));
            item->setToolTip(item->text());
            table.setItem(r, c, item);
        }
    }
    table.resizeColumnsToContents();
}

/// As high as its rows, up to so many.
void fitHeight(QTableWidget& table, int most) {
    const int rows = std::min(table.rowCount(), most);
    const int row = table.rowCount() > 0 ? table.rowHeight(0) : table.fontMetrics().height();
    table.setMaximumHeight(table.horizontalHeader()->sizeHint().height() + rows * row +
                           2 * table.frameWidth() + row / 2);
}

std::vector<RatioBar> barsOf(const SideBySide& compared) {
    std::vector<RatioBar> bars;
    int arm = 0;
    for (const ComparedRow& row : compared.rows) {
        for (std::size_t side = 1; side < row.sides.size(); ++side) {
            if (const auto& change = row.sides[side].change) {
                const QString where = compared.sides.size() > 2
                                          ? QStringLiteral(" – ") + text(compared.sides[side].name)
                                          : QString();
                bars.push_back({arm, text(row.id) + where, change->interval, false});
            }
        }
        ++arm;
    }
    return bars;
}

}  // namespace

SideBySidePanel::SideBySidePanel(QWidget* parent)
    : QWidget(parent),
      same_(new QLabel(tr("Machines, settings and versions are the same as far as known."), this)),
      differences_(makeTable(tr("What the studies' machines and settings differ in"), this)),
      arms_(makeTable(tr("Each arm's change"), this)),
      chart_(new RatioChart(this)),
      words_(new QLabel(this)) {
    chart_->setAccessibleName(tr("Each arm's change with its interval; 1.00 is no change"));
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::PlainText);
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
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
    split->setStretchFactor(1, 1);
    auto* box = new QVBoxLayout(this);
    box->addWidget(same_);
    box->addWidget(differences_);
    box->addWidget(split, 1);
}

void SideBySidePanel::setComparison(const SideBySide& compared) {
    const SummaryTable differences = differencesTable(compared);
    fill(*differences_, differences);
    fitHeight(*differences_, kMostDifferencesShown);
    differences_->setVisible(!differences.rows.empty());
    same_->setVisible(differences.rows.empty());
    fill(*arms_, comparisonTable(compared));
    const auto bars = barsOf(compared);
    chart_->setBars(bars);
    chart_->setVisible(!bars.empty());
    QStringList lines;
    for (const std::string& line : comparisonSentences(compared)) {
        lines << text(line);
    }
    words_->setText(lines.join(QStringLiteral("\n\n")));
}

QString SideBySidePanel::words() const {
    return words_->text();
}

void SideBySidePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        chart_->setTheme(Theme::forPalette(palette()));
    }
}

}  // namespace mmapscope
