#include "app/gui/help_dialog.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace mmapscope {
namespace {

QString rows(const QList<std::pair<QString, QString>>& pairs) {
    QString text = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"3\">");
    for (const auto& [left, right] : pairs) {
        text += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(left.toHtmlEscaped(), right.toHtmlEscaped());
    }
    return text + QStringLiteral("</table>");
}

}  // namespace

HelpDialog::HelpDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("helpDialog"));
    setWindowTitle(tr("About mmapscope"));
    const QString keys = rows({
        {tr("Ctrl+O"), tr("open a file")},
        {tr("F5"), tr("run")},
        {tr("Esc"), tr("stop; what is done is kept")},
        {tr("Ctrl+S"), tr("save the study")},
        {tr("Ctrl+Shift+O"), tr("open a study")},
        {tr("F7"), tr("advice for the open file")},
        {tr("F8"), tr("lessons")},
        {tr("F11"), tr("present a lesson in large type")},
        {tr("Ctrl+H"), tr("every study that was saved by itself")},
        {tr("Ctrl+D"), tr("put studies side by side")},
        {tr("Ctrl+E"), tr("export the runs as CSV")},
        {tr("Ctrl+Shift+E"), tr("draw a plot as SVG, PNG or PDF")},
        {tr("Ctrl+Shift+C"), tr("copy the table as Markdown")},
        {tr("Space"), tr("tick an arm")},
        {tr("F2"), tr("edit its parameter")},
        {tr("+  −  0"), tr("in a plot: closer, further away, the whole")},
        {tr("Ctrl+←  Ctrl+→"), tr("in Live: move; in the fault map: from fault to fault (arrows move)")},
        {tr("Ctrl+L"), tr("choose the series shown in Live")},
        {tr("Enter"), tr("say how an arm that can’t run is made available")},
    });
    const QString words = rows({
        {tr("source"), tr("how bytes get from the file into the process")},
        {tr("workload"), tr("what is done with the bytes")},
        {tr("arm"), tr("one source, its parameters, one workload: what is compared")},
        {tr("round"), tr("every arm once, in shuffled order")},
        {tr("outcome"), tr("what the workload computed; every arm must compute the same")},
        {tr("tied"),
         tr("the interval doesn’t lie wholly beyond 1 % on either side: no difference is claimed")},
    });
    auto* text =
        new QLabel(QStringLiteral("<p><b>mmapscope %1</b><br>%2</p><p>%3</p>%4<p>%5</p>%6<p>%7</p>")
                       .arg(QCoreApplication::applicationVersion().toHtmlEscaped(),
                            tr("How should a program get a file’s bytes, and why?"), tr("Keys"), keys,
                            tr("Words"), words, tr("Free software under the GPL, version 3 or later.")));
    text->setTextFormat(Qt::RichText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* box = new QVBoxLayout(this);
    box->addWidget(text);
    box->addWidget(buttons);
}

}  // namespace mmapscope
