#include "widgets/outcome_words.h"

#include <QCoreApplication>
#include <QStringList>

#include "study/outcome_check.h"

namespace mmapscope {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(OutcomeWords)
};

}  // namespace

OutcomeWords outcomeWords(const Study& study) {
    const std::vector<OutcomeKey> keys = checkOutcomes(study);
    if (keys.empty()) {
        return {};
    }
    QStringList same;
    QStringList different;
    for (const OutcomeKey& key : keys) {
        if (key.agrees()) {
            same << QStringLiteral("%1 %2").arg(QString::fromStdString(key.key),
                                                QString::fromStdString(key.seen.front().value));
        } else {
            different << QString::fromStdString(describeDifference(key, study));
        }
    }
    if (!different.isEmpty()) {
        return {
            Words::tr("✗ The arms did not compute the same: %1").arg(different.join(QStringLiteral("; "))),
            false};
    }
    const QString values = same.join(QStringLiteral(", "));
    const OutcomeReach reach = outcomeReach(study);
    if (reach.arms > 1) {
        return {Words::tr("✓ All %1 arms computed the same: %2").arg(QString::number(reach.arms), values),
                true};
    }
    // Where nothing else will come, the runs of one arm are all there is to compare.
    const bool last = study.arms.size() == 1 || study.complete;
    return {last && reach.runs > 1 ? Words::tr("✓ Every run computed the same: %1").arg(values)
            : last ? Words::tr("One run has finished, with %1: nothing to compare it with").arg(values)
                   : Words::tr("One arm has finished, with %1: nothing to compare it with yet").arg(values),
            true};
}

}  // namespace mmapscope
