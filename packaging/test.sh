#!/usr/bin/env bash
# Builds mmapscope and runs every test. packaging/test.sh [PRESET]: release (the default), debug, asan or tsan.
# Installs what it needs from packaging/dependencies.txt, only when something is missing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
need build run test ${MMAPSCOPE_CI:+server}
build "$preset"
cd "$top/build/$preset"
QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 ctest --output-on-failure --no-tests=error
