#include "widgets/residency_section.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/residency_history_view.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

constexpr int kMostHeight = 210;  ///< the plots are what Live is for

}  // namespace

ResidencySection::ResidencySection(QWidget* parent)
    : KernelSection(tr("Page cache before, during and after each inspection run"), false, parent),
      scroll_(new QScrollArea(this)),
      inside_(new QWidget),
      layout_(new QVBoxLayout(inside_)),
      none_(new QLabel(inside_)) {
    layout_->setContentsMargins(0, 0, 6, 0);
    layout_->setSpacing(2);
    none_->setWordWrap(true);
    layout_->addWidget(none_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setAccessibleName(tr("Page cache of each arm"));
    scroll_->setWidget(inside_);
    addWidget(scroll_);
    clear();
}

ResidencySection::Row& ResidencySection::rowOf(std::uint32_t arm) {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.arm >= arm; });
    if (at != rows_.end() && at->arm == arm) {
        return *at;
    }
    Row row{arm, new QLabel(inside_), new ResidencyHistoryView(inside_)};
    row.name->setTextFormat(Qt::PlainText);
    QFont bold = row.name->font();
    bold.setBold(true);
    row.name->setFont(bold);
    const int place = 1 + 2 * int(at - rows_.begin());
    layout_->insertWidget(place, row.name);
    layout_->insertWidget(place + 1, row.view);
    return *rows_.insert(at, row);
}

void ResidencySection::setStudy(const Study& study) {
    std::vector<std::uint32_t> told;
    for (auto run = study.runs.rbegin(); run != study.runs.rend(); ++run) {
        if (!run->residency || run->arm >= study.arms.size() ||
            std::find(told.begin(), told.end(), run->arm) != told.end()) {
            continue;
        }
        told.push_back(run->arm);
        const Row& row = rowOf(run->arm);
        row.name->setText(QString::fromStdString(study.arms[run->arm].id));
        row.view->setHistory(run->residency, int(run->arm));
        row.view->setAccessibleName(tr("Page cache around the inspection run of %1").arg(row.name->text()));
    }
    std::erase_if(rows_, [&](const Row& row) {
        const bool gone = std::find(told.begin(), told.end(), row.arm) == told.end();
        if (gone) {
            delete row.name;
            delete row.view;
        }
        return gone;
    });
    none_->setVisible(rows_.empty());
    none_->setText(study.sweep ? tr("A sweep's runs are too many to keep this of each.")
                               : tr("No inspection run has ended yet."));
    restyle();
    fit();
}

void ResidencySection::clear() {
    setStudy(Study{});
}

void ResidencySection::setArmVisible(std::uint32_t arm, bool visible) {
    for (const Row& row : rows_) {
        if (row.arm == arm) {
            row.name->setVisible(visible);
            row.view->setVisible(visible);
        }
    }
    fit();
}

void ResidencySection::restyle() {
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, Theme::forPalette(palette()).mutedText());
    none_->setPalette(muted);
}

void ResidencySection::fit() {
    layout_->activate();
    scroll_->setFixedHeight(std::clamp(inside_->sizeHint().height(), 10, kMostHeight));
}

}  // namespace mmapscope
