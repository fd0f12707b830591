// mmapscope-screenshots FOLDER [MIB]: drives the real window through a small study and saves what it looks
// like, light and dark. Run it on a display (Xvfb will do) so that the fonts are real.
#include <QCheckBox>
#include <QCommandLineParser>
#include <QDir>
#include <QTabWidget>
#include <functional>

#include "app/gui/arms_panel.h"
#include "app/gui/icons.h"
#include "app/gui/main_window.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/theme_setting.h"
#include "app/gui/user_data.h"
#include "gui_support.h"
#include "support/pool_guard.h"
#include "widgets/fault_histogram.h"
#include "widgets/fault_map_panel.h"

using namespace mmapscope;

namespace {

constexpr int kRounds = 7;
constexpr int kSettleMs = 400;
constexpr int kPatienceMs = 600000;

bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, kPatienceMs);
}

class Album {
  public:
    Album(MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}

    void take(const char* name) {
        for (const auto& [theme, suffix] :
             {std::pair(ThemeChoice::light, "light"), {ThemeChoice::dark, "dark"}}) {
            takeIn(theme, suffix, name);
        }
    }
    /// One theme only: what moves can't be seen twice.
    void takeIn(ThemeChoice theme, const char* suffix, const char* name) {
        setTheme(theme);
        QTest::qWait(kSettleMs);
        const QString path =
            QStringLiteral("%1/%2-%3.png").arg(folder_, QLatin1String(name), QLatin1String(suffix));
        if (!window_.grab().save(path)) {
            qWarning("can't write %s", qPrintable(path));
            failed_ = true;
        }
    }
    [[nodiscard]] bool failed() const { return failed_; }

  private:
    MainWindow& window_;
    QString folder_;
    bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const testing::Home home;
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2 || !QDir().mkpath(arguments[1])) {
        qWarning("usage: mmapscope-screenshots FOLDER [MIB]");
        return 2;
    }
    const Bytes size = mib(arguments.size() > 2 ? arguments[2].toULongLong() : 256);
    QApplication::setWindowIcon(programIcon());
    setTheme(ThemeChoice::light);
    MainWindow window;
    window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
    window.resize(1440, 900);
    window.show();
    Album album(window, arguments[1]);
    album.take("start");

    // As root, enough huge pages for their arm to be in the picture; without them it is greyed there.
    const test::PoolGuard hugePages(size / kHugePage);
    QDir().mkpath(samplesFolder());
    CorpusRequest request;
    request.kind = CorpusKind::zstd;
    request.size = size;
    request.out = (samplesFolder() + QStringLiteral("/sample.zst")).toStdString();
    if (!makeCorpus(request, {})) {
        qWarning("the sample can't be made");
        return 1;
    }
    window.openPath(QString::fromStdString(request.out));
    if (!waitFor([&] { return window.armsPanel()->ready(); })) {
        return 1;
    }
    album.take("ready");

    window.findChild<StudyBar*>()->setRounds(kRounds);
    auto* trace = window.findChild<QCheckBox*>(QStringLiteral("traceFaults"));
    if (trace == nullptr) {
        qWarning("there is no check box for tracing faults");
        return 1;
    }
    trace->setChecked(true);
    window.run();
    unsigned ended = 0;
    QObject::connect(window.controller(), &StudyController::runEnded, &window, [&] { ++ended; });
    const auto arms = static_cast<unsigned>(window.armsPanel()->arms().size());
    if (!waitFor([&] { return ended > 3 * arms; })) {
        return 1;
    }
    album.takeIn(ThemeChoice::light, "light", "running");
    album.takeIn(ThemeChoice::dark, "dark", "running");
    if (!waitFor([&] { return !window.controller()->running(); })) {
        return 1;
    }
    album.take("compare");
    auto* tabs = window.findChild<QTabWidget*>(QStringLiteral("tabs"));
    tabs->setCurrentIndex(0);
    album.take("live");
    auto* faults = window.findChild<FaultMapPanel*>();
    tabs->setCurrentWidget(faults);
    // Where perf events are refused, the picture is of the tab that says so.
    if (faults->arm() && !waitFor([&] { return !faults->strides()->bins().empty(); })) {
        return 1;
    }
    album.take("faultmap");
    return album.failed() ? 1 : 0;
}
