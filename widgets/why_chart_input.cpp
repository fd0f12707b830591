// Finding and choosing the pieces of Why's bars, by pointer and by key.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/why_chart.h"

namespace mmapscope {

std::optional<WhyChart::Piece> WhyChart::pieceAt(const QPoint& at) const {
    const Place where = place();
    for (std::size_t row = 0; row < bars_.size(); ++row) {
        // The last ones first: the thin line beside is hard to hit.
        for (std::size_t index = pieces(row); index-- > 0;) {
            if (rectOf(where, {row, index}).adjusted(0, -1, 1, 1).contains(at)) {
                return Piece{row, index};
            }
        }
    }
    return std::nullopt;
}

QString WhyChart::toolTipAt(const QPoint& at) const {
    const auto piece = pieceAt(at);
    return piece ? segmentOf(*piece).toolTip : QString();
}

QString WhyChart::chosenWords() const {
    return chosen_ ? segmentOf(*chosen_).words : QString();
}

void WhyChart::choose(std::optional<Piece> piece) {
    chosen_ = piece;
    emit chosen();
    update();
}

void WhyChart::mousePressEvent(QMouseEvent* event) {
    choose(pieceAt(event->pos()));
}

void WhyChart::keyPressEvent(QKeyEvent* event) {
    if (bars_.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    Piece piece = chosen_.value_or(Piece{});
    const auto last = [this](std::size_t row) { return std::max<std::size_t>(pieces(row), 1) - 1; };
    switch (event->key()) {
        case Qt::Key_Left:
            piece.index -= piece.index > 0 ? 1 : 0;
            break;
        case Qt::Key_Right:
            piece.index += piece.index < last(piece.row) ? 1 : 0;
            break;
        case Qt::Key_Up:
        case Qt::Key_Down: {
            const bool up = event->key() == Qt::Key_Up;
            if (up ? piece.row == 0 : piece.row + 1 >= bars_.size()) {
                QWidget::keyPressEvent(event);  // the page around may scroll
                return;
            }
            // The same part of the next arm, where it has one.
            const QString name = segmentOf(piece).name;
            piece.row += up ? std::size_t(0) - 1 : 1;
            piece.index = std::min(piece.index, last(piece.row));
            for (std::size_t index = 0; index < pieces(piece.row); ++index) {
                if (segmentOf({piece.row, index}).name == name) {
                    piece.index = index;
                }
            }
            break;
        }
        case Qt::Key_Home:
            piece.index = 0;
            break;
        case Qt::Key_End:
            piece.index = last(piece.row);
            break;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    choose(piece);
}

void WhyChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (event->reason() != Qt::MouseFocusReason && !chosen_ && !bars_.empty() && pieces(0) > 0) {
        choose(Piece{0, 0});
    }
    update();
}

void WhyChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool WhyChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), text, this);
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace mmapscope
