# Shared by the scripts of the folder above; sourced, never run.
# shellcheck shell=bash

# The repository, whatever the current folder is.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# Messages go to standard error: standard output belongs to the tools that a script runs.
say() { printf '==> %s\n' "$*" >&2; }

# fail MESSAGE [CURE]…: ends the script.
fail() {
    printf 'error: %s\n' "$1" >&2
    shift
    for cure in "$@"; do printf '       %s\n' "$cure" >&2; done
    exit 1
}

# app_is_current STAMP FOLDER…: nothing in the folders is newer than the stamp. Folders count too, so that a removed file shows.
app_is_current() {
    local stamp=$1
    shift
    [[ -e $stamp ]] && [[ -z $(find "$@" -name '.build*' -prune -o -newer "$stamp" -print -quit) ]]
}

# build_app APP PRODUCT: builds a product of Apps/APP in release and sets `binary` to its path. Quick when nothing changed.
build_app() {
    local folder="$root/Apps/$1" product=$2
    local stamp="$folder/.build/$product.stamp"
    binary="$folder/.build/release/$product"
    [[ -e $folder/Package.swift ]] || fail "there is no app at Apps/$1" "is the clone complete? git status, git checkout -- Apps"
    if [[ -x $binary ]] && app_is_current "$stamp" "$root/Package.swift" "$root/Packages" "$folder"; then return; fi
    say "building $product (release; from nothing that takes a minute or two on two cores)"
    mkdir -p "$folder/.build"
    touch "$stamp.new"
    swift build --package-path "$folder" -c release --product "$product" >&2 ||
        fail "$product does not build" "the compiler's message is above; if it misses a header: Scripts/bootstrap"
    mv "$stamp.new" "$stamp"
}

# has_desktop: the desktop app can be built and shown, on a screen or on one that is only memory.
has_desktop() { pkg-config --exists gtk4 2>/dev/null && command -v Xvfb >/dev/null; }

# on_virtual_screen COMMAND…: runs it on a screen that is only memory, painted by the processor: the same everywhere.
on_virtual_screen() {
    local number screen status=0
    number=$(mktemp)
    Xvfb -displayfd 3 -screen 0 1600x1200x24 -nolisten tcp 3>"$number" >/dev/null 2>&1 &
    screen=$!
    for _ in {1..100}; do
        [[ -s $number ]] && break
        sleep 0.1
    done
    DISPLAY=":$(<"$number")" GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=test "$@" || status=$?
    kill "$screen" 2>/dev/null || true
    wait "$screen" 2>/dev/null || true
    rm -f "$number"
    return "$status"
}

# sources: every Swift file of the repository, build folders left out, zero-terminated.
sources() {
    local place
    for place in Package.swift Packages Tests Apps; do
        if [[ -e $root/$place ]]; then
            find "$root/$place" -name '.build*' -prune -o -name '*.swift' -type f -print0
        fi
    done
}
