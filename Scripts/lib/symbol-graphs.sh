# Reads the public API of built modules. Sourced by scripts, after common.sh.
# shellcheck shell=bash

# find_module_maps BIN CHECKOUTS: sets `maps` to the compiler options for the C modules of a build, with those of optional dependencies.
find_module_maps() {
    local map flag
    maps=()
    for flag in $(pkg-config --cflags gtk4 2>/dev/null); do maps+=(-Xcc "$flag"); done
    for map in "$root"/Packages/*/Sources/CLib*/module.modulemap "$1"/*.build/module.modulemap \
        "$2"/*/Sources/*/include/module.modulemap; do
        if [[ -e $map ]]; then maps+=(-Xcc "-fmodule-map-file=$map"); fi
    done
}

# extract_symbol_graphs BIN CHECKOUTS FOLDER [OPTION]…: writes the symbol graphs of the modules of this package that were built.
extract_symbol_graphs() {
    local bin=$1 folder=$3 module triple
    find_module_maps "$1" "$2"
    shift 3
    mkdir -p "$folder"
    triple=$(swiftc -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
    for module in "$root"/Packages/*/; do
        module=$(basename "$module")
        # Skips a module for other platforms.
        if [[ ! -e $bin/Modules/$module.swiftmodule ]]; then continue; fi
        swift symbolgraph-extract -module-name "$module" -I "$bin/Modules" "${maps[@]}" -target "$triple" \
            -minimum-access-level public -skip-synthesized-members -output-dir "$folder" "$@" ||
            fail "can't read the API of $module" "see the compiler's message above"
    done
}
