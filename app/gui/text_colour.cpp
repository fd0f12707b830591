#include "app/gui/text_colour.h"

#include <QApplication>
#include <QLabel>

#include "widgets/theme.h"

namespace mmapscope {

void setTextColour(QLabel* label, const QColor& colour) {
    QPalette palette = label->palette();
    if (palette.color(QPalette::WindowText) != colour) {
        palette.setColor(QPalette::WindowText, colour);
        label->setPalette(palette);
    }
}

void mute(const QList<QLabel*>& labels) {
    const QColor muted = Theme::forPalette(QApplication::palette()).mutedText();
    for (QLabel* label : labels) {
        setTextColour(label, muted);
    }
}

}  // namespace mmapscope
