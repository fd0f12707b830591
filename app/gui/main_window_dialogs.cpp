// What the window asks and takes away: files to open, save and export, and the one question about eviction.
// Every dialog is opened, never run: the event loop is never nested.
#include <QCheckBox>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <algorithm>

#include "app/gui/compare_window.h"
#include "app/gui/help_dialog.h"
#include "app/gui/history_dialog.h"
#include "app/gui/main_window.h"
#include "app/gui/lesson_session.h"
#include "app/gui/message_line.h"
#include "app/gui/plot_dialog.h"
#include "app/gui/reserve_dialog.h"
#include "app/gui/start_page.h"
#include "app/gui/status_line.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/study_export.h"
#include "app/gui/target_panel.h"
#include "app/gui/theme_setting.h"
#include "app/gui/user_data.h"
#include "app/gui/window_actions.h"
#include "core/text.h"
#include "report/snippet.h"
#include "widgets/compare_panel.h"

namespace mmapscope {
namespace {

void chooseFile(QWidget* parent, const QString& title, QFileDialog::AcceptMode mode,
                const QString& suggestion, const QString& filter,
                const std::function<void(const QString&)>& chosen) {
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(mode);
    dialog->setFileMode(mode == QFileDialog::AcceptOpen ? QFileDialog::ExistingFile : QFileDialog::AnyFile);
    if (!filter.isEmpty()) {
        dialog->setNameFilter(filter);
    }
    if (!suggestion.isEmpty()) {
        dialog->selectFile(suggestion);
        dialog->setDefaultSuffix(QFileInfo(suggestion).suffix());
    }
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
    dialog->open();
}

QString filterOf(const QString& suffix) {
    return QStringLiteral("*.") + suffix;
}

}  // namespace

void MainWindow::openPath(const QString& path) {
    if (controller_->running()) {
        showError(tr("A study is running: stop it (Esc) before opening another file."));
        return;
    }
    studyWhenAsked_ = controller_->study();
    target_->open(path);
}

void MainWindow::openStudy(const QString& path) {
    message_->dismiss();
    controller_->open(path);
}

void MainWindow::askOpen() {
    chooseFile(this, tr("Open a file"), QFileDialog::AcceptOpen, {}, {},
               [this](const QString& path) { openPath(path); });
}

void MainWindow::askOpenFolder() {
    auto* dialog = new QFileDialog(this, tr("Open a folder, to read all its files as one"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openPath);
    dialog->open();
}

void MainWindow::askOpenStudy() {
    chooseFile(this, tr("Open a study"), QFileDialog::AcceptOpen, {}, tr("Studies (*.mmapscope *.json)"),
               [this](const QString& path) { openStudy(path); });
}

void MainWindow::showHistory() {
    auto* dialog = new HistoryDialog(studiesFolder(), this, [this] { return controller_->autosaving(); });
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &HistoryDialog::openAsked, this, [this, dialog](const QString& path) {
        openStudy(path);
        dialog->close();
    });
    connect(dialog, &HistoryDialog::compareAsked, this,
            [this](const QStringList& paths) { compareStudies(paths, false); });
    dialog->show();
}

void MainWindow::askCompare() {
    auto* dialog = new QFileDialog(this, controller_->study() != nullptr
                                             ? tr("Studies to put beside the open one")
                                             : tr("Two or more studies to put side by side"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilter(tr("Studies (*.mmapscope *.json)"));
    connect(dialog, &QFileDialog::filesSelected, this,
            [this](const QStringList& paths) { compareStudies(paths, controller_->study() != nullptr); });
    dialog->open();
}

void MainWindow::compareStudies(const QStringList& paths, bool withOpen) {
    auto* window = new CompareWindow(withOpen ? controller_->study() : nullptr, paths, this);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
}

QString MainWindow::suggestedName(const QString& suffix) const {
    const QFileInfo file(QString::fromStdString(controller_->study()->plan.file));
    return file.fileName() + QStringLiteral("-study.") + suffix;
}

void MainWindow::askSave() {
    chooseFile(this, tr("Save the study"), QFileDialog::AcceptSave,
               suggestedName(QStringLiteral("mmapscope")), tr("Studies (*.mmapscope *.json)"),
               [this](const QString& path) { controller_->save(path); });
}

void MainWindow::askExport(ReportFormat format) {
    const QString suffix = exportSuffix(format);
    chooseFile(this, tr("Export"), QFileDialog::AcceptSave, suggestedName(suffix), filterOf(suffix),
               [this, format](const QString& path) { exportTo(format, path); });
}

void MainWindow::askProgram() {
    const auto study = controller_->study();
    if (study == nullptr || controller_->running()) {
        return;
    }
    const auto arm = compare_->selectedArm();
    const auto program = snippetOfStudy(*study, arm && *arm < study->arms.size() ? study->arms[*arm].id : "");
    if (!program) {
        showError(QString::fromStdString(program.error().message));
        return;
    }
    chooseFile(this, tr("Save the program"), QFileDialog::AcceptSave, QStringLiteral("reader.c"),
               filterOf(QStringLiteral("c")),
               [this, text = *program](const QString& path) { writeExport(path, [text] { return text; }); });
}

void MainWindow::askPlot() {
    const auto study = controller_->study();
    if (study == nullptr || controller_->running()) {
        return;
    }
    auto* dialog = new PlotDialog(study, study->sweep ? PlotKind::sweep : PlotKind::ratio, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PlotDialog::saveAsked, this, &MainWindow::askPlotFile);
    dialog->open();
}

void MainWindow::askPlotFile(const PlotOptions& options) {
    const QString suffix = QString::fromLatin1(suffixOf(options.format).data());
    chooseFile(this, tr("Export a plot"), QFileDialog::AcceptSave, suggestedName(suffix), filterOf(suffix),
               [this, options](const QString& path) { exportPlot(options, path); });
}

void MainWindow::writeExport(const QString& path, std::function<std::string()> content) {
    exportJob_.start([study = controller_->study(), content = std::move(content), file = path.toStdString()](
                         BackgroundJob::Link&) { return exportStudy(*study, content(), file); },
                     [this, path](const Status& status) {
                         if (!status) {
                             showError(QString::fromStdString(status.error().message));
                             return;
                         }
                         message_->showMessage(MessageLine::Kind::note, tr("Written: %1").arg(path));
                         emit exported(path);
                     });
}

void MainWindow::exportTo(ReportFormat format, const QString& path) {
    const auto study = controller_->study();
    if (study == nullptr || controller_->running()) {
        return;
    }
    if (const auto write = factsOf(format).write; write != nullptr) {
        writeExport(path, [study, write] { return write(*study); });
        return;
    }
    const auto page = reportOf(study, format);  // draws, so it is this thread's
    if (!page) {
        showError(QString::fromStdString(page.error().message));
        return;
    }
    writeExport(path, [page = *page] { return page; });
}

void MainWindow::exportPlot(const PlotOptions& options, const QString& path) {
    const auto study = controller_->study();
    if (study == nullptr || controller_->running()) {
        return;
    }
    const auto plot = plotOf(study, options);
    if (!plot) {
        showError(QString::fromStdString(plot.error().message));
        return;
    }
    writeExport(path, [plot = *plot] { return plot; });
}

void MainWindow::copyMarkdown() {
    if (controller_->study() == nullptr) {
        return;
    }
    exportJob_.start(
        [study = controller_->study()](BackgroundJob::Link&) {
            return factsOf(ReportFormat::markdown).write(*study);
        },
        [](const std::string& text) { QGuiApplication::clipboard()->setText(QString::fromStdString(text)); });
}

void MainWindow::copyTsv() {
    QGuiApplication::clipboard()->setText(compare_->toTsv());
}

void MainWindow::askBeforeEviction(const std::function<void()>& agreed) {
    const FileFacts& file = target_->target()->file;
    if (mayEvict(QString::fromStdString(file.path))) {
        agreed();
        return;
    }
    const QString size = QString::fromStdString(formatBytes(file.bytes));
    auto* box = new QMessageBox(QMessageBox::Question, tr("Page cache"),
                                tr("May %1 of %2 be dropped from the page cache and read again?")
                                    .arg(size, QFileInfo(QString::fromStdString(file.path)).fileName()),
                                QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("evictionQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("A comparison has to start every run from the same cache state. Nothing in the file "
           "changes; other programs that read it wait for the storage once. Asked only once."));
    QPushButton* yes = box->addButton(tr("&Go on"), QMessageBox::AcceptRole);
    box->setDefaultButton(yes);
    connect(yes, &QPushButton::clicked, this, [agreed] {
        rememberMayEvict();
        agreed();
    });
    box->open();
}

void MainWindow::makeSample(CorpusKind kind) {
    centre_->setCurrentIndex(kStartPage);
    start_->makeSample(kind, start_->chosenSize());
}

void MainWindow::askRemoveSamples() {
    struct Found {
        QStringList files;
        qint64 bytes = 0;
    };
    exportJob_.start(
        [](BackgroundJob::Link&) {
            Found found;
            const QDir folder(samplesFolder());
            for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("sample-*")}, QDir::Files)) {
                found.files << file.filePath();
                found.bytes += file.size();
            }
            return found;
        },
        [this](const Found& found) {
            if (found.files.isEmpty()) {
                showError(tr("There are no samples to remove in %1").arg(samplesFolder()));
                return;
            }
            auto* box = new QMessageBox(
                QMessageBox::Question, tr("Remove samples"),
                tr("Remove %n sample(s), %1, from %2?", nullptr, static_cast<int>(found.files.size()))
                    .arg(QString::fromStdString(formatBytes(Bytes(static_cast<std::uint64_t>(found.bytes)))),
                         samplesFolder()),
                QMessageBox::Cancel, this);
            box->setObjectName(QStringLiteral("removeSamplesQuestion"));
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->setInformativeText(
                tr("The same samples can be made again, byte for byte. Studies of them stay."));
            QPushButton* yes = box->addButton(tr("&Remove"), QMessageBox::DestructiveRole);
            connect(yes, &QPushButton::clicked, this, [this, files = found.files] {
                exportJob_.start(
                    [files](BackgroundJob::Link&) {
                        return std::count_if(files.begin(), files.end(),
                                             [](const QString& file) { return !QFile::remove(file); });
                    },
                    [this](std::ptrdiff_t left) {
                        if (left > 0) {
                            showError(
                                tr("%1 samples in %2 could not be removed").arg(left).arg(samplesFolder()));
                        } else {
                            status_->showIdle(tr("Samples removed"));
                        }
                    });
            });
            box->open();
        });
}

