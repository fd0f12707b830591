// Lessons on the terminal: list, show, check, run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/outputs.h"
#include "app/cli/plain_markdown.h"
#include "app/cli/progress.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_figures.h"
#include "lesson/lesson_library.h"
#include "lesson/lesson_report.h"
#include "lesson/lesson_runner.h"
#include "lesson/recorded.h"
#include "report/study_file.h"
#include "run/worker_client.h"

namespace mmapscope::cli {
namespace {

struct Options {
    std::vector<std::string> files;
    std::string lesson, predict, folder, markdown, keepStudies;
    unsigned variation = 0;
    bool quiet = false;
};

/// Of what is built in; else a file, where it names one.
Result<Lesson> lessonNamed(const std::string& name) {
    if (const Lesson* lesson = findLesson(name)) {
        return *lesson;
    }
    if (name.find('/') != std::string::npos || name.ends_with(".md")) {
        return loadLesson(name);
    }
    std::vector<std::string_view> known;
    for (const Lesson& lesson : builtInLessons()) {
        known.push_back(lesson.id);
    }
    return fail(ErrorKind::usage,
                fmt::format("there is no lesson {}; there are {} (a file of your own ends in .md)",
                            printable(name), fmt::join(known, ", ")));
}

Exit tell(const Error& error) {
    // A lesson's errors are lines, each with its place.
    if (error.message.find('\n') == std::string::npos) {
        return report(error);
    }
    std::cerr << error.message << '\n';
    return Exit::badInput;
}

Exit list() {
    std::size_t width = 0;
    for (const Lesson& lesson : builtInLessons()) {
        width = std::max(width, lesson.id.size());
    }
    std::string out;
    for (const Lesson& lesson : builtInLessons()) {
        out += fmt::format("{:<{}}  {:>2} min  {}\n", lesson.id, width, lesson.minutes, lesson.title);
    }
    return print(out);
}

Exit figures() {
    std::string out;
    for (const bool ofArm : {false, true}) {
        out += ofArm ? "\nof an arm, {{arm.ARM.NAME}}:\n" : "of a study, {{study.NAME}}:\n";
        for (const FigureName& figure : figureNames()) {
            if (figure.ofArm == ofArm) {
                out += fmt::format("  {:<18} {}{}\n", figure.name, figure.help,
                                   figure.isNumber ? "" : " (words)");
            }
        }
    }
    return print(out + "\nA run that has a name puts it in front: {{small.arm.mmap.minor_faults}}.\n");
}

Exit check(const Options& options) {
    Exit worst = Exit::done;
    for (const std::string& file : options.files) {
        const auto text = readLessonFile(file);
        if (!text) {
            worst = report(text.error());
            continue;
        }
        const LessonCheck checked = checkLesson(*text);
        const std::string lines = remarkLines(file, checked.remarks);
        const Exit printed =
            print(lines + (checked.lesson ? fmt::format("{}: no errors\n", printable(file)) : ""));
        worst = !checked.lesson ? Exit::badInput : worst == Exit::done ? printed : worst;
    }
    return worst;
}

Exit show(const Options& options) {
    const auto lesson = lessonNamed(options.lesson);
    if (!lesson) {
        return tell(lesson.error());
    }
    std::string out = plainMarkdown(lessonBefore(*lesson)) + "\n";
    for (std::size_t i = 0; i < lesson->variations.size(); ++i) {
        out += fmt::format("Variation {}: {}\n  {}\n", i + 1, lesson->variations[i].title,
                           lesson->variations[i].run.study.words);
    }
    return print(out + fmt::format("\nmmapscope-cli lesson run {}    measures it and explains\n",
                                   printable(options.lesson)));
}

Result<Predicted> askPrediction(const Lesson& lesson) {
    while (true) {
        std::cerr << "your prediction: " << std::flush;
        std::string line;
        if (!std::getline(std::cin, line)) {
            return fail(ErrorKind::usage, "nothing was predicted; type an answer, or give it with --predict");
        }
        auto predicted = parsePrediction(lesson.prediction, line);
        if (predicted || ::isatty(STDIN_FILENO) == 0) {
            return predicted;
        }
        printError(predicted.error().message);
    }
}

struct Asked {
    std::optional<Predicted> predicted;
    const LessonVariation* variation = nullptr;
};

Result<Asked> ask(const Lesson& lesson, const Options& options) {
    std::error_code ignored;
    if (!options.keepStudies.empty() && !std::filesystem::is_directory(options.keepStudies, ignored)) {
        return fail(ErrorKind::usage, fmt::format("--keep-studies: {} is not a folder; make it first",
                                                  printable(options.keepStudies)));
    }
    if (options.variation > lesson.variations.size()) {
        return fail(ErrorKind::usage, fmt::format("--variation {}: this lesson has {}", options.variation,
                                                  lesson.variations.size()));
    }
    if (options.variation > 0) {
        if (!options.predict.empty() || !options.markdown.empty()) {
            return fail(ErrorKind::usage,
                        "--variation goes with neither --predict nor --markdown; leave it out");
        }
        return Asked{std::nullopt, &lesson.variations[options.variation - 1]};
    }
    if (!options.markdown.empty()) {
        if (auto writable = checkWritable(options.markdown); !writable) {
            return fail(ErrorKind::usage, writable.error().message);
        }
    }
    std::optional<Result<Predicted>> given;
    if (!options.predict.empty()) {
        given = parsePrediction(lesson.prediction, options.predict);
    }
    if (!given || *given) {
        if (const Exit printed = print(plainMarkdown(lessonBefore(lesson)) + "\n"); printed != Exit::done) {
            return fail(ErrorKind::failed, "the lesson can't be shown");
        }
    }
    auto predicted = given ? *given : askPrediction(lesson);
    if (!predicted) {
        return fail(ErrorKind::usage, options.predict.empty() ? predicted.error().message
                                                              : "--predict: " + predicted.error().message);
    }
    return Asked{*predicted, nullptr};
}

/// What the runs have to say of the exit status.
Exit statusOf(const LessonResults& results) {
    for (const LessonMeasured& measured : results.measured) {
        if (!measured.study) {
            return report({measured.errorKind, measured.reason});
        }
        for (const RunRecord& run : measured.study->runs) {
            if (run.status == RunStatus::failed) {
                printError(run.error);
                return Exit::runFailed;
            }
        }
    }
    for (const LessonMeasured& measured : results.measured) {
        for (const RunRecord& run : measured.study->runs) {
            if (run.status == RunStatus::unavailable) {
                return Exit::unavailable;  // said where its figures belong
            }
        }
    }
    return Exit::done;
}

Exit saveStudies(const Options& options, const Lesson& lesson, const LessonResults& results) {
    Exit worst = Exit::done;
    for (const LessonMeasured& measured : results.measured) {
        if (options.keepStudies.empty() || !measured.study) {
            continue;
        }
        const std::string run = measured.name.empty() ? "" : "-" + measured.name;
        if (const auto saved =
                saveStudy(*measured.study, fmt::format("{}/{}{}.json", options.keepStudies, lesson.id, run));
            !saved) {
            worst = report(saved.error());
        }
    }
    return worst;
}

Exit run(const Options& options) {
    const auto lesson = lessonNamed(options.lesson);
    if (!lesson) {
        return tell(lesson.error());
    }
    auto worker = findWorkerProgram();
    if (!worker) {
        return report(worker.error());
    }
    const auto asked = ask(*lesson, options);
    if (!asked) {
        return report(asked.error());
    }
    ProgressLine line(options.quiet);
    const std::vector<LessonRun> runs =
        asked->variation == nullptr ? lesson->runs : std::vector<LessonRun>{asked->variation->run};
    auto results = runLesson(
        runs, {options.folder, std::move(*worker)},
        [&](const LessonProgress& p) { line.show(fmt::format("{}, {:.0f} %", p.doing, p.fraction * 100)); },
        stopToken());
    line.end();
    if (!results) {
        return report(results.error());
    }
    if (!results->complete) {
        printError("stopped; run it again for the explanation");
        return Exit::cancelled;
    }
    const Exit measured = statusOf(*results);
    const Exit saved = saveStudies(options, *lesson, *results);
    const Exit status = measured == Exit::done ? saved : measured;
    if (asked->variation == nullptr) {
        *results = withRecorded(*lesson, std::move(*results));
    }
    std::string out = asked->variation != nullptr
                          ? variationAfter(*asked->variation, *results)
                          : lessonJudged(*lesson, asked->predicted, *results) + lessonTables(*results) +
                                lessonAfter(*lesson, *results);
    out = plainMarkdown(out);
    if (asked->variation == nullptr) {
        out += "\nTo go on:\n";
        for (std::size_t i = 0; i < lesson->variations.size(); ++i) {
            out += fmt::format("  mmapscope-cli lesson run {} --variation {}    {}\n",
                               printable(options.lesson), i + 1, lesson->variations[i].title);
        }
    }
    Exit printed = print(out);
    if (!options.markdown.empty()) {
        const Exit written =
            writeTo(options.markdown, lessonNotebook(*lesson, asked->predicted, *results, ""));
        printed = printed == Exit::done ? written : printed;
    }
    return printed == Exit::done ? status : printed;
}

}  // namespace

void addLesson(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("lesson", "Lessons: predict, measure here, understand");
    command->require_subcommand(1);
    auto o = std::make_shared<Options>();
    command->add_subcommand("list", "The lessons there are")->callback([&exit] { exit = list(); });
    command->add_subcommand("figures", "The names a lesson's text can use for what was measured")
        ->callback([&exit] { exit = figures(); });
    auto* checked =
        command->add_subcommand("check", "Errors and warnings of lesson files, each with its line");
    checked->add_option("FILE", o->files, "Markdown files")->required();
    checked->footer(
        "Keys: id, title, minutes, run, also, question, kind (choice, number), options, unit, least, most,\n"
        "answer, within, wrong, variations, sources; then the text, with a line {{run}} in it. The lessons "
        "in\n"
        "resources/lessons are examples.");
    checked->callback([o, &exit] { exit = check(*o); });
    auto* shown = command->add_subcommand("show", "A lesson's text and question");
    shown->add_option("LESSON", o->lesson, "Its id, or a file of your own (.md)")->required();
    shown->callback([o, &exit] { exit = show(*o); });
    auto* ran = command->add_subcommand("run", "Ask for a prediction, measure, explain");
    ran->add_option("LESSON", o->lesson, "Its id, or a file of your own (.md)")->required();
    ran->add_option("--predict", o->predict, "The answer, instead of asking for it");
    ran->add_option("--variation", o->variation, "Run this variation (1, 2, …) instead");
    ran->add_option("--folder", o->folder,
                    "Make the samples here (removed afterwards); default: the user's cache folder");
    ran->add_option("--keep-studies", o->keepStudies, "Save the studies behind the figures in this folder");
    ran->add_option("--markdown", o->markdown,
                    "Write a page of a notebook here: prediction, figures, explanation");
    ran->add_flag("--quiet", o->quiet, "No progress");
    ran->callback([o, &exit] { exit = run(*o); });
}

}  // namespace mmapscope::cli
