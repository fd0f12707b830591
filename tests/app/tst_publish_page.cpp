// Pages: complete in themselves, well formed, for light and for dark.
#include <QApplication>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/publish_support.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class TestPublishPage : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(dir_.isValid()); }
    void aPage();
    void aPageOfASweep();
    void browserShowsLightAndDark();

  private:
    QTemporaryDir dir_;
};

void TestPublishPage::aPage() {
    const SharedStudy study = wholeStudy();
    const QByteArray html = page(study);
    const Markup markup = markupOf(html);
    QVERIFY2(markup.error.isEmpty(), qPrintable(markup.error));
    for (const char* const never : {"script", "link", "iframe", "object", "embed", "a", "form", "img"}) {
        QVERIFY2(!markup.tags.contains(QString::fromUtf8(never)), never);
    }
    // Nothing is fetched: names of namespaces are the only addresses.
    QByteArray rest = html;
    rest.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    rest.replace("xmlns:xlink=\"http://www.w3.org/1999/xlink\"", "");
    QVERIFY(!rest.contains("http:") && !rest.contains("https:") && !rest.contains("@import"));
    QCOMPARE(markup.tags.count("svg"), 6);  // all but the sweep's
    QCOMPARE(markup.tags.count("h1"), 1);
    const QString text = markup.texts.join(u' ').simplified();
    for (const char* const part :
         {"Found", "Compared", "Where the time went", "Over time", "Page faults", "Method", "Environment",
          "95 % interval", "All arms computed the same", "faster", "not available here"}) {
        QVERIFY2(text.contains(QString::fromUtf8(part)), part);
    }
    for (const Arm& arm : study->arms) {
        QVERIFY(text.contains(QString::fromStdString(arm.id)));
    }
    // Both themes are there, ids are the page's own.
    QVERIFY(html.contains("prefers-color-scheme:dark") && html.contains("var(--c"));
    QStringList ids;
    static const QRegularExpression kId("\\sid=\"([^\"]*)\"");
    for (auto found = kId.globalMatch(QString::fromUtf8(html)); found.hasNext();) {
        ids << found.next().captured(1);
    }
    QCOMPARE(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());
    static const QRegularExpression kUse("url\\(#([^)]*)\\)");
    for (auto found = kUse.globalMatch(QString::fromUtf8(html)); found.hasNext();) {
        QVERIFY(ids.contains(found.next().captured(1)));
    }
}

void TestPublishPage::aPageOfASweep() {
    const QByteArray html = page(sweepStudy());
    const Markup markup = markupOf(html);
    QVERIFY2(markup.error.isEmpty(), qPrintable(markup.error));
    QCOMPARE(markup.tags.count("svg"), 1);
    QCOMPARE(markup.tags.count("table"), 2);
    const QString text = markup.texts.join(u' ').simplified();
    QVERIFY2(text.contains("slower") && text.contains("the crossover is near"), qPrintable(text.left(2000)));
    QVERIFY(!text.contains("measured at several sizes"));
    QVERIFY(text.contains("memory cap 256 MiB"));
}

void TestPublishPage::browserShowsLightAndDark() {
    const QString chromium = QStandardPaths::findExecutable("chromium");
    if (chromium.isEmpty()) {
        QSKIP("chromium is not installed");
    }
    const QString at = dir_.filePath("page.html");
    QVERIFY(write(at, page(wholeStudy())));
    for (const bool dark : {false, true}) {
        const QString shot = dir_.filePath(dark ? "dark.png" : "light.png");
        QVERIFY(runs(chromium, {"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                "--window-size=1240,2400", "--user-data-dir=" + dir_.filePath("chromium"),
                                QString("--blink-settings=preferredColorScheme=%1").arg(dark ? 0 : 1),
                                "--screenshot=" + shot, "file://" + at}));
        const Look look = lookOf(QImage(shot));
        QVERIFY2(look.drawn > 0.02 && look.drawn < 0.6, qPrintable(QString::number(look.drawn)));
        QVERIFY(dark ? look.lightness < 60 : look.lightness > 200);
    }
}

QTEST_MAIN(TestPublishPage)
#include "tst_publish_page.moc"
