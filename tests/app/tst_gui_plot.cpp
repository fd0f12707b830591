// Plots in the window: the dialog offers what the study has, and writes what the commands write.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QtTest>

#include "app/gui/main_window.h"
#include "app/gui/plot_dialog.h"
#include "report/study_file.h"
#include "tests/app/gui_support.h"
#include "tests/app/publish_support.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

QPushButton* button(const QWidget& parent, const char* text) {
    for (auto* const one : parent.findChildren<QPushButton*>()) {
        if (one->text().remove(u'&').startsWith(QString::fromUtf8(text))) {
            return one;
        }
    }
    return nullptr;
}

/// The box whose entries are the kinds of plots.
QComboBox* kinds(const PlotDialog& dialog) {
    for (auto* const box : dialog.findChildren<QComboBox*>()) {
        if (box->count() == static_cast<int>(plotKinds().size())) {
            return box;
        }
    }
    return nullptr;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestGuiPlot : public QObject {
    Q_OBJECT

  private slots:
    void offersWhatTheStudyHas();
    void saysWhatCantBe();
    void copiesThePicture();
    void theWindowWritesWhatTheCommandsWrite();

  private:
    Home home_;
};

void TestGuiPlot::offersWhatTheStudyHas() {
    PlotDialog dialog(wholeStudy(), PlotKind::why);
    QCOMPARE(dialog.options().kind, PlotKind::why);
    QCOMPARE(dialog.problem(), QString());
    auto* const box = kinds(dialog);
    QVERIFY(box != nullptr);
    auto* const items = qobject_cast<QStandardItemModel*>(box->model());
    for (int i = 0; i < box->count(); ++i) {
        const bool sweep = static_cast<PlotKind>(box->itemData(i).toInt()) == PlotKind::sweep;
        QCOMPARE(items->item(i)->isEnabled(), !sweep);
        QCOMPARE(items->item(i)->toolTip().contains("no sweep"), sweep);
    }
    QSignalSpy asked(&dialog, &PlotDialog::saveAsked);
    button(dialog, "Save")->click();
    QCOMPARE(asked.count(), 1);
    const PlotDialog ofSweep(sweepStudy(), PlotKind::ratio);
    QCOMPARE(ofSweep.options().kind, PlotKind::sweep);
}

void TestGuiPlot::saysWhatCantBe() {
    PlotDialog dialog(wholeStudy(), PlotKind::faultMap);
    const auto boxes = dialog.findChildren<QSpinBox*>();
    QCOMPARE(boxes.size(), 2);
    for (QSpinBox* const box : boxes) {
        box->setValue(400);
    }
    QTRY_VERIFY(dialog.problem().contains("this plot needs a height of"));
    QVERIFY(!button(dialog, "Save")->isEnabled() && !button(dialog, "Copy")->isEnabled());
    for (QSpinBox* const box : boxes) {
        box->setValue(1200);
    }
    QTRY_COMPARE(dialog.problem(), QString());
    QVERIFY(button(dialog, "Save")->isEnabled());
    // Nothing at all to draw: said, and nothing can be saved.
    const PlotDialog empty(std::make_shared<Study>(fixtures::emptyStudy({"read"})), PlotKind::ratio);
    QVERIFY(empty.problem().contains("there is nothing for the plot"));
    QVERIFY(!button(empty, "Save")->isEnabled());
}

void TestGuiPlot::copiesThePicture() {
    PlotDialog dialog(wholeStudy(), PlotKind::ratio);
    QGuiApplication::clipboard()->clear();
    button(dialog, "Copy")->click();
    QCOMPARE(QGuiApplication::clipboard()->image().width(), 1200);
}

void TestGuiPlot::theWindowWritesWhatTheCommandsWrite() {
    QVERIFY(saveStudy(*wholeStudy(), home_.path("study.json").toStdString()));
    MainWindow window;
    auto* const plot = window.findChild<QAction*>("exportPlot");
    QVERIFY(plot != nullptr && !plot->isEnabled());
    window.openStudy(home_.path("study.json"));
    QTRY_VERIFY(plot->isEnabled());
    plot->trigger();
    QVERIFY(window.findChild<PlotDialog*>() != nullptr);
    const QSignalSpy exported(&window, &MainWindow::exported);
    PlotOptions options;
    options.kind = PlotKind::why;
    window.exportPlot(options, home_.path("why.svg"));
    QTRY_COMPARE(exported.count(), 1);
    window.exportTo(ReportFormat::html, home_.path("page.html"));
    QTRY_COMPARE(exported.count(), 2);
    QVERIFY(markupOf(contentOf(home_.path("page.html"))).error.isEmpty());
    const QStringList show{"show", home_.path("study.json"), "--plot", "why", "--out", home_.path("cli.svg")};
    QVERIFY(runs(QStringLiteral(MMAPSCOPE_CLI), show));
    QVERIFY(!contentOf(home_.path("cli.svg")).isEmpty());
    QCOMPARE(contentOf(home_.path("why.svg")), contentOf(home_.path("cli.svg")));
}

QTEST_MAIN(TestGuiPlot)
#include "tst_gui_plot.moc"
