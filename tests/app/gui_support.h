// What the window's tests share: a home of their own, a sample, a drop, and a watch on the event loop.
#pragma once

#include <QApplication>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include "corpus/corpus.h"

namespace mmapscope::testing {

/// Settings, samples and autosaved studies go to a temporary folder; the user's own are never touched.
class Home {
  public:
    Home() {
        qputenv("XDG_DATA_HOME", path("data").toUtf8());
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, path("settings"));
        QCoreApplication::setOrganizationName(QStringLiteral("mmapscope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("mmapscope-test"));
    }
    [[nodiscard]] QString path(const char* name) const { return folder_.filePath(QLatin1String(name)); }
    /// Empty when it couldn't be made.
    [[nodiscard]] QString makeSample(CorpusKind kind, Bytes size, const char* name) const {
        CorpusRequest request;
        request.kind = kind;
        request.size = size;
        request.out = path(name).toStdString();
        return makeCorpus(request, {}) ? path(name) : QString();
    }

  private:
    QTemporaryDir folder_;
};

/// As a file manager does it: enter, then drop.
inline void dropFile(QWidget& window, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint middle = window.rect().center();
    QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    QVERIFY(drop.isAccepted());
}

/// Presses the button that agrees to the question about eviction, once it is there.
inline void agreeToEviction(const QWidget& window) {
    QMessageBox* question = nullptr;
    QTRY_VERIFY((question = window.findChild<QMessageBox*>(QStringLiteral("evictionQuestion"))) != nullptr);
    QTest::mouseClick(question->defaultButton(), Qt::LeftButton);
}

/// The longest time the event loop kept a 10 ms timer waiting.
class StallWatch : public QObject {
  public:
    StallWatch() {
        timer_.setTimerType(Qt::PreciseTimer);
        connect(&timer_, &QTimer::timeout, this,
                [this] { longest_ = std::max(longest_, sinceLast_.restart()); });
        sinceLast_.start();
        timer_.start(10);
    }
    [[nodiscard]] qint64 longestMs() const { return longest_; }

  private:
    QTimer timer_;
    QElapsedTimer sinceLast_;
    qint64 longest_ = 0;
};

}  // namespace mmapscope::testing
