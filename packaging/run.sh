#!/usr/bin/env bash
# Starts mmapscope: packaging/run.sh [FILE]. Everything after --cli goes to mmapscope-cli instead.
# Installs what it needs from packaging/dependencies.txt and builds, both only when necessary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need build run
build release mmapscope mmapscope-cli mmapscope-worker
bin="$top/build/release/bin"

if [ "${1:-}" = --cli ]; then
    shift
    exec "$bin/mmapscope-cli" "$@"
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
    exec "$bin/mmapscope" "$@"
fi

say "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can open."
say "Instead: the comparison of a small sample, without a screen. For a file of yours:"
say "  packaging/run.sh --cli run FILE"
say
sample=$(mktemp -d)
trap 'rm -rf "$sample"' EXIT
if [ $# -gt 0 ]; then
    "$bin/mmapscope-cli" run "$@"
    exit
fi
"$bin/mmapscope-cli" corpus zstd --size 256MiB --out "$sample/sample.zst" --quiet
"$bin/mmapscope-cli" run "$sample/sample.zst" --workload zstd --source read --source mmap --source mmap-populate \
    --rounds 7
