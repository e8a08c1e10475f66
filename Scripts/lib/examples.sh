# Compiles the Swift examples of READMEs. Sourced by Scripts/check-docs and Scripts/check-apple.
# shellcheck shell=bash

# check_examples README… -- FLAG…: compiles each example as a script with these compiler flags. Skips manifests. Adds to `checked` and
# `broken`, and prints the compiler's errors.
checked=0 broken=0
check_examples() {
    local readmes=() work example
    while [[ $1 != -- ]]; do
        readmes+=("$1")
        shift
    done
    shift
    work=$(mktemp -d)
    # Writes a file per example, named after the README's folder.
    awk -v work="$work" '
        FNR == 1 { n = split(FILENAME, parts, "/"); module = parts[n - 1]; count = 0; inside = 0 }
        /^```swift$/ { inside = 1; count++; file = work "/" module "-" count ".swift"; next }
        /^```$/ { if (inside) close(file); inside = 0; next }
        inside { print > file }
    ' "${readmes[@]}"
    for example in "$work"/*.swift; do
        if head -n 1 "$example" | grep -q '^// Package.swift'; then rm "$example"; fi
    done
    printf '"%s"\n' -swift-version 6 "$@" >"$work/flags"
    find "$work" -name '*.swift' -print0 | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" \
        sh -c 'swiftc -typecheck @"$0" "$1" >"$1.log" 2>&1 || touch "$1.broken"' "$work/flags"
    for example in "$work"/*.swift; do
        checked=$((checked + 1))
        if [[ -e $example.broken ]]; then
            printf 'in the README of %s:\n' "$(basename "$example" .swift)" >&2
            sed -nE "s#^$example:(.*error: .*)#\\1#p" "$example.log" >&2
            broken=$((broken + 1))
        fi
    done
    rm -rf "$work"
}
