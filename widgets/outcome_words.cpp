#include "widgets/outcome_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

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
    std::size_t arms = 0;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        arms += std::any_of(study.runs.begin(), study.runs.end(), [arm](const RunRecord& run) {
            return run.arm == arm && run.status == RunStatus::ok && run.outcome;
        });
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
    return {arms < 2 ? Words::tr("One arm has finished, with %1: nothing to compare it with yet").arg(values)
                     : Words::tr("✓ All %1 arms computed the same: %2").arg(QString::number(arms), values),
            true};
}

}  // namespace mmapscope
