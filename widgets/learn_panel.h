// Learn: the lessons; one's text, the prediction asked for, and after the run the plot and the explanation
// with the figures just measured. It starts nothing: what is to run is asked for.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "lesson/judgement.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"
#include "widgets/theme.h"

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTextBrowser;

namespace mmapscope {

class LessonChart;
class PredictionBox;

class LearnPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LearnPanel(QWidget* parent = nullptr);

    /// Whose runs are asked for, or shown.
    [[nodiscard]] const Lesson& lesson() const;
    void choose(int lesson);

    /// Something runs: `mine` is what this panel asked for, else it only has to wait.
    void setRunning(bool running, bool mine);
    void setProgress(const QString& doing, double fraction);
    /// Of what was asked for last: the lesson, or a variation.
    void showResults(const LessonResults& results);
    /// The runs ended without results.
    void showFailure(const QString& error);

    /// Large type, nothing but the lesson.
    void setPresenting(bool presenting);
    [[nodiscard]] bool presenting() const { return presenting_; }

    /// A page to hand in, as Markdown; empty before the run.
    [[nodiscard]] QString notebook() const;
    [[nodiscard]] QImage plotImage() const;

  signals:
    /// Outlives the run: a copy.
    void runAsked(std::vector<mmapscope::LessonRun> runs);
    void stopAsked();
    void presentAsked(bool presenting);
    void saveAsked();
    /// To look at closely, in Compare.
    void studyAsked(std::shared_ptr<const mmapscope::Study> study);

  protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void buildPage(QWidget* page);
    void buildButtons();
    void showLesson();
    void runLessonNow();
    void runVariation(int variation);
    void showPage(const QString& markdown, bool fromTop);
    void updateButtons();
    void restyle();
    void zoom(int points);

    QListWidget* list_;
    QTextBrowser* page_;
    PredictionBox* prediction_;
    QPushButton* run_;
    QPushButton* stop_;
    QPushButton* present_;
    QPushButton* save_;
    QPushButton* compare_;
    QLabel* hint_;
    QProgressBar* progress_;
    LessonChart* chart_;
    QLabel* wordsLabel_;
    QPlainTextEdit* words_;
    std::vector<QPushButton*> variations_;
    QString markdown_;  ///< on the page
    Theme theme_;

    int current_ = 0;
    int variation_ = -1;                    ///< that was asked for last; −1: the lesson itself
    std::optional<Predicted> predicted_;    ///< when the run was asked for
    std::optional<LessonResults> results_;  ///< of the lesson itself
    std::shared_ptr<const Study> study_;    ///< the first one of what is shown
    bool running_ = false, mine_ = false, presenting_ = false;
    QFont plainFont_;
};

}  // namespace mmapscope
