# Functions shared by the scripts. Source this file.
# shellcheck shell=bash

# The root of the repository.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# Prints a message to standard error, because standard output is for the tools that a script runs.
say() { printf '==> %s\n' "$*" >&2; }

# fail MESSAGE [ADVICE]…: prints an error and exits.
fail() {
    printf 'error: %s\n' "$1" >&2
    shift
    for advice in "$@"; do printf '       %s\n' "$advice" >&2; done
    exit 1
}

# show_help: prints the header comment of the calling script.
show_help() {
    sed -nE '2,/^set/{/^set/d; s/^# ?//p}' "$0"
    exit 0
}

# Options of `swift build`, the same for all builds, because different options would recompile everything. Warnings are errors here and
# not in the manifest, because Xcode 26 and its build system can't build a dependency with that setting.
checked_imports=(--explicit-target-dependency-import-check error)
checked_build=("${checked_imports[@]}" -Xswiftc -warnings-as-errors)

# `swift build` with traits in one order. SwiftPM 6.3 passes them to the compiler in the random order of a set, and another order
# recompiles everything (https://github.com/swiftlang/swift-package-manager/issues/10525).
swift_build=(env SWIFT_DETERMINISTIC_HASHING=1 swift build)

# For builds that only checks use: without what a debugger needs, and each module compiled as a whole. That takes a third of the
# compiler's time off.
built_once=(-Xswiftc -gnone -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2)

# Options of `swift build` and `swift test` for a build with all traits in a separate folder.
traits_build="$root/.build-traits"
with_every_trait=(--enable-all-traits --scratch-path "$traits_build" "${built_once[@]}" "${checked_build[@]}")

# The same for the image server.
server_with_every_trait=(--package-path "$root/Apps/ImageServer" --enable-all-traits "${built_once[@]}")

# Prints the traits of the formats whose C libraries are installed, separated by commas.
format_traits() {
    local traits=""
    if pkg-config --exists libavif 2>/dev/null; then traits+=,AVIF; fi
    if pkg-config --exists libheif libde265 2>/dev/null; then traits+=,HEIF; fi
    if pkg-config --exists libjxl 2>/dev/null; then traits+=,JXL; fi
    if pkg-config --exists libtiff-4 2>/dev/null; then traits+=,TIFF; fi
    if pkg-config --exists librsvg-2.0 2>/dev/null; then traits+=,SVG; fi
    printf '%s' "${traits#,}"
}

# Prints the traits of the image server whose C libraries are installed, separated by commas.
server_traits() {
    local traits
    traits="Redis,$(format_traits)"
    printf '%s' "${traits/,,/,}"
}

# is_current STAMP FOLDER…: succeeds if no file in the folders is newer than the stamp, except those that a build writes, and no
# folder of sources or tests, which would be newer if a file was removed.
is_current() {
    local stamp=$1
    shift
    [[ -e $stamp ]] && [[ -z $(find "$@" \( -name '.build*' -o -name Package.resolved \) -prune -o \
        \( ! -type d -o -path '*/Sources*' -o -path '*/Tests*' \) -newer "$stamp" -print -quit) ]]
}

# build_release PRODUCT [PACKAGE]: builds a command of this package, or of one in Apps, in release. Sets `binary` to its path.
# Skips the build if nothing changed since the last one, and nobody else built the command, perhaps with other traits. The compiler's
# output goes to a log. The commands have all formats that can be built, except photo-feed, whose package has no traits.
build_release() {
    local product=$1 folder="$root${2:+/Apps/$2}" options=("${checked_build[@]}")
    local stamp="$folder/.build/$product.stamp" log="$root/out/build-$product.log" traits
    binary="$folder/.build/release/$product"
    if [[ -x $binary && ! $binary -nt $stamp.built ]] && is_current "$stamp" "$root/Package.swift" "$root/Packages" "$root/Apps" "$root/Tests"; then return; fi
    mkdir -p "$folder/.build" "$root/out"
    traits=$(format_traits)
    case "$product" in
        photo-feed) traits="" ;;
        image-server)
            traits=$(server_traits)
            # As in its image for containers.
            [[ $(uname) == Linux ]] && options+=(--static-swift-stdlib)
            ;;
    esac
    if [[ -n $traits ]]; then options+=(--traits "$traits"); fi
    touch "$stamp.new"
    python3 "$root/Scripts/lib/run_step.py" --name "building $product in release" --log "$log" -- \
        "${swift_build[@]}" --package-path "$folder" -c release --product "$product" "${options[@]}" ||
        fail "$product doesn't build" "if a header is missing, run Scripts/bootstrap"
    mv "$stamp.new" "$stamp"
    touch "$stamp.built"
}

# has_desktop: succeeds if the desktop app can be built and run on a virtual screen.
has_desktop() { pkg-config --exists gtk4 libadwaita-1 2>/dev/null && command -v Xvfb >/dev/null; }

# sources: prints all Swift files of the repository except those in build folders, zero-terminated.
sources() {
    local folder
    for folder in Package.swift Packages Tests Apps; do
        if [[ -e $root/$folder ]]; then
            find "$root/$folder" -name '.build*' -prune -o -name '*.swift' -type f -print0
        fi
    done
}
