# Shared by run.sh and test.sh: installs what is missing and builds. To be sourced.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# need KIND…: installs the Debian packages of those kinds that are missing; quiet when all are there.
need() {
    local missing=() kind name state as_root=()
    while read -r kind name; do
        case " $* " in
            *" $kind "*)
                state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null || true)
                [ "${state:0:2}" = ii ] || missing+=("$name")
                ;;
        esac
    done < <(grep -v '^#' "$top/packaging/dependencies.txt")
    [ ${#missing[@]} -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        say "These packages are needed and apt-get isn't here to install them: ${missing[*]}"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "These packages are needed: ${missing[*]}"
            say "Install them as root: apt-get install --no-install-recommends ${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages with apt-get: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
               apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        say "apt-get failed; the whole of what it said is in $log"
        return 1
    fi
    rm -f "$log"
}

# build PRESET [TARGET…]: quiet when nothing needs building.
build() {
    local preset=$1 log dir
    shift
    dir="$top/build/$preset"
    log=$(mktemp)
    if [ ! -f "$dir/build.ninja" ]; then
        say "Building mmapscope ($preset) in $dir; the first time takes some minutes …"
    fi
    if ! (cd "$top" && cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}) \
            >"$log" 2>&1; then
        grep -E -A12 'error|FAILED|Error' "$log" | head -n 60 >&2
        say "The build failed; the whole of what it said is in $log"
        return 1
    fi
    rm -f "$log"
}
