// Makes a sample in the user's data folder on another thread, or takes the one that is there.
#pragma once

#include <QObject>

#include "corpus/corpus.h"
#include "widgets/background_job.h"

namespace mmapscope {

class SampleMaker : public QObject {
    Q_OBJECT
  public:
    explicit SampleMaker(QObject* parent = nullptr) : QObject(parent) {}

    /// progress() from 0 to 1000.
    static constexpr int kSteps = 1000;
    /// Then ready or failed; what an earlier call makes is given up.
    void make(CorpusKind kind, Bytes size);
    void cancel() { job_.cancel(); }

  signals:
    void progress(int steps);
    void ready(const QString& path);
    void failed(const QString& error);

  private:
    BackgroundJob job_;
};

/// "sample-256MiB.csv" for a kind and size.
[[nodiscard]] QString sampleName(CorpusKind kind, Bytes size);

}  // namespace mmapscope
