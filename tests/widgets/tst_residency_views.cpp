// What of a file is cached, and in what pieces, as the window shows it.
#include <QImage>
#include <QLabel>
#include <QtTest>

#include "widgets/folio_bar.h"
#include "widgets/live_panel.h"
#include "widgets/residency_bar.h"
#include "widgets/residency_history_view.h"
#include "widgets/residency_section.h"
#include "widgets/theme.h"

using namespace mmapscope;

namespace {

using Cells = std::vector<std::uint8_t>;

ResidencyHistory history(std::size_t during) {
    ResidencyHistory history;
    history.fileBytes = mib(100);
    history.looks.push_back({-1000, Cells(100, 0)});
    for (std::size_t i = 0; i < during; ++i) {
        Cells cells(100, 0);
        std::fill_n(cells.begin(), 100 * (i + 1) / (during + 1), std::uint8_t{255});
        history.looks.push_back({std::int64_t(5'000'000 * (i + 1)), cells});
    }
    history.looks.push_back({std::int64_t(5'000'000 * (during + 1)), Cells(100, 255)});
    return history;
}

/// An inspection run an arm, each with a history.
Study looked(std::size_t arms) {
    Study study;
    for (std::size_t i = 0; i < arms; ++i) {
        study.arms.push_back({});
        study.arms.back().id = "arm" + std::to_string(i);
        RunRecord run;
        run.arm = std::uint32_t(i);
        run.phase = Phase::inspection;
        run.status = RunStatus::ok;
        run.residency = history(i);
        study.runs.push_back(run);
    }
    return study;
}

}  // namespace

class TestResidencyViews : public QObject {
    Q_OBJECT

  private slots:
    void residencyIsExactInWords_data() {
        QTest::addColumn<QList<float>>("map");
        QTest::addColumn<QString>("text");
        QTest::newRow("all") << QList<float>{1, 1, 1} << "100 %";
        QTest::newRow("none") << QList<float>{0, 0} << "0 %";
        QTest::newRow("some") << QList<float>{1, 0.5F, 0, 0} << "37.5 %";
        QTest::newRow("nearly all isn't all")
            << QList<float>(2000, 1.0F).mid(1) + QList<float>{0} << "99.9 %";
        QTest::newRow("hardly any isn't none") << QList<float>(5000, 0.0F) + QList<float>{1} << "0.1 %";
        QTest::newRow("out of range") << QList<float>{7, -3} << "50 %";
        QTest::newRow("empty file") << QList<float>{} << "empty file";
    }
    void residencyIsExactInWords() {
        QFETCH(QList<float>, map);
        QFETCH(QString, text);
        ResidencyBar bar;
        bar.setMap(std::vector<float>(map.begin(), map.end()));
        QCOMPARE(bar.text(), text);
        bar.resize(200, 20);
        QVERIFY(!bar.grab().isNull());
    }

    void unavailableResidencyIsNoPercentage() {
        ResidencyBar bar;
        bar.setMap({1});
        bar.setUnavailable(QStringLiteral("not available: not your file"));
        QCOMPARE(bar.text(), QStringLiteral("not available: not your file"));
        QVERIFY(!bar.accessibleDescription().contains(u'%'));
    }

    void theStripShowsWhere() {
        ResidencyBar bar;
        bar.resize(300, 20);
        std::vector<float> map(100, 0.0F);
        std::fill_n(map.begin(), 50, 1.0F);
        bar.setMap(map);
        const QImage image = bar.grab().toImage();
        QVERIFY(image.pixelColor(20, 10) != image.pixelColor(180, 10));
    }

    void theStripsTipsNameOffsetAndShare() {
        ResidencyBar bar;
        bar.resize(300, 20);
        std::vector<float> map(100, 0.0F);
        std::fill_n(map.begin(), 50, 1.0F);
        map[99] = 0.001F;
        bar.setMap(map, mib(100));
        QVERIFY2(bar.toolTipAt(0).endsWith(QStringLiteral("From 0 B on: 100 %")),
                 qPrintable(bar.toolTipAt(0)));
        int end = 0;  // the strip's last column
        while (end < 300 && bar.toolTipAt(end + 1).contains(QStringLiteral("\nFrom"))) {
            ++end;
        }
        QVERIFY(end > 150 && end < 299);
        // Hardly any isn't none.
        QVERIFY2(bar.toolTipAt(end).endsWith(QStringLiteral(": 1 %")), qPrintable(bar.toolTipAt(end)));
        QVERIFY(bar.toolTipAt(end - 10).endsWith(QStringLiteral(": 0 %")));
        QVERIFY(bar.toolTipAt(290).startsWith(QStringLiteral("In the page cache now: 50 %")));
        // Where the whole is known better than from its parts, that is said.
        bar.setMap({1.0F, 1.0F}, mib(100), 0.9);
        QCOMPARE(bar.text(), QStringLiteral("90 %"));
        bar.setUnavailable(QStringLiteral("not your file"));
        QCOMPARE(bar.toolTipAt(0), QStringLiteral("In the page cache: not your file"));
    }

