#include "app/gui/compare_window.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include "report/comparison.h"
#include "report/study_file.h"
#include "widgets/side_by_side_panel.h"

namespace mmapscope {
namespace {

Result<SideBySide> readAndCompare(const std::shared_ptr<const Study>& first,
                                  const std::vector<std::string>& paths) {
    std::vector<NamedStudy> studies;
    if (first != nullptr) {
        studies.push_back({"open study", first});
    }
    const auto names = namesOfStudies(paths);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        auto study = loadStudy(paths[i]);
        if (!study) {
            return tl::unexpected(study.error());
        }
        studies.push_back({names[i], std::make_shared<const Study>(std::move(*study))});
    }
    return compareStudies(studies);
}

}  // namespace

CompareWindow::CompareWindow(std::shared_ptr<const Study> first, const QStringList& paths, QWidget* parent)
    : QDialog(parent),
      state_(new QLabel(tr("Reading the studies…"), this)),
      panel_(new SideBySidePanel(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Close, this)) {
    setWindowTitle(tr("Studies side by side – mmapscope"));
    setWindowFlag(Qt::WindowMaximizeButtonHint);
    state_->setWordWrap(true);
    state_->setTextFormat(Qt::PlainText);
    panel_->hide();
    auto* copy = buttons_->addButton(tr("&Copy as Markdown"), QDialogButtonBox::ActionRole);
    auto* save = buttons_->addButton(tr("&Save as"), QDialogButtonBox::ActionRole);
    auto* menu = new QMenu(save);
    const auto item = [&](const QString& name, const QString& suffix, auto write) {
        connect(menu->addAction(name), &QAction::triggered, this, [this, suffix, write] {
            emit saveAsked(suffix, [compared = compared_, write] { return write(*compared); });
        });
    };
    item(tr("&Markdown…"), QStringLiteral("md"), comparisonToMarkdown);
    item(tr("&CSV…"), QStringLiteral("csv"), comparisonToCsv);
    item(tr("&JSON…"), QStringLiteral("json"), comparisonToJson);
    save->setMenu(menu);
    for (QPushButton* button : {copy, save}) {
        button->setEnabled(false);
        connect(this, &CompareWindow::ready, button,
                [this, button] { button->setEnabled(compared_ != nullptr); });
    }
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(comparisonToMarkdown(*compared_)));
    });
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* box = new QVBoxLayout(this);
    box->addWidget(state_);
    box->addWidget(panel_, 1);
    box->addWidget(buttons_);
    resize(fontMetrics().averageCharWidth() * 120, fontMetrics().height() * 42);

    std::vector<std::string> files;
    for (const QString& path : paths) {
        files.push_back(path.toStdString());
    }
    job_.start(
        [first = std::move(first), files](BackgroundJob::Link&) { return readAndCompare(first, files); },
        [this](Result<SideBySide> compared) { take(std::move(compared)); });
}

void CompareWindow::take(Result<SideBySide> compared) {
    if (compared) {
        compared_ = std::make_shared<const SideBySide>(std::move(*compared));
        panel_->setComparison(*compared_);
        panel_->show();
        state_->hide();
    } else {
        state_->setText(QString::fromStdString(compared.error().message));
    }
    emit ready();
}

QString CompareWindow::problem() const {
    return compared_ == nullptr ? state_->text() : QString();
}

}  // namespace mmapscope
