// The studies that were saved by themselves: listed, named, found again, deleted; broken ones among them.
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <QtTest>
#include <thread>

#include "app/gui/history.h"
#include "app/gui/history_dialog.h"
#include "app/gui/target_facts.h"
#include "report/study_file.h"
#include "tests/engine/study/study_fixtures.h"
#include "tests/support/mounts.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;

namespace {

Study study(double mmapMs) {
    SplitMix64 random(1);
    Study made = measuredStudy({"read", "mmap"}, 15, [&](std::uint32_t arm, unsigned) {
        return noisyWall(random, arm == 1 ? mmapMs : 10);
    });
    made.complete = true;
    summarize(made);
    return made;
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

QPushButton* button(const QWidget& in, const char* text) {
    for (auto* one : in.findChildren<QPushButton*>()) {
        if (one->text().remove('&') == QString::fromUtf8(text)) {
            return one;
        }
    }
    return nullptr;
}

}  // namespace

class TestGuiHistory : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(saveStudy(study(5), path("a.mmapscope").toStdString()));
        QVERIFY(saveStudy(study(10), path("b.json").toStdString()));
        write(path("broken.mmapscope"), "\x28\xb5\x2f\xfd garbage");
        write(path("other.txt"), "no study");
    }

    void listed() {
        const auto entries = readHistory(folder_->path(), {});
        QCOMPARE(entries.size(), std::size_t{3});
        const HistoryEntry& a = find(entries, "a.mmapscope");
        QVERIFY(a.error.isEmpty());
        QCOMPARE(a.file, QStringLiteral("/data/file"));
        QCOMPARE(a.arms, QStringLiteral("read, mmap"));
        QVERIFY2(a.result.contains("mmap is the fastest"), qPrintable(a.result));
        QVERIFY(a.complete);
        QVERIFY(!find(entries, "broken.mmapscope").error.isEmpty());
        QVERIFY(readHistory(folder_->path() + "/nowhere", {}).empty());
    }

    void theIndexIsBelievedOnlyOfUnchangedFiles() {
        const auto before = readHistory(folder_->path(), {});
        QVERIFY(QFileInfo::exists(path(".index.json")));
        QVERIFY(readHistory(folder_->path(), {}) == before);
        QFile index(path(".index.json"));
        QVERIFY(index.open(QIODevice::ReadOnly));
        QByteArray text = index.readAll();
        index.close();
        QVERIFY(text.contains("/data/file"));
        write(path(".index.json"), text.replace("/data/file", "/told/by/index"));
        QCOMPARE(find(readHistory(folder_->path(), {}), "a.mmapscope").file,
                 QStringLiteral("/told/by/index"));
        Study other = study(5);
        other.plan.file = "/data/another";
        QVERIFY(saveStudy(other, path("a.mmapscope").toStdString()));
        QCOMPARE(find(readHistory(folder_->path(), {}), "a.mmapscope").file, QStringLiteral("/data/another"));
        write(path(".index.json"), "{\"version\":1,\"studies\":[7,{\"name\":3}]");
        QCOMPARE(readHistory(folder_->path(), {}).size(), std::size_t{3});
    }

    void titlesAndNotesAreKeptInTheStudy() {
        QVERIFY(
            annotateStudy(path("a.mmapscope"), QStringLiteral("Über mmap"), QStringLiteral("line\nline")));
        const auto read = loadStudy(path("a.mmapscope").toStdString());
        QVERIFY(read);
        QCOMPARE(QString::fromStdString(read->title), QStringLiteral("Über mmap"));
        QCOMPARE(read->runs.size(), study(5).runs.size());
        QCOMPARE(find(readHistory(folder_->path(), {}), "a.mmapscope").note, QStringLiteral("line\nline"));
        QVERIFY(!annotateStudy(path("broken.mmapscope"), "x", {}));
    }

    void aStudyIsToldFromOtherZstd() {
        QVERIFY(looksLikeStudy(path("a.mmapscope").toStdString()));
        QVERIFY(looksLikeStudy(path("b.json").toStdString()));
        QVERIFY(looksLikeStudy(path("broken.mmapscope").toStdString()));
        QVERIFY(QFile::copy(path("a.mmapscope"), path("a.zst")));
        QVERIFY(looksLikeStudy(path("a.zst").toStdString()));
        QVERIFY(QFile::copy(path("broken.mmapscope"), path("broken.zst")));
        QVERIFY(!looksLikeStudy(path("broken.zst").toStdString()));
        QVERIFY(!looksLikeStudy(path("other.txt").toStdString()));
    }

    void inTheDialog() {
        HistoryDialog dialog(folder_->path());
        QSignalSpy filled(&dialog, &HistoryDialog::filled);
        dialog.show();
        QTRY_COMPARE(filled.count(), 1);
        QCOMPARE(dialog.list()->topLevelItemCount(), 3);
        QVERIFY(dialog.said().startsWith("3 studies"));
        auto* filter = dialog.findChild<QLineEdit*>("historyFilter");
        filter->setText("mmap fastest");
        QCOMPARE(visible(dialog), QStringList{"a.mmapscope"});
        filter->clear();
        select(dialog, {"a.mmapscope"});
        dialog.findChild<QLineEdit*>("historyTitle")->setText("The one");
        dialog.findChild<QPlainTextEdit*>()->setPlainText("quiet machine");
        QTest::mouseClick(button(dialog, "Keep these words"), Qt::LeftButton);
        QTRY_COMPARE(filled.count(), 2);
        filter->setText("quiet");
        QCOMPARE(visible(dialog), QStringList{"a.mmapscope"});
        filter->clear();
        QSignalSpy opened(&dialog, &HistoryDialog::openAsked);
        select(dialog, {"a.mmapscope"});
        QTest::mouseClick(button(dialog, "Open"), Qt::LeftButton);
        QCOMPARE(opened.count(), 1);
        select(dialog, {"broken.mmapscope"});
        QVERIFY(!button(dialog, "Open")->isEnabled());
        const QString why = dialog.list()->selectedItems().front()->text(4);
        QVERIFY2(why.startsWith("can’t be read: its zstd frame"), qPrintable(why));
        select(dialog, {"a.mmapscope", "b.json"});
        QSignalSpy compared(&dialog, &HistoryDialog::compareAsked);
        QTest::mouseClick(button(dialog, "Compare"), Qt::LeftButton);
        QCOMPARE(compared.first().first().toStringList().size(), 2);
    }

    void typedWordsAreNeverDropped() {
        auto dialog = std::make_unique<HistoryDialog>(folder_->path());
        QSignalSpy filled(dialog.get(), &HistoryDialog::filled);
        dialog->show();
        QTRY_COMPARE(filled.count(), 1);
        auto* title = dialog->findChild<QLineEdit*>("historyTitle");
        // By going to another study, by closing, and by the window's end.
        select(*dialog, {"a.mmapscope"});
        QTest::keyClicks(title, "one");
        select(*dialog, {"b.json"});
        QVERIFY(title->text().isEmpty());
        QTRY_COMPARE(titleIn("a.mmapscope"), QStringLiteral("one"));
        QTRY_COMPARE(filled.count(), 2);
        QTest::keyClicks(title, "two");
        QTest::keyClick(dialog.get(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog->isVisible());
        QCOMPARE(titleIn("b.json"), QStringLiteral("two"));
        dialog->show();
        QTest::keyClicks(title, " three");
        dialog.reset();
        QTRY_COMPARE(titleIn("b.json"), QStringLiteral("two three"));
    }

    void whatIsMeasuredNowIsLeftAlone() {
        HistoryDialog dialog(folder_->path(), nullptr, [this] { return path("a.mmapscope"); });
        QSignalSpy filled(&dialog, &HistoryDialog::filled);
        dialog.show();
        QTRY_COMPARE(filled.count(), 1);
        select(dialog, {"a.mmapscope"});
        QVERIFY(!dialog.findChild<QLineEdit*>("historyTitle")->isEnabled());
        QVERIFY(!button(dialog, "Delete…")->isEnabled());
        select(dialog, {"a.mmapscope", "b.json"});
        QVERIFY(!button(dialog, "Delete…")->isEnabled());
        select(dialog, {"b.json"});
        QVERIFY(button(dialog, "Delete…")->isEnabled());
    }

    void wordsThatCannotBeWrittenAreTold() {
        HistoryDialog dialog(folder_->path());
        QSignalSpy filled(&dialog, &HistoryDialog::filled);
        dialog.show();
        QTRY_COMPARE(filled.count(), 1);
        select(dialog, {"a.mmapscope"});
        QTest::keyClicks(dialog.findChild<QLineEdit*>("historyTitle"), "lost?");
        QVERIFY(QFile::remove(path("a.mmapscope")));
        dialog.reject();
        QTRY_VERIFY2(dialog.said().contains("can't be opened"), qPrintable(dialog.said()));
        QVERIFY(dialog.isVisible());
        dialog.reject();
        QVERIFY(!dialog.isVisible());
    }

    void thousandsAndAFolderThatVanishes() {
        constexpr int kMany = 1000;
        QFile one(path("a.mmapscope"));
        for (int i = 0; i < kMany; ++i) {
            QVERIFY(one.copy(path(qPrintable(QStringLiteral("%1.mmapscope").arg(i)))));
        }
        QCOMPARE(readHistory(folder_->path(), {}).size(), std::size_t{kMany + 3});
        HistoryDialog dialog(folder_->path());
        QSignalSpy filled(&dialog, &HistoryDialog::filled);
        dialog.show();
        QTRY_COMPARE(filled.count(), 1);
        QCOMPARE(dialog.list()->topLevelItemCount(), kMany + 3);
        folder_->remove();
        dialog.list()->selectAll();
        button(dialog, "Delete…")->click();
        button(*dialog.findChild<QMessageBox*>(), "Delete")->click();
        QTRY_COMPARE(filled.count(), 2);
        QVERIFY2(dialog.said().startsWith("No study yet"), qPrintable(dialog.said()));
    }

    void writtenByAnotherMeanwhile() {
        std::jthread other([&](const std::stop_token& stop) {
            for (int i = 0; !stop.stop_requested(); ++i) {
                static_cast<void>(saveStudy(study(5), path("other.mmapscope").toStdString()));
                static_cast<void>(readHistory(folder_->path(), {}));
                if (i % 3 == 2) {
                    QFile::remove(path("other.mmapscope"));
                }
            }
        });
        for (int i = 0; i < 50; ++i) {
            const auto entries = readHistory(folder_->path(), {});
            QVERIFY(entries.size() == 3 || entries.size() == 4);
            QVERIFY(find(entries, "a.mmapscope").error.isEmpty());
        }
        other = {};
        QVERIFY(readHistory(folder_->path(), {}).size() >= 3);
    }

    void aFullDisk() {
        if (!test::leaveMountNamespace()) {
            QSKIP("needs the privilege to mount");
        }
        test::Mount mount;
        QVERIFY(QDir(folder_->path()).mkdir("small"));
        const std::string why = mount.kernel("tmpfs", path("small").toStdString(), "size=64k");
        if (!why.empty()) {
            QSKIP(why.c_str());
        }
        QVERIFY(QFile::copy(path("a.mmapscope"), path("small/a.mmapscope")));
        write(path("small/filler"), QByteArray(64 << 10, 'x'));
        const auto entries = readHistory(path("small"), {});
        QCOMPARE(entries.size(), std::size_t{1});
        QVERIFY(entries[0].error.isEmpty());
        const Status status = annotateStudy(path("small/a.mmapscope"), "x", {});
        QVERIFY(!status && status.error().message.find("No space left") != std::string::npos);
        QVERIFY(readHistory(path("small"), {}) == entries);
    }

    void deletedOnlyWhenAgreedTo() {
        HistoryDialog dialog(folder_->path());
        QSignalSpy filled(&dialog, &HistoryDialog::filled);
        dialog.show();
        QTRY_COMPARE(filled.count(), 1);
        select(dialog, {"broken.mmapscope", "b.json"});
        QTest::mouseClick(button(dialog, "Delete…"), Qt::LeftButton);
        auto* question = dialog.findChild<QMessageBox*>();
        QVERIFY(question != nullptr);
        question->button(QMessageBox::Cancel)->click();
        QVERIFY(QFileInfo::exists(path("b.json")));
        QTRY_VERIFY(dialog.findChild<QMessageBox*>() == nullptr);
        QTest::mouseClick(button(dialog, "Delete…"), Qt::LeftButton);
        button(*dialog.findChild<QMessageBox*>(), "Delete")->click();
        QTRY_COMPARE(filled.count(), 2);
        QVERIFY(!QFileInfo::exists(path("b.json")));
        QVERIFY(QFileInfo::exists(path("a.mmapscope")));
        QCOMPARE(dialog.list()->topLevelItemCount(), 1);
    }

  private:
    [[nodiscard]] QString titleIn(const char* name) const {
        const auto read = loadStudy(path(name).toStdString());
        return read ? QString::fromStdString(read->title) : QString();
    }
    [[nodiscard]] QString path(const char* name) const { return folder_->filePath(name); }

    static const HistoryEntry& find(const std::vector<HistoryEntry>& entries, const char* name) {
        for (const HistoryEntry& entry : entries) {
            if (QFileInfo(entry.path).fileName() == QLatin1String(name)) {
                return entry;
            }
        }
        qFatal("%s is not listed", name);
    }

    static QString nameOf(const QTreeWidgetItem& item) {
        return QFileInfo(item.data(0, HistoryDialog::kPathRole).toString()).fileName();
    }
    static QStringList visible(const HistoryDialog& dialog) {
        QStringList names;
        for (int row = 0; row < dialog.list()->topLevelItemCount(); ++row) {
            if (!dialog.list()->topLevelItem(row)->isHidden()) {
                names << nameOf(*dialog.list()->topLevelItem(row));
            }
        }
        return names;
    }
    static void select(const HistoryDialog& dialog, const QStringList& names) {
        dialog.list()->clearSelection();
        for (int row = 0; row < dialog.list()->topLevelItemCount(); ++row) {
            QTreeWidgetItem* item = dialog.list()->topLevelItem(row);
            item->setSelected(names.contains(nameOf(*item)));
        }
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_MAIN(TestGuiHistory)
#include "tst_gui_history.moc"
