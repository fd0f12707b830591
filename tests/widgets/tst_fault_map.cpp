// The fault map as a person meets it: arms, words, zooming, keys, themes, and a million faults.
#include <QCheckBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "study/fault_pattern.h"
#include "tests/widgets/synthetic_trace.h"
#include "widgets/axis_ticks.h"
#include "widgets/fault_histogram.h"
#include "widgets/fault_map_panel.h"
#include "widgets/fault_plot.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

/// read: none in the file; mmap: 64 KiB rungs; mmap-populate: none at all; the fourth arm isn't traced.
std::vector<FaultTrace> threeTraces() {
    FaultTrace elsewhere;
    for (int i = 0; i < 40; ++i) {
        addFault(elsewhere, i * 100000, FaultTrace::kElsewhere);
    }
    return {elsewhere, walkTrace(2000, kib(64), 10000), FaultTrace()};
}

void wheel(FaultPlot* plot, QPointF at, int turned, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(at, plot->mapToGlobal(at), {}, {0, turned}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(plot, &event);
}

void move(FaultPlot* plot, QPointF at, Qt::MouseButtons buttons = Qt::NoButton) {
    QMouseEvent event(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &event);
}

bool near(const QCPRange& a, const QCPRange& b) {
    const double least = b.size() * 1e-6;
    return std::abs(a.lower - b.lower) < least && std::abs(a.upper - b.upper) < least;
}

}  // namespace

class TestFaultMap : public QObject {
    Q_OBJECT

    std::unique_ptr<FaultMapPanel> panel_;

    void show(const std::shared_ptr<const Study>& study) {
        const QSignalSpy counted(panel_.get(), &FaultMapPanel::figuresShown);
        panel_->setStudy(study);
        QTRY_COMPARE(counted.count(), 1);
        QTest::qWait(30);
    }

  private slots:
    void init() {
        panel_ = std::make_unique<FaultMapPanel>();
        panel_->resize(1100, 700);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    }
    void cleanup() { panel_.reset(); }

    void withoutATraceItSaysHowToGetOne() {
        const auto untraced = tracedStudy({});
        for (const auto& study : {std::shared_ptr<Study>(), untraced}) {
            panel_->setStudy(study);
            QVERIFY(!panel_->arm());
            QVERIFY(panel_->sentence().isEmpty());
            QVERIFY(panel_->notes().isEmpty());
            bool said = false;
            for (int i = 0; i < panel_->plot()->itemCount(); ++i) {
                const auto* text = qobject_cast<QCPItemText*>(panel_->plot()->item(i));
                said = said || (text != nullptr && text->visible() && text->text().contains("Trace faults") &&
                                text->text().contains("F5"));
            }
            QVERIFY(said);
            QVERIFY(!panel_->plot()->accessibleName().isEmpty());
            QVERIFY(!panel_->plot()->accessibleDescription().isEmpty());
            QTest::keyClick(panel_->plot(), Qt::Key_Plus);
            QTest::keyClick(panel_->plot(), Qt::Key_Right, Qt::ControlModifier);
            wheel(panel_->plot(), {200, 200}, 240);
            move(panel_->plot(), {200, 200});
            QVERIFY(!panel_->plot()->crosshair());
        }
    }

    void theArmWithMostToSeeComesFirst() {
        const auto study = tracedStudy(threeTraces());
        show(study);
        QCOMPARE(panel_->arm(), std::optional(1U));
        QStringList chips;
        for (const auto* chip : panel_->findChildren<QToolButton*>()) {
            chips << chip->text();
        }
        QCOMPARE(chips.size(), 3);
        QVERIFY(chips[1].contains("mmap") && chips[1].contains("2,000"));
        QVERIFY2(panel_->sentence().startsWith("mmap: 2000 faults"), qPrintable(panel_->sentence()));
        QVERIFY2(panel_->sentence().contains("64 KiB"), qPrintable(panel_->sentence()));
        QCOMPARE(panel_->plot()->accessibleDescription(), panel_->sentence());
        QVERIFY(panel_->warnings().isEmpty());
        // What tracing cost is said in figures.
        const auto cost = traceCost(*study, 1);
        QVERIFY(cost.has_value());
        QVERIFY2(panel_->notes().contains("an untraced one"), qPrintable(panel_->notes()));
        QVERIFY(panel_->notes().contains("never ranked"));
    }

