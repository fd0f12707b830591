// Engine values as text of the window, and a font whose figures line up.
#pragma once

#include <QFont>
#include <QString>

#include "core/units.h"
#include "run/run_record.h"

namespace mmapscope {

[[nodiscard]] QString bytesText(Bytes bytes);           ///< "128.5 MiB"
[[nodiscard]] QString rateText(double bytesPerSecond);  ///< "5.13 GiB/s"
[[nodiscard]] QString durationText(Nanoseconds time);   ///< "12.3 ms"
[[nodiscard]] QString durationText(double seconds);
[[nodiscard]] QString countText(double count);  ///< "2,080", rounded to whole
/// What stands where this system has no figure.
[[nodiscard]] QString notAvailableText();

/// The font itself where its digits are equally wide, else the system's fixed-width font in its size.
[[nodiscard]] QFont tabularFont(const QFont& font);

}  // namespace mmapscope
