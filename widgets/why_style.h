// Colours and short names of the parts of a wall time: the same part looks the same in every bar.
#pragma once

#include <QBrush>
#include <QColor>
#include <QString>
#include <array>

#include "widgets/theme.h"

namespace mmapscope {

/// In the order in which bars are stacked. Their first letters differ, so that a narrow piece can be told by
/// one.
inline constexpr std::array kWhyParts{"open",     "deliver", "workload",   "touch",
                                      "handover", "close",   "unexplained"};

/// Contrast ≥ 3:1 against theme.plotBackground(). Of other names: the text's.
[[nodiscard]] QColor whyColor(const Theme& theme, const QString& part);
/// Towards the background as far as 3:1 allows; for the insides of a part.
[[nodiscard]] QColor whyLighter(const Theme& theme, const QColor& color);
/// Black or white, whichever is read better on both.
[[nodiscard]] QColor whyInk(const QColor& color, const QColor& lighter);
/// What isn't a time that passed is hatched (taken back) or dotted (unexplained).
[[nodiscard]] QBrush whyBrush(const Theme& theme, const QString& part, bool takesBack);

}  // namespace mmapscope
