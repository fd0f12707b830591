// The Reserve dialog with a pkexec of its own: success, refusal, fewer pages than asked, none installed.
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/reserve_dialog.h"

using namespace mmapscope;

class TestReserve : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        path_ = qgetenv("PATH");
        QVERIFY(bin_.isValid());
    }
    void cleanupTestCase() { qputenv("PATH", path_); }
    void init() {
        pool_ = {kHugePage, 10, 10, 0, 0, 0};
        QFile::remove(bin_.filePath("pkexec"));
    }
    void theCommandAndWhatItAsksFor();
    void reservesAndPutsBack();
    void fewerThanAsked();
    void refused_data();
    void refused();
    void notInstalled();
    void nothingToDo();

  private:
    /// Stands in for pkexec(1): keeps its arguments and input, and ends with `status`.
    void pkexec(int status) {
        QFile script(bin_.filePath("pkexec"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(QStringLiteral("#!/bin/sh\necho \"$@\" > %1/arguments\ncat > %1/input\n"
                                    "echo 'the agent said no' >&2\nexit %2\n")
                         .arg(bin_.path())
                         .arg(status)
                         .toUtf8());
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner));
        qputenv("PATH", bin_.path().toUtf8() + ":/usr/bin:/bin");
    }
    QByteArray kept(const char* name) const {
        QFile file(bin_.filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
    }
    ReserveDialog* dialog(std::uint64_t wanted) {
        dialog_ = std::make_unique<ReserveDialog>(wanted, [this] { return Result<PoolFacts>(pool_); });
        dialog_->setAttribute(Qt::WA_DeleteOnClose, false);
        dialog_->show();
        return dialog_.get();
    }
    QPushButton* button(const QString& text) {
        for (auto* one : dialog_->findChildren<QPushButton*>()) {
            if (one->text().remove(u'&').startsWith(text)) {
                return one;
            }
        }
        return nullptr;
    }
    QString outcome() {
        for (const auto* label : dialog_->findChildren<QLabel*>()) {
            if (label->accessibleName() == "Outcome") {
                return label->text();
            }
        }
        return {};
    }

    QByteArray path_;
    QTemporaryDir bin_;
    PoolFacts pool_;
    std::unique_ptr<ReserveDialog> dialog_;
};

void TestReserve::theCommandAndWhatItAsksFor() {
    pkexec(0);
    pool_ = {kHugePage, 20, 5, 2, 0, 0};
    dialog(64);
    const QString command = dialog_->findChild<QLineEdit*>(QString())->text();
    bool found = false;
    for (const auto* line : dialog_->findChildren<QLineEdit*>()) {
        found = found || line->text().contains("81");  // 15 in use, 2 promised, 64 more
    }
    QVERIFY2(found, qPrintable(command));
}

void TestReserve::reservesAndPutsBack() {
    pkexec(0);
    dialog(64);
    pool_.total = pool_.free = 64;  // as the kernel will say afterwards
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTRY_VERIFY(outcome().contains("64 pages now"));
    QVERIFY(kept("arguments").endsWith("/hugepages-2048kB/nr_hugepages"));
    QCOMPARE(kept("input"), QByteArray("64"));
    QVERIFY(button("Put back to 10")->isVisible());
    pool_.total = pool_.free = 10;
    QTest::mouseClick(button("Put back"), Qt::LeftButton);
    QTRY_VERIFY(outcome().contains("10 pages now"));
    QCOMPARE(kept("input"), QByteArray("10"));
    QVERIFY(!button("Put back")->isVisible());
}

void TestReserve::fewerThanAsked() {
    pkexec(0);
    dialog(64);
    pool_.total = pool_.free = 40;
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTRY_VERIFY(outcome().contains("40 pages now; 64 were asked for"));
}

void TestReserve::refused_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    QTest::newRow("dismissed") << 126 << "dismissed";
    QTest::newRow("not authorized") << 127 << "refused (the agent said no)";
    QTest::newRow("tee failed") << 1 << "the agent said no";
}

void TestReserve::refused() {
    QFETCH(int, status);
    QFETCH(QString, says);
    pkexec(status);
    dialog(64);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTRY_VERIFY2(outcome().contains(says), qPrintable(outcome()));
    QVERIFY(button("Run")->isEnabled());
    QVERIFY(!button("Put back") || !button("Put back")->isVisible());
}

void TestReserve::notInstalled() {
    qputenv("PATH", bin_.path().toUtf8());
    dialog(64);
    QVERIFY(!button("Run")->isEnabled());
    QVERIFY(outcome().contains("not installed"));
}

void TestReserve::nothingToDo() {
    pkexec(0);
    dialog(8);
    QVERIFY(!button("Run")->isEnabled());
}

QTEST_MAIN(TestReserve)
#include "tst_gui_reserve.moc"
