// A study as one page, complete in itself: no script, nothing from outside, light and dark by the reader's
// own setting.
#pragma once

#include <memory>
#include <string>

#include "study/study.h"

namespace mmapscope {

/// Precondition: a QApplication.
[[nodiscard]] std::string studyToHtml(const std::shared_ptr<const Study>& study);

}  // namespace mmapscope
