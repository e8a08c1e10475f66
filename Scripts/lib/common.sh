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

# show_help: prints the calling script's comment.
show_help() {
    sed -nE '2,/^set/{/^set/d; s/^# ?//p}' "$0"
    exit 0
}

# Options of `swift build` for every build of this repository, because other options mean compiling it again.
checked_imports=(--explicit-target-dependency-import-check error)

# Options of `swift build` and `swift test` for a build with every trait, in a folder of its own.
traits_build="$root/.build-traits"
with_every_trait=(--enable-all-traits --scratch-path "$traits_build")

# is_current STAMP FOLDER…: nothing in the folders is newer than the stamp. Folders count too, so that a removed file shows.
is_current() {
    local stamp=$1
    shift
    [[ -e $stamp ]] && [[ -z $(find "$@" -name '.build*' -prune -o -newer "$stamp" -print -quit) ]]
}

# build_release PRODUCT [PACKAGE]: builds a command in release, of this package or of one in Apps, and sets `binary` to its path.
# Quick when nothing changed. The compiler's output goes to a log.
build_release() {
    local product=$1 folder="$root${2:+/Apps/$2}"
    local stamp="$folder/.build/$product.stamp" log="$root/out/build-$product.log"
    binary="$folder/.build/release/$product"
    if [[ -x $binary ]] && is_current "$stamp" "$root/Package.swift" "$root/Packages" "$root/Apps" "$root/Tests"; then return; fi
    mkdir -p "$folder/.build" "$root/out"
    touch "$stamp.new"
    python3 "$root/Scripts/lib/run_step.py" --name "building $product in release" --log "$log" -- \
        swift build --package-path "$folder" -c release --product "$product" "${checked_imports[@]}" ||
        fail "$product does not build" "if it misses a header: Scripts/bootstrap"
    mv "$stamp.new" "$stamp"
}

# has_desktop: the desktop app can be built and shown, on a screen or on a virtual one.
has_desktop() { pkg-config --exists gtk4 2>/dev/null && command -v Xvfb >/dev/null; }

# sources: every Swift file of the repository, build folders left out, zero-terminated.
sources() {
    local folder
    for folder in Package.swift Packages Tests Apps; do
        if [[ -e $root/$folder ]]; then
            find "$root/$folder" -name '.build*' -prune -o -name '*.swift' -type f -print0
        fi
    done
}