    void chipsChooseTheArm() {
        show(tracedStudy(threeTraces()));
        auto* chip = panel_->findChildren<QToolButton*>().front();
        const QSignalSpy counted(panel_.get(), &FaultMapPanel::figuresShown);
        chip->click();
        QCOMPARE(panel_->arm(), std::optional(0U));
        QVERIFY(chip->isChecked());
        QTRY_COMPARE(counted.count(), 1);
        QVERIFY2(panel_->sentence().contains("none of them in a mapping of the file"),
                 qPrintable(panel_->sentence()));
        QVERIFY(panel_->readout().contains("40 elsewhere"));
        chip->click();  // it stays chosen
        QCOMPARE(panel_->arm(), std::optional(0U));
        QVERIFY(chip->isChecked());
        panel_->chooseArm(2);  // an arm that never faulted
        QTRY_COMPARE(counted.count(), 2);
        QCOMPARE(panel_->plot()->raster().totals().inFile(), std::uint64_t{0});
        panel_->chooseArm(3);  // not traced
        QCOMPARE(panel_->arm(), std::optional(2U));
    }

    void noTraceIsCopied() {
        const auto study = tracedStudy({walkTrace(50000, kib(4))});
        show(study);
        const auto& run = panel_->plot()->run();
        QVERIFY(run.has_value());
        QCOMPARE(run->trace().tNs.data(), study->runs[0].faultTrace->tNs.data());
    }

    void aStudyThatGrowsKeepsArmAndView() {
        auto study = tracedStudy(threeTraces());
        show(study);
        panel_->chooseArm(0);
        panel_->plot()->setRanges({0.001, 0.002}, {0, 1e7});
        const QCPRange seconds = panel_->plot()->xAxis->range();
        const QSignalSpy counted(panel_.get(), &FaultMapPanel::figuresShown);
        QTRY_COMPARE(counted.count(), 1);
        for (int i = 0; i < 1000; ++i) {  // the runs move
            study->runs.push_back(study->runs.back());
        }
        panel_->setStudy(study);
        panel_->plot()->replot();
        QCOMPARE(panel_->arm(), std::optional(0U));
        QVERIFY(near(panel_->plot()->xAxis->range(), seconds));
        panel_->setStudy(std::make_shared<Study>(*study));  // summarized anew
        QCOMPARE(panel_->arm(), std::optional(0U));
        QVERIFY(near(panel_->plot()->xAxis->range(), seconds));
        QTest::qWait(50);
        QCOMPARE(counted.count(), 1);  // nothing was counted again
        panel_->clear();
        QVERIFY(!panel_->arm());
    }

    void whatIsMissingIsSaid() {
        FaultTrace trace = walkTrace(27655, kib(4));
        trace.lost = 12345;
        trace.userOnly = true;
        show(tracedStudy({trace}));
        QVERIFY2(panel_->warnings().contains("12,345 of 40,000 faults could not be recorded"),
                 qPrintable(panel_->warnings()));
        QVERIFY2(panel_->notes().contains("inside system calls are not shown"), qPrintable(panel_->notes()));
    }

    void aTraceOutOfOrderIsShownInOrder() {
        FaultTrace trace;
        addFault(trace, 3000000, mib(3).count());
        addFault(trace, 1000000, mib(1).count(), true);
        addFault(trace, 2000000, mib(2).count(), false, 1);
        show(tracedStudy({trace}));
        const FaultTrace& shown = panel_->plot()->run()->trace();
        QCOMPARE(shown.tNs, (std::vector<std::int64_t>{1000000, 2000000, 3000000}));
        QCOMPARE(shown.major, (std::vector<std::uint8_t>{1, 0, 0}));
        QCOMPARE(panel_->plot()->raster().totals().inFile(), std::uint64_t{3});
    }

