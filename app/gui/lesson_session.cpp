#include "app/gui/lesson_session.h"

#include <QBuffer>
#include <QDir>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>

#include "app/gui/user_data.h"
#include "core/atomic_file.h"
#include "report/study_file.h"
#include "run/worker_client.h"
#include "widgets/learn_panel.h"

namespace mmapscope {
namespace {

constexpr int kPagePoints = 11;
constexpr int kPlotWidth = 500;  // of a page some 600 wide

/// The page with its plot at the end; empty where it can't be drawn.
std::string pdfOf(const QString& markdown, const QImage& plot) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setCreator(QStringLiteral("mmapscope"));
    QTextDocument document;
    QFont font = document.defaultFont();
    font.setPointSize(kPagePoints);
    document.setDefaultFont(font);
    document.setMarkdown(markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                       QTextDocument::MarkdownNoHTML);
    if (!plot.isNull()) {
        QTextCursor end(&document);
        end.movePosition(QTextCursor::End);
        end.insertBlock(QTextBlockFormat(), QTextCharFormat());  // out of the list before it
        document.addResource(QTextDocument::ImageResource, QUrl(QStringLiteral("plot")), plot);
        QTextImageFormat picture;
        picture.setName(QStringLiteral("plot"));
        picture.setWidth(kPlotWidth);
        end.insertImage(picture);
    }
    document.print(&writer);
    buffer.close();
    return bytes.toStdString();
}

}  // namespace

LessonSession::LessonSession(LearnPanel* panel, QObject* parent) : QObject(parent), panel_(panel) {
    connect(panel, &LearnPanel::runAsked, this, &LessonSession::run);
    connect(panel, &LearnPanel::stopAsked, this, &LessonSession::stop);
    connect(panel, &LearnPanel::studyAsked, this, &LessonSession::saveStudyOf);
}

void LessonSession::setBusy(bool busy) {
    busy_ = busy;
    if (!running_) {
        panel_->setRunning(busy, false);
    }
}

void LessonSession::stop() {
    job_.requestStop();
}

void LessonSession::run(std::vector<LessonRun> runs) {
    if (running_ || busy_) {
        return;
    }
    LessonRunRequest request{folder_.toStdString(), workerProgram_.toStdString()};
    if (request.workerProgram.empty()) {
        auto program = findWorkerProgram();
        if (!program) {
            emit failed(QString::fromStdString(program.error().message));
            return;
        }
        request.workerProgram = std::move(*program);
    }
    running_ = true;
    panel_->setRunning(true, true);
    emit runningChanged();
    job_.start(
        [this, runs = std::move(runs), request](BackgroundJob::Link& link) {
            return runLesson(
                runs, request,
                [&](const LessonProgress& p) {
                    link.post([this, doing = QString::fromStdString(p.doing), fraction = p.fraction] {
                        panel_->setProgress(doing, fraction);
                    });
                },
                link.stop());
        },
        [this](const Result<LessonResults>& results) {
            running_ = false;
            panel_->setRunning(busy_, false);
            if (results) {
                panel_->showResults(*results);
            } else {
                panel_->showFailure(QString::fromStdString(results.error().message));
            }
            emit runningChanged();
        });
}

void LessonSession::saveStudyOf(const std::shared_ptr<const Study>& study) {
    const QString path = autosavePath(QString::fromStdString(study->plan.file));
    saveJob_.start(
        [study, path](BackgroundJob::Link&) -> Status {
            QDir().mkpath(studiesFolder());
            return saveStudy(*study, path.toStdString());
        },
        [this, path](const Status& saved) {
            saved ? emit studySaved(path) : emit failed(QString::fromStdString(saved.error().message));
        });
}

void LessonSession::savePage(const QString& path) {
    const QString page = panel_->notebook();
    if (page.isEmpty()) {
        return;
    }
    const bool pdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
    const std::string content = pdf ? pdfOf(page, panel_->plotImage()) : page.toStdString();
    const Status saved = writeFileAtomically(path.toStdString(), content);
    saved ? emit written(path) : emit failed(QString::fromStdString(saved.error().message));
}

}  // namespace mmapscope
