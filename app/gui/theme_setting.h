// Light, dark or the desktop's own: remembered, and switched while the program runs.
#pragma once

#include "widgets/theme.h"

namespace mmapscope {

[[nodiscard]] ThemeChoice rememberedTheme();
/// Applies it to the program and remembers it.
void setTheme(ThemeChoice choice);

}  // namespace mmapscope
