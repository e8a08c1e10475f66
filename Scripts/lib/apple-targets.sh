# What the compiler needs for Apple's systems on Linux: their names, the standard library and Apple's headers of C. Sourced by
# Scripts/check-apple-targets, after common.sh.
# shellcheck shell=bash

work="$root/.build-apple/targets"
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
version=$(swiftc --version 2>/dev/null | sha256sum | cut -c1-12)
mkdir -p "$work"

# minimum PLATFORM: prints the oldest version that the manifest supports.
minimum() {
    [[ -n ${APPLE_MINIMUMS:-} ]] || APPLE_MINIMUMS=$(swift package --package-path "$root" dump-package | python3 -c '
import json, sys
for platform in json.load(sys.stdin)["platforms"]: print(platform["platformName"], platform["version"])')
    export APPLE_MINIMUMS
    awk -v name="$1" '$1 == name { print $2 }' <<<"$APPLE_MINIMUMS"
}

# describe_target NAME: sets the compiler's names of a target, the folder of its modules, and the frameworks that it doesn't have.
describe_target() {
    local system suffix=-simulator
    missing=AppKit
    case $1 in
        ios) system=ios platform=iphonesimulator ;;
        macos) system=macosx suffix="" platform=macosx missing=UIKit ;;
        catalyst) system=ios suffix=-macabi platform=maccatalyst ;;
        tvos) system=tvos platform=appletvsimulator ;;
        watchos) system=watchos platform=watchsimulator missing="AppKit UIKit QuartzCore" ;;
        visionos) system=xros platform=xrsimulator ;;
        *) fail "unknown target: $1" "use one of ${targets[*]}" ;;
    esac
    target=x86_64-apple-$system$(minimum "${1/catalyst/ios}")$suffix
    triple=x86_64-apple-${system/macosx/macos}$suffix
    resources=$work/$1-$version
}

fetch_headers() {
    [[ ! -d $work/include ]] || return 0
    say "fetching Apple's headers of C"
    local wheel
    wheel=$(mktemp -d)
    python3 -m venv "$wheel/python"
    "$wheel/python/bin/pip" download -q --no-deps --disable-pip-version-check -d "$wheel" ziglang
    python3 -m zipfile -e "$wheel"/*.whl "$wheel"
    # Without clang's own module maps, the headers are plain text.
    grep -rlE '__has_feature\(modules\)' "$wheel/ziglang" | xargs sed -i 's/__has_feature(modules)/0/g'
    mv "$wheel/ziglang/lib/libc/include/any-darwin-any" "$work/include"
    rm -rf "$wheel"
}

# build_standard_library: writes the modules of the standard library and of Swift Testing for `target` into `resources`. The interfaces
# are those of x86-64. What is older than visionOS has no version for it there.
build_standard_library() {
    [[ ! -e $resources/complete ]] || return 0
    say "building the standard library for $target"
    rm -rf "$resources"
    mkdir -p "$resources/clang"
    ln -s "$toolchain/lib/swift/shims" "$toolchain/lib/swift/apinotes" "$resources/"
    cp -rL "$toolchain/lib/swift/clang/include" "$resources/clang/"
    rm -f "$resources/clang/include/module.modulemap"
    local module interface
    for module in Swift SwiftOnoneSupport _Concurrency _StringProcessing Synchronization Observation Testing; do
        interface=$resources/$module.swiftinterface
        sed -E "/iOS [0-9.]+.*\\*\\)/{/visionOS/! s/, \\*\\)/, visionOS 1.0, *)/}
            s/-target [^ ]+/-target $target/; s/-target-min-inlining-version [^ ]+//; s/@backDeployed\([^)]*\)//g; s/^import Glibc//
            s/_swift_stdlib_gettid\(\)/UInt32(0)/g; s/^(. swift-module-flags:)/\1 -disable-availability-checking/" \
            "$toolchain/lib/swift/linux/$module.swiftmodule/x86_64-unknown-linux-gnu.swiftinterface" >"$interface"
        # The compiler looks for it on systems with Objective-C.
        [[ $module != Swift ]] || printf '%s\n' '@frozen @unsafe public struct AutoreleasingUnsafeMutablePointer<Pointee>' \
            ': @unsafe Swift._Pointer { public let _rawValue: Builtin.RawPointer' \
            'public init(_ _rawValue: Builtin.RawPointer); public var pointee: Pointee { get nonmutating set } }' >>"$interface"
        mkdir -p "$resources/$platform/$module.swiftmodule"
        swift-frontend -compile-module-from-interface -parse-stdlib -disable-availability-checking -module-name "$module" \
            -target "$target" -resource-dir "$resources" -module-cache-path "$resources/cache-stdlib" \
            -o "$resources/$platform/$module.swiftmodule/$triple.swiftmodule" "$interface"
    done
    touch "$resources/complete"
}
