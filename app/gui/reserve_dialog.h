// Reserving huge pages: the command, and with the user's consent its run through pkexec(1).
#pragma once

#include <QDialog>
#include <QProcess>
#include <functional>
#include <optional>

#include "core/result.h"
#include "probe/huge_pages.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace mmapscope {

/// Never waits: pkexec asks for its password in a process of its own.
class ReserveDialog : public QDialog {
    Q_OBJECT

  public:
    /// `wanted`: pages to suggest. `readPool` is asked again after each change.
    ReserveDialog(std::uint64_t wanted, std::function<Result<PoolFacts>()> readPool,
                  QWidget* parent = nullptr);
    ~ReserveDialog() override;

  private:
    [[nodiscard]] std::uint64_t total() const;  ///< the pool's size that is asked for
    void showCommand();
    void runPkexec(std::uint64_t pages);
    void finished(int code, QProcess::ExitStatus status);
    void failedToStart();
    void say(const QString& text, bool trouble);

    std::function<Result<PoolFacts>()> readPool_;
    PoolFacts before_;
    std::optional<PoolFacts> now_;
    std::uint64_t asked_ = 0;
    QProcess* process_;
    QSpinBox* pages_;
    QLineEdit* command_;
    QPushButton* run_;
    QPushButton* putBack_;
    QLabel* outcome_;
};

}  // namespace mmapscope
