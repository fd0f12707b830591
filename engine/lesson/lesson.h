// A lesson: a question, the learner's prediction, a measurement on the learner's own machine, and an
// explanation in which the numbers are the ones just measured. Written as a Markdown file, see
// lesson_check.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/corpus.h"
#include "study/study_runner.h"

namespace mmapscope {

/// What a `run:` line asks for: a study of a sample that is made for it.
struct LessonStudy {
    std::string words;  ///< as written
    CorpusKind corpus = CorpusKind::bytes;
    Bytes size;  ///< of the sample; zstd: before compression
    std::string workload;
    Parameters workloadParameters;
    std::vector<ArmRequest> arms;
    std::vector<std::string> labels;  ///< one an arm: how figures name it
    CacheState cache = CacheState::warm;
    unsigned rounds = 0;
    unsigned warmups = 1;
    std::optional<Bytes> memoryCap;
    std::size_t baseline = 0;
    bool traceFaults = false;
};

struct LessonRun {
    std::string name;  ///< in front of its figures' names; empty: the main one
    LessonStudy study;
};

/// One side of a comparison: a number, a figure, or a figure times a number.
struct LessonTerm {
    double factor = 1;
    std::string figure;  ///< empty: `factor` is the number
};
struct LessonComparison {
    enum class Sign { less, atMost, more, atLeast };
    LessonTerm left, right;
    Sign sign = Sign::less;
};
/// All of them; none: always.
using LessonCondition = std::vector<LessonComparison>;

struct LessonOption {
    std::string name, text;
    LessonCondition when;  ///< the first option whose condition holds is what happened
};

enum class PredictionKind { choice, number };

struct LessonPrediction {
    std::string question;
    PredictionKind kind = PredictionKind::choice;
    std::vector<LessonOption> options;  ///< choice
    std::string unit;                   ///< number, and what follows
    double least = 0, most = 0;
    std::string answer;  ///< the figure it is held against
    double within = 2;   ///< right up to this factor, either way
};

/// Shown when the prediction was off and is one of these.
struct WrongAnswer {
    std::vector<std::string> options;   ///< choice
    std::optional<double> least, most;  ///< number, inclusive
    bool above = false, below = false;  ///< number: off to that side of what was measured
    std::string right, wrong;           ///< what is right about it, and what isn't
};

struct LessonVariation {
    std::string title;
    LessonRun run;
    std::string look;  ///< what to look at once it ran; may hold figures
};

struct Lesson {
    std::string id, title;
    unsigned minutes = 0;
    std::vector<LessonRun> runs;  ///< the main one first
    LessonPrediction prediction;
    std::vector<WrongAnswer> wrongAnswers;
    std::vector<LessonVariation> variations;
    std::vector<std::string> sources;
    std::string before, after;  ///< Markdown: shown before the run, and after it with its figures
};

}  // namespace mmapscope
