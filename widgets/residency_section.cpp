#include "widgets/residency_section.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <set>

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
    layout_->setSpacing(8);
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

ResidencyHistoryView* ResidencySection::viewOf(std::uint32_t arm) {
    const auto [at, made] = views_.try_emplace(arm, nullptr);
    if (made) {
        at->second = new ResidencyHistoryView(inside_);
        // The words for want of any come first.
        layout_->insertWidget(1 + int(std::distance(views_.begin(), at)), at->second);
    }
    return at->second;
}

void ResidencySection::setStudy(const Study& study) {
    std::set<std::uint32_t> told;
    for (auto run = study.runs.rbegin(); run != study.runs.rend(); ++run) {
        if (!run->residency || run->status != RunStatus::ok || run->arm >= study.arms.size() ||
            !told.insert(run->arm).second) {
            continue;
        }
        ResidencyHistoryView* view = viewOf(run->arm);
        view->setHistory(run->residency, int(run->arm), QString::fromStdString(study.arms[run->arm].id));
        view->setAccessibleName(tr("Page cache around the inspection run of %1").arg(view->title()));
    }
    std::erase_if(views_, [&](const auto& one) {
        const bool gone = !told.contains(one.first);
        if (gone) {
            delete one.second;
        }
        return gone;
    });
    none_->setVisible(views_.empty());
    none_->setText(study.sweep ? tr("A sweep's runs are too many to keep this of each.")
                               : tr("No inspection run has ended yet."));
    restyle();
    fit();
}

void ResidencySection::clear() {
    setStudy(Study{});
}

void ResidencySection::setArmVisible(std::uint32_t arm, bool visible) {
    if (const auto at = views_.find(arm); at != views_.end()) {
        at->second->setVisible(visible);
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
