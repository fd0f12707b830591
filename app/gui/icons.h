// The toolbar's icons: line drawings in the text's own colour, so that they suit any palette.
#pragma once

#include <QIcon>
#include <QPalette>

namespace mmapscope {

/// `name` is a drawing of resources/icons without its suffix. Sharp at any scale factor.
[[nodiscard]] QIcon themedIcon(const QString& name, const QPalette& palette);

/// The program's own icon.
[[nodiscard]] QIcon programIcon();

}  // namespace mmapscope
