# Compiles the Swift examples of READMEs and guides. Sourced by Scripts/check-docs and Scripts/check-apple.
# shellcheck shell=bash

# check_examples FILE… -- FLAG…: compiles each example as a script with these compiler flags. Skips manifests. Adds to `checked` and
# `broken`, and prints the compiler's errors.
#
# Examples that import SwiftUI, UIKit or AppKit without a condition are for Apple's platforms: they are skipped if `platform` is "linux",
# and are the only ones if it is "apple". Another value is a list of folders: only examples whose modules are there are checked.
#
# An example whose first line is a comment with the path of a Swift file in Apps must be a copy of it, which is compiled with its app.
checked=0 broken=0 platform=any
example_compiler=(swiftc -typecheck)
check_examples() {
    local files=() work example
    while [[ $1 != -- ]]; do
        files+=("$1")
        shift
    done
    shift
    work=$(mktemp -d)
    # Writes a file per example, named after the article or the README's folder.
    awk -v work="$work" '
        FNR == 1 {
            n = split(FILENAME, parts, "/"); count = 0; inside = 0
            name = parts[n] == "README.md" ? parts[n - 1] : parts[n]
            sub(/\.[a-z]+$/, "", name)
        }
        /^(```swift|<pre class="swift">)$/ { inside = 1; count++; file = work "/" name "-" count ".swift"; next }
        /^(```|<\/pre>)$/ { if (inside) close(file); inside = 0; next }
        inside { print > file }
    ' "${files[@]}"
    for example in "$work"/*.swift; do
        [[ -e $example ]] || continue
        if is_copy_of_file "$example"; then check_copy "$example"; fi
        if head -n 1 "$example" | grep -qE '^// (Package.swift|swift-tools-version)' || is_copy_of_file "$example" ||
            ! is_for_platform "$example"; then rm "$example"; fi
    done
    type_check_folder "$work" "$@"
}

# check_sources FILE… -- FLAG…: compiles each file as a script, like an example.
check_sources() {
    local work
    work=$(mktemp -d)
    while [[ $1 != -- ]]; do
        if is_for_platform "$1"; then cp "$1" "$work/"; fi
        shift
    done
    shift
    type_check_folder "$work" "$@"
}

type_check_folder() {
    local work=$1 example
    shift
    printf '"%s"\n' "${example_compiler[@]:1}" -swift-version 6 -enable-upcoming-feature MemberImportVisibility "$@" >"$work/flags"
    find "$work" -name '*.swift' -print0 | xargs -0 -r -n 1 -P "$(getconf _NPROCESSORS_ONLN)" \
        sh -c "${example_compiler[0]}"' @"$0" "$1" >"$1.log" 2>&1 || touch "$1.broken"' "$work/flags"
    for example in "$work"/*.swift; do
        [[ -e $example ]] || continue
        checked=$((checked + 1))
        if [[ -e $example.broken ]]; then
            printf 'in %s:\n' "$(basename "$example" .swift)" >&2
            sed -nE "/error: /{s#^$example:##; p}" "$example.log" >&2
            broken=$((broken + 1))
        fi
    done
    rm -rf "$work"
}

is_for_platform() {
    case $platform in
        any) ;;
        apple) grep -qE '^import (SwiftUI|UIKit|AppKit)$' "$1" ;;
        linux) ! grep -qE '^import (SwiftUI|UIKit|AppKit)$' "$1" ;;
        *) imports_only_modules_of "$1" ;;
    esac
}

imports_only_modules_of() {
    local module
    while read -r module; do
        # shellcheck disable=SC2086
        find $platform -maxdepth 1 -name "$module.swiftmodule" | grep -q . || return 1
    done < <(sed -nE 's/^ *(@testable )?(public )?import ([A-Za-z]+).*/\3/p' "$1")
}

is_copy_of_file() { head -n 1 "$1" | grep -qE '^// Apps/.*\.swift$'; }

check_copy() {
    local file
    file=$(sed -nE '1s#^// ##p' "$1")
    checked=$((checked + 1))
    if ! tail -n +2 "$1" | diff -u "$root/$file" - >&2; then
        printf 'in %s: the example differs from %s\n' "$(basename "$1" .swift)" "$file" >&2
        broken=$((broken + 1))
    fi
}
