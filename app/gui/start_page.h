// What the window shows before it has a file: what to do first.
#pragma once

#include <QWidget>

#include "app/gui/sample_maker.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace mmapscope {

class StartPage : public QWidget {
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);

    /// Makes a sample in the user's data folder, or takes the one that is there; then sampleReady or failed.
    void makeSample(CorpusKind kind, Bytes size);
    [[nodiscard]] Bytes chosenSize() const;
    void setRecent(const QStringList& files, const QStringList& studies);

  signals:
    void openAsked();
    void learnAsked();
    void fileChosen(const QString& path);
    void studyChosen(const QString& path);
    void sampleStarted();
    void sampleReady(const QString& path);
    void failed(const QString& error);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* buildFilePart();
    QWidget* buildSamplePart();
    QWidget* buildRecentPart();
    void addSample(QVBoxLayout* box, CorpusKind kind, const QString& title, const QString& text,
                   const QString& name);
    QLabel* addMuted(QVBoxLayout* box, const QString& text);
    void restyle();
    void setMaking(bool making);

    QComboBox* size_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QLabel* making_ = nullptr;
    QWidget* recent_ = nullptr;
    QLabel* recentLinks_ = nullptr;
    QList<QPushButton*> sampleButtons_;
    QList<QLabel*> muted_;
    SampleMaker maker_;
};

}  // namespace mmapscope