    void theCrosshairTellsTheFault() {
        FaultTrace trace;
        addFault(trace, 1000000, mib(16).count());
        addFault(trace, 12000000, mib(64).count(), true, 2);
        addFault(trace, 20000000, FaultTrace::kElsewhere);
        show(tracedStudy({trace}));
        FaultPlot* plot = panel_->plot();
        plot->replot();
        const auto placeOf = [plot](double seconds, double bytes) {
            return QPointF(plot->xAxis->coordToPixel(seconds), plot->yAxis->coordToPixel(bytes));
        };
        move(plot, placeOf(0.012, 64.0 * (1U << 20U)) + QPointF(4, -3));
        QCOMPARE(plot->crosshair(), std::optional(std::size_t{1}));
        QVERIFY2(panel_->readout().contains("12.0 ms: major fault at file offset 64 MiB, page 16,384"),
                 qPrintable(panel_->readout()));
        QVERIFY(panel_->readout().contains("helper thread 2"));
        move(plot, placeOf(0.006, 100.0 * (1U << 20U)));
        QVERIFY(!plot->crosshair());
        QVERIFY(panel_->readout().contains("1 minor and 1 major faults of the file, 1 elsewhere"));
        move(plot, QPointF(placeOf(0.020, 0).x(), plot->strip()->center().y()));
        QCOMPARE(plot->crosshair(), std::optional(std::size_t{2}));
        QVERIFY(panel_->readout().contains("elsewhere, not in the file"));
        QTest::keyClick(plot, Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(plot->crosshair(), std::optional(std::size_t{1}));
        QTest::keyClick(plot, Qt::Key_Right, Qt::ControlModifier);
        QTest::keyClick(plot, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(plot->crosshair(), std::optional(std::size_t{2}));
    }

    void stepsStayInView() {
        FaultTrace trace;
        for (int i = 0; i < 10; ++i) {
            addFault(trace, 1000000 * (i + 1), mib(i % 2 == 0 ? 10 : 100).count());
        }
        show(tracedStudy({trace}));
        FaultPlot* plot = panel_->plot();
        plot->setRanges({0.0025, 0.0085}, {0, 50.0 * (1U << 20U)});
        const auto step = [plot](int key) {
            QTest::keyClick(plot, static_cast<Qt::Key>(key), Qt::ControlModifier);
            return plot->crosshair();
        };
        QCOMPARE(step(Qt::Key_Right), std::optional(std::size_t{2}));
        QCOMPARE(step(Qt::Key_Right), std::optional(std::size_t{4}));
        QCOMPARE(step(Qt::Key_Right), std::optional(std::size_t{6}));
        QCOMPARE(step(Qt::Key_Right), std::optional(std::size_t{6}));
        QCOMPARE(step(Qt::Key_Left), std::optional(std::size_t{4}));
        QCOMPARE(step(Qt::Key_Left), std::optional(std::size_t{2}));
        QCOMPARE(step(Qt::Key_Left), std::optional(std::size_t{2}));
    }

    void theKeyTellsKindsOrThreads() {
        FaultTrace trace = walkTrace(970, kib(64));
        trace.thread.back() = 2;
        show(tracedStudy({trace}));
        const auto key = [this] {
            for (const auto* label : panel_->findChildren<QLabel*>()) {
                if (label->accessibleName() == "Key of the fault map") {
                    return label->text().replace(QChar(QChar::Nbsp), u' ');
                }
            }
            return QString();
        };
        const Theme theme = Theme::forPalette(panel_->palette());
        QVERIFY2(key().contains("elsewhere 31"), qPrintable(key()));
        QVERIFY(key().contains(theme.minorFault().name()) && key().contains(theme.majorFault().name()));
        QVERIFY(!key().contains("thread"));
        panel_->findChild<QCheckBox*>()->setChecked(true);
        QCOMPARE(panel_->plot()->hue(), FaultHue::thread);
        QVERIFY(key().contains("thread 1") && key().contains("thread 3") && !key().contains("thread 4"));
        QVERIFY(key().contains(theme.armColor(2).name()));
    }

    void mouseAndKeysZoomAndPan() {
        show(tracedStudy({walkTrace(2000, kib(64), 10000)}));
        FaultPlot* plot = panel_->plot();
        plot->replot();
        const QCPRange seconds = plot->xAxis->range();
        const QCPRange bytes = plot->yAxis->range();
        const std::uint64_t all = plot->raster().totals().inFile();
        QVERIFY(seconds.lower < 0 && bytes.lower < 0);  // the first fault isn't on the border
        const QPointF middle = plot->axisRect()->rect().center();
        const double under = plot->xAxis->pixelToCoord(middle.x());
        wheel(plot, middle, 480);
        QVERIFY(std::abs(plot->xAxis->range().size() / seconds.size() - std::pow(0.8, 4)) < 1e-6);
        QVERIFY(std::abs(plot->yAxis->range().size() / bytes.size() - std::pow(0.8, 4)) < 1e-6);
        QVERIFY(std::abs(plot->xAxis->pixelToCoord(middle.x()) - under) < seconds.size() * 1e-6);
        QVERIFY(plot->raster().totals().inFile() < all);
        wheel(plot, middle, 120, Qt::ShiftModifier);
        wheel(plot, middle, 240, Qt::ControlModifier);
        QVERIFY(std::abs(plot->xAxis->range().size() / seconds.size() - std::pow(0.8, 5)) < 1e-6);
        QVERIFY(std::abs(plot->yAxis->range().size() / bytes.size() - std::pow(0.8, 6)) < 1e-6);

        const QCPRange zoomed = plot->xAxis->range();
        QTest::mousePress(plot, Qt::LeftButton, {}, middle.toPoint());
        move(plot, middle + QPointF(60, 30), Qt::LeftButton);
        QTest::mouseRelease(plot, Qt::LeftButton, {}, middle.toPoint() + QPoint(60, 30));
        QVERIFY(std::abs(plot->xAxis->range().size() - zoomed.size()) < zoomed.size() * 1e-6);
        QVERIFY(plot->xAxis->range().lower < zoomed.lower);
        QTest::mouseDClick(plot, Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(near(plot->xAxis->range(), seconds) && near(plot->yAxis->range(), bytes));

        QTest::keyClick(plot, Qt::Key_Plus);
        QVERIFY(std::abs(plot->xAxis->range().size() / seconds.size() - 0.8) < 1e-6);
        const QCPRange before = plot->xAxis->range();
        QTest::keyClick(plot, Qt::Key_Right);
        QVERIFY(plot->xAxis->range().lower > before.lower);
        const QCPRange low = plot->yAxis->range();
        QTest::keyClick(plot, Qt::Key_Up);
        QVERIFY(plot->yAxis->range().lower > low.lower);
        QTest::keyClick(plot, Qt::Key_Minus);
        QTest::keyClick(plot, Qt::Key_0);
        QVERIFY(near(plot->xAxis->range(), seconds) && near(plot->yAxis->range(), bytes));
        // Never away from the data, never finer than a page.
        for (int i = 0; i < 200; ++i) {
            wheel(plot, middle, 480);
        }
        QVERIFY(plot->xAxis->range().size() > 0);
        QVERIFY(plot->yAxis->range().size() >= 4095);
        for (int i = 0; i < 300; ++i) {
            QTest::keyClick(plot, Qt::Key_Right);
        }
        QVERIFY(plot->xAxis->range().lower < seconds.upper);
        QCOMPARE(plot->strip()->axis(QCPAxis::atBottom)->range(), plot->xAxis->range());
    }

    void offsetsAreLabelledInTheirUnit() {
        OffsetTicker ticker;
        QVector<double> ticks;
        QVector<QString> labels;
        const auto generate = [&](const QCPRange& range) {
            ticker.generate(range, QLocale::c(), u'f', 6, ticks, nullptr, &labels);
            return labels;
        };
        QCOMPARE(OffsetTicker::unitOf({0, 128.0 * (1U << 20U)}), QStringLiteral("MiB"));
        QVERIFY(generate({0, 128.0 * (1U << 20U)}).contains("64"));
        const double far = 4.0 * (1U << 30U);
        QCOMPARE(OffsetTicker::unitOf({far, far + 65536}), QStringLiteral("KiB"));
        const auto close = generate({far, far + 65536});
        QVERIFY2(close.contains("4194336"), qPrintable(close.toList().join(u' ')));
        QVERIFY(generate({far, far + 4096}).contains("4194305"));
    }

    void histogramsFollowTheRun() {
        show(tracedStudy(threeTraces()));
        std::uint64_t rungs = 0;
        for (const HistogramBin& bin : panel_->strides()->bins()) {
            rungs = bin.name == "64 KiB" ? bin.forward : rungs;
        }
        QVERIFY(rungs > 1900);
        QVERIFY(panel_->strides()->accessibleDescription().contains("64 KiB"));
        bool sixteen = false;
        for (const HistogramBin& bin : panel_->mapped()->bins()) {
            sixteen = sixteen || (bin.name == "16" && bin.forward > 1900);
        }
        QVERIFY(sixteen);
        const QSignalSpy counted(panel_.get(), &FaultMapPanel::figuresShown);
        panel_->chooseArm(2);
        QTRY_COMPARE(counted.count(), 1);
        for (const HistogramBin& bin : panel_->strides()->bins()) {
            QCOMPARE(bin.forward + bin.backward, std::uint64_t{0});
        }
        QCOMPARE(panel_->strides()->accessibleDescription(), QStringLiteral("None"));
    }

    void theThemeFollowsThePalette() {
        show(tracedStudy(threeTraces()));
        const auto background = [this] { return panel_->plot()->grab().toImage().pixelColor(2, 2); };
        QPalette dark = panel_->palette();
        dark.setColor(QPalette::Base, QColor(0x17, 0x19, 0x1b));
        dark.setColor(QPalette::Window, QColor(0x20, 0x22, 0x25));
        dark.setColor(QPalette::Text, QColor(0xe6, 0xe8, 0xea));
        QPalette light = dark;
        light.setColor(QPalette::Base, Qt::white);
        light.setColor(QPalette::Window, QColor(0xf0, 0xf0, 0xf0));
        light.setColor(QPalette::Text, Qt::black);
        for (const QPalette& palette : {dark, light}) {
            panel_->setPalette(palette);
            QTest::qWait(40);
            QCOMPARE(background(), palette.color(QPalette::Base));
            const QImage image = panel_->plot()->grab().toImage();
            const QRgb minor = Theme::forPalette(palette).minorFault().rgb();
            int dots = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    dots += image.pixel(x, y) == minor ? 1 : 0;
                }
            }
            QVERIFY2(dots > 500, qPrintable(QString::number(dots)));
        }
    }

    void aMillionFaultsStaySmooth() {
        const auto msPerFrame = [this](std::size_t faults) {
            show(tracedStudy({scatteredTrace(faults, mib(128))}));
            FaultPlot* plot = panel_->plot();
            constexpr int kFrames = 20;
            double best = 1e9;
            for (int i = 0; i < kFrames; ++i) {
                QElapsedTimer timer;
                timer.start();
                plot->setRanges(plot->xAxis->range() + plot->xAxis->range().size() * 1e-3,
                                plot->yAxis->range());
                plot->replot(QCustomPlot::rpImmediateRefresh);
                best = std::min(best, static_cast<double>(timer.nsecsElapsed()) / 1e6);
            }
            panel_->clear();
            return best;
        };
        const double few = msPerFrame(10000);
        const double many = msPerFrame(1000000);
        qInfo("a whole frame while panning: %.1f ms with 10,000 faults, %.1f ms with 1,000,000", few, many);
        QVERIFY2(many < few * 30, "a hundred times the faults");
    }
};

QTEST_MAIN(TestFaultMap)
#include "tst_fault_map.moc"