void MainWindow::chooseTheme(ThemeChoice choice) {
    setTheme(choice);
    actions_->setTheme(choice);
}

void MainWindow::showHelp() {
    auto* dialog = new HelpDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    const bool local = !urls.isEmpty() && std::all_of(urls.begin(), urls.end(),
                                                      [](const QUrl& url) { return url.isLocalFile(); });
    if (local && (urls.size() == 1 || !controller_->running())) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) {
        event->acceptProposedAction();
        openPath(urls.front().toLocalFile());
    } else if (urls.size() > 1 && !controller_->running()) {
        QStringList paths;
        for (const QUrl& url : urls) {
            paths << url.toLocalFile();
        }
        event->acceptProposedAction();
        compareStudies(paths, false);
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    controller_->stop();
    lessons_->stop();
    present(false);  // its layout is not the one to remember
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState(kLayoutVersion));
    settings.setValue(QStringLiteral("window/columns"), compare_->columnState());
    bar_->save();
    QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        actions_->restyle();
    }
}

void MainWindow::askReserve() {
    const auto& target = target_->target();
    const Bytes bytes = target ? target->file.bytes : mib(256);
    auto* dialog = new ReserveDialog(
        roundUp(bytes, kHugePage) / kHugePage, [] { return poolOf(kHugePage); }, this);
    dialog->open();
}

}  // namespace mmapscope