    void historyInWords() {
        ResidencyHistoryView view;
        QCOMPARE(view.text(), QStringLiteral("no run yet"));
        view.setHistory(history(1));
        QCOMPARE(view.text(), QStringLiteral("before 0 %, after 100 %"));
        auto sampled = history(1);
        sampled.looks.back().cells.assign(100, 254);
        sampled.looks.back().sampled = true;
        view.setHistory(sampled);
        QCOMPARE(view.text(), QStringLiteral("before 0 %, after about 100 %"));
        ResidencyHistory none;
        none.reason = "not your file";
        view.setHistory(none);
        QCOMPARE(view.text(), QStringLiteral("not available: not your file"));
        QVERIFY(view.toolTipAt({10, 10}).isEmpty());
        ResidencyHistory empty;
        empty.looks = {{-1, {}}, {1, {}}};
        view.setHistory(empty);
        view.resize(view.sizeHint());
        QVERIFY(!view.grab().isNull());
        QCOMPARE(view.text(), QStringLiteral("before 100 %, after 100 %"));
    }
    void historyAsAPicture_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("left");
        QTest::newRow("narrow") << 200 << 0;
        QTest::newRow("wide, with labels") << 600 << 90;
    }
    void historyAsAPicture() {
        QFETCH(int, width);
        QFETCH(int, left);
        ResidencyHistoryView view;
        view.setHistory(history(3));
        view.resize(width, view.sizeHint().height());
        const QImage image = view.grab().toImage();
        const int bottom = view.height();
        const int before = view.fontMetrics().height() + 4 + 4;  // midst of the strip
        const int after = bottom - 5;
        const auto tip = [&](int x, int y) { return view.toolTipAt({x, y}); };
        QVERIFY2(tip(width - 2, before)
                     .startsWith("before the run: 0 % of the file cached; here, from 99 MiB on, 0 %"),
                 qPrintable(tip(width - 2, before)));
        QVERIFY(tip(width - 2, after).startsWith("after the run: 100 %"));
        // Time goes down: the first look in between a quarter of the file, the last three.
        const int top = before + 10;
        QVERIFY2(tip(left + 5, top).startsWith("5.00 ms into the run: 25.0 %"),
                 qPrintable(tip(left + 5, top)));
        QVERIFY2(tip(left + 5, after - 14).startsWith("15.0 ms into the run: 75.0 %"),
                 qPrintable(tip(left + 5, after - 14)));
        const int halfway = left + (width - left) / 2 - 8;
        QVERIFY(image.pixelColor(halfway, top) != image.pixelColor(halfway, after - 14));
        QCOMPARE(image.pixelColor(halfway, after - 14), image.pixelColor(halfway, after));
        QCOMPARE(image.pixelColor(halfway, top), image.pixelColor(halfway, before));
        QVERIFY(tip(left + 5, 1).isEmpty());
    }
    void unevenLooksKeepTheirTime() {
        // Two looks early, one late: the first half of the place shows the second, not a third each.
        ResidencyHistoryView view;
        auto uneven = history(3);
        uneven.looks[1].tNs = 10'000'000;
        uneven.looks[2].tNs = 20'000'000;
        uneven.looks[3].tNs = 100'000'000;
        view.setHistory(uneven);
        view.resize(200, view.sizeHint().height());
        const int during = view.fontMetrics().height() + 4 + 9 + 3;
        QVERIFY(view.toolTipAt({5, during}).startsWith("10.0 ms"));
        QVERIFY(view.toolTipAt({5, during + 20}).startsWith("20.0 ms"));
        QVERIFY(view.toolTipAt({5, during + 25}).startsWith("100 ms"));
    }
    void sampledIsSaid() {
        ResidencyHistoryView view;
        auto sampled = history(1);
        sampled.looks[1].sampled = true;
        view.setHistory(sampled);
        view.resize(200, view.sizeHint().height());
        const QString tip = view.toolTipAt({5, view.height() / 2 + 10});
        QVERIFY2(tip.startsWith("5.00 ms into the run: about 50 % of the file"), qPrintable(tip));
        QVERIFY(tip.contains("some pages"));
    }

    void aSectionWithEveryArm() {
        ResidencySection section;
        section.resize(500, 300);
        section.show();
        QVERIFY(!section.isOpen());
        section.setOpen(true);
        const auto views = [&] { return section.findChildren<ResidencyHistoryView*>(); };
        const auto words = [&](const char* start) {
            QCoreApplication::processEvents();  // what a layout was given is shown a moment later
            const auto* none = section.findChild<QLabel*>();
            const auto all = views();
            return (none->isVisible() && none->text().startsWith(QLatin1String(start))) ||
                   std::any_of(all.begin(), all.end(), [&](const ResidencyHistoryView* view) {
                       return view->isVisible() && view->title() == QLatin1String(start);
                   });
        };
        QVERIFY(words("No inspection run") && views().isEmpty());
        Study study = looked(3);
        study.runs[1].residency.reset();  // of its inspection run nothing is known
        section.setStudy(study);
        QVERIFY(!words("No inspection run"));
        QCOMPARE(views().size(), 2);
        QVERIFY(words("arm0") && words("arm2") && !words("arm1"));
        section.setArmVisible(0, false);
        QVERIFY(!words("arm0") && words("arm2"));
        // A study with other arms: what is gone is gone, in its order.
        study = looked(2);
        section.setStudy(study);
        QCOMPARE(views().size(), 2);
        QVERIFY(words("arm1"));
        section.clear();
        QVERIFY(words("No inspection run") && views().isEmpty());
    }
    void liveHasTheSection() {
        LivePanel live;
        live.resize(800, 700);
        live.show();
        auto* section = live.findChild<ResidencySection*>();
        QVERIFY(section != nullptr && section->isVisible());
        const Study study = looked(2);
        live.begin(study);
        live.runEnded(study);
        QCOMPARE(section->findChildren<ResidencyHistoryView*>().size(), 2);
        section->setOpen(true);
        live.setArmVisible(1, false);
        QCoreApplication::processEvents();
        for (const auto* view : section->findChildren<ResidencyHistoryView*>()) {
            QCOMPARE(view->isVisible(), !view->accessibleName().endsWith(QStringLiteral("arm1")));
        }
        live.clear();
        QVERIFY(section->findChildren<ResidencyHistoryView*>().isEmpty());
    }

    void foliosAsABar() {
        FolioBar bar;
        bar.resize(200, bar.sizeHint().height());
        QVERIFY(bar.toolTipAt(10).isEmpty());
        FolioLook look;
        look.places = 100;
        look.sizes = {{kib(4), 25}, {kib(64), 25}, {mib(2), 50}};
        look.largestFolio = mib(2);
        bar.setLook(look);
        QCOMPARE(bar.accessibleDescription(), QStringLiteral("2 MiB 50 %, 4 KiB 25 %, 64 KiB 25 %"));
        QVERIFY2(bar.toolTipAt(10).startsWith("4 KiB: 25 % of the cached bytes"),
                 qPrintable(bar.toolTipAt(10)));
        QVERIFY(bar.toolTipAt(75).startsWith("64 KiB: 25 %"));
        QVERIFY(bar.toolTipAt(199).startsWith("2 MiB: 50 %"));
        QVERIFY(bar.toolTipAt(10).contains("kpageflags, at 100 places"));
        QVERIFY(bar.toolTipAt(200).isEmpty());
        look.largestFolio.reset();
        QVERIFY(FolioBar::basisText(look).startsWith("By what one fault maps"));
        // Larger is stronger, in both themes.
        for (const QColor& window : {QColor(250, 250, 250), QColor(30, 30, 30)}) {
            QPalette colours = bar.palette();
            colours.setColor(QPalette::Window, window);
            colours.setColor(QPalette::Base, window);
            bar.setPalette(colours);
            const QImage image = bar.grab().toImage();
            const QColor full = Theme::forPalette(colours).armColor(0);
            const auto distance = [&](int x) {
                const QColor c = image.pixelColor(x, 6);
                return std::abs(c.red() - full.red()) + std::abs(c.green() - full.green()) +
                       std::abs(c.blue() - full.blue());
            };
            QVERIFY(distance(20) > distance(75));
            QVERIFY(distance(75) > distance(150));
            QVERIFY(distance(150) < 6);
        }
        bar.setLook(std::nullopt);
        QVERIFY(bar.toolTipAt(10).isEmpty());
        QVERIFY(!bar.grab().isNull());
    }
};

QTEST_MAIN(TestResidencyViews)
#include "tst_residency_views.moc"
