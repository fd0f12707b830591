#include "app/gui/status_line.h"

#include <QCoreApplication>
#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <chrono>
#include <cmath>

namespace mmapscope {
namespace {

constexpr int kSteps = 1000;
constexpr double kPercent = 100;
constexpr int kMinute = 60;

QString tr(const char* text) {
    return QCoreApplication::translate("mmapscope::StatusLine", text);
}

QString phaseName(const Progress& progress) {
    if (progress.stage == StudyStage::explaining) {
        return tr("finding out where the time went, round %1 of %2").arg(progress.round).arg(progress.rounds);
    }
    if (progress.stage == StudyStage::preparingCache) {
        return progress.prepared > 0 ? tr("preparing the page cache, %1 %")
                                           .arg(static_cast<int>(std::floor(progress.prepared * kPercent)))
                                     : tr("preparing the page cache");
    }
    switch (progress.phase) {
        case Phase::inspection:
            return tr("inspection");
        case Phase::warmup:
            return tr("warm-up");
        case Phase::measured:
            return tr("round %1 of %2").arg(progress.round).arg(progress.rounds);
    }
    return {};
}

QString leftText(Nanoseconds left) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
    if (seconds <= 1) {
        return tr("less than 1 s left");
    }
    return seconds < 2 * kMinute ? tr("%1 s left").arg(seconds)
                                 : tr("%1 min left").arg((seconds + kMinute - 1) / kMinute);
}

}  // namespace

QString phaseText(const Progress& progress, const QString& arm) {
    const int percent = static_cast<int>(std::floor(progress.fraction * kPercent));
    if (progress.stage == StudyStage::explaining) {
        return QStringLiteral("%1 · %2 %").arg(phaseName(progress)).arg(percent);
    }
    return QStringLiteral("%1 · %2 · %3 %").arg(phaseName(progress), arm).arg(percent);
}

StatusLine::StatusLine(QStatusBar* bar)
    : phase_(new QLabel), progress_(new QProgressBar), left_(new QLabel), observer_(new QLabel) {
    phase_->setObjectName(QStringLiteral("phase"));
    left_->setObjectName(QStringLiteral("timeLeft"));
    observer_->setObjectName(QStringLiteral("observerShare"));
    observer_->setToolTip(
        tr("CPU time that watching the last run took, over its wall time; this window's own is in "
           "it"));
    progress_->setObjectName(QStringLiteral("studyProgress"));
    progress_->setAccessibleName(tr("Progress of the study"));
    progress_->setRange(0, kSteps);
    progress_->setTextVisible(false);
    progress_->setMaximumSize(160, 10);
    progress_->hide();
    bar->setSizeGripEnabled(false);
    bar->setContentsMargins(8, 0, 8, 2);
    bar->addWidget(phase_);
    bar->addWidget(progress_);
    bar->addWidget(left_);
    bar->addPermanentWidget(observer_);
}

void StatusLine::showProgress(const Progress& progress, const QString& arm) {
    phase_->setText(phaseText(progress, arm));
    progress_->setValue(static_cast<int>(progress.fraction * kSteps));
    progress_->show();
    left_->setText(!progress.remark.empty() ? QString::fromStdString(progress.remark)
                   : progress.left          ? leftText(*progress.left)
                                            : QString());
    observer_->setText(progress.observerFraction > 0
                           ? tr("observer %1 %").arg(progress.observerFraction * kPercent, 0, 'f', 1)
                           : QString());
}

void StatusLine::showIdle(const QString& text) {
    phase_->setText(text);
    progress_->hide();
    left_->clear();
}

}  // namespace mmapscope
