// Text colours of single labels, to be set again on QEvent::PaletteChange.
#pragma once

#include <QList>

class QColor;
class QLabel;

namespace mmapscope {

/// By the palette, not by a style sheet: a sheet would make every later palette change slow and partial.
void setTextColour(QLabel* label, const QColor& colour);
/// The theme's muted text.
void mute(const QList<QLabel*>& labels);

}  // namespace mmapscope
