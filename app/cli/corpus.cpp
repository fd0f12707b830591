// Makes synthetic inputs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/progress.h"
#include "core/text.h"
#include "corpus/corpus.h"
#include "workload/tick_schema.h"

namespace mmapscope::cli {
namespace {

struct Options {
    std::string kind;
    std::string size;
    bool quiet = false;
    CorpusRequest request;
};

std::string schemaNames() {
    std::vector<std::string_view> names;
    for (const TickSchema& schema : knownTickSchemas()) {
        names.push_back(schema.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

Exit make(Options& options) {
    const auto size = parseBytes(options.size);
    if (!size) {
        return report({ErrorKind::usage, "--size: " + size.error().message});
    }
    auto& request = options.request;
    request.size = *size;
    request.kind = options.kind == "bytes"  ? CorpusKind::bytes
                   : options.kind == "zstd" ? CorpusKind::zstd
                                            : CorpusKind::ticks;
    ProgressLine progress(options.quiet);
    const auto written = makeCorpus(request, stopToken(), [&](double share) {
        progress.show(fmt::format("making {}: {:.0f} %", printable(request.out), share * 100));
    });
    progress.end();
    if (!written) {
        return report(written.error());
    }
    return print(
        fmt::format("{}: {} ({} bytes)\n", printable(request.out), formatBytes(*written), written->count()));
}

}  // namespace

void addCorpus(CLI::App& app, Exit& exit) {
    auto* command =
        app.add_subcommand("corpus", "Make a synthetic file: the same bytes for the same seed everywhere");
    auto o = std::make_shared<Options>();
    command
        ->add_option("KIND", o->kind,
                     "bytes: 4 KiB of random bytes and 4 KiB of one byte in turn; zstd: the same, compressed "
                     "(--level, --frames, --checksum); ticks: rows of trades as CSV (--schema, --compressed)")
        ->required()
        ->check(CLI::IsMember({"bytes", "zstd", "ticks"}));
    command->add_option("--size", o->size, "Size before compression, such as 256MiB")->required();
    command->add_option("--out", o->request.out, "File to write")->required();
    command->add_option("--seed", o->request.seed, "Seed of the generator")
        ->capture_default_str()
        ->check(checkWhole);
    command->add_option("--level", o->request.level, "zstd level")->capture_default_str();
    command->add_option("--frames", o->request.frames, "zstd: independent frames")
        ->capture_default_str()
        ->check(checkWhole);
    command->add_flag("--checksum", o->request.checksum, "zstd: frame checksums");
    command
        ->add_option("--schema", o->request.schema,
                     "ticks: " + schemaNames() + ", or columns as name:kind,name:kind")
        ->capture_default_str();
    command->add_flag("--compressed", o->request.compressed, "ticks: compress with zstd");
    command->add_flag("--quiet", o->quiet, "No progress");
    command->callback([o, &exit] { exit = make(*o); });
}

}  // namespace mmapscope::cli
