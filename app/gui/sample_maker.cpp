#include "app/gui/sample_maker.h"

#include <QDir>
#include <QFileInfo>

#include "app/gui/user_data.h"
#include "core/text.h"

namespace mmapscope {

QString sampleName(CorpusKind kind, Bytes size) {
    const QString stem = QStringLiteral("sample-") + QString::fromStdString(formatBytesExact(size));
    switch (kind) {
        case CorpusKind::bytes:
            return stem + QStringLiteral(".bin");
        case CorpusKind::zstd:
            return stem + QStringLiteral(".zst");
        case CorpusKind::ticks:
            return stem + QStringLiteral("-ticks.csv");
    }
    return stem;
}

void SampleMaker::make(CorpusKind kind, Bytes size) {
    const QString path = samplesFolder() + QLatin1Char('/') + sampleName(kind, size);
    job_.start(
        [this, kind, size, path](BackgroundJob::Link& link) -> Result<Bytes> {
            if (const QFileInfo there(path); there.exists()) {  // whole, since it is renamed into place
                return Bytes(static_cast<std::uint64_t>(there.size()));
            }
            QDir().mkpath(samplesFolder());
            CorpusRequest request;
            request.kind = kind;
            request.size = size;
            request.out = path.toStdString();
            int shown = 0;
            return makeCorpus(request, link.stop(), [this, &link, &shown](double fraction) {
                if (const int now = static_cast<int>(fraction * kSteps); now > shown) {
                    shown = now;
                    link.post([this, now] { emit progress(now); });
                }
            });
        },
        [this, path](const Result<Bytes>& made) {
            if (made) {
                emit ready(path);
            } else {
                emit failed(QString::fromStdString(made.error().message));
            }
        });
}

}  // namespace mmapscope
