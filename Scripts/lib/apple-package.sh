# The package of Tests/AppleStubs, which builds the modules for Apple's platforms on Linux. Sourced by scripts, after common.sh.
# shellcheck shell=bash

apple_package="$root/.build-apple"
# Options of `swift build` and `swift test`.
apple_build=(--package-path "$apple_package" "${checked_imports[@]}" "${built_once[@]}")

# assemble_apple_package: makes the package from links, because a package can't use sources outside of its folder, and a module named
# UIKit must not be visible to other builds.
assemble_apple_package() {
    local part module modules="$apple_package/Modules"
    mkdir -p "$modules" "$apple_package/Examples"
    for part in Package.swift Stubs; do ln -sfn "$root/Tests/AppleStubs/$part" "$apple_package/$part"; done
    rm -rf "$apple_package/Tests"
    mkdir "$apple_package/Tests"
    ln -s "$root"/Tests/AppleStubs/Tests/*.swift "$root/Apps/PhotoFeed/Tests/PhotoFeedModelTests/ScriptedPhotoService.swift" \
        "$apple_package/Tests/"
    ln -sfn "$root/Tests/IntegrationTests/ReadmeExamples.swift" "$apple_package/Examples/ReadmeExamples.swift"
    ln -sfn "$root/Tests/AppleSuites/Tests" "$apple_package/Suites"
    for part in LoopbackServer DataTransportFixtures; do ln -sfn "$root/Tests/Support/$part" "$apple_package/$part"; done
    ln -sfn "$root/Apps/PhotoFeed/Sources/PhotoFeedApp" "$modules/"
    # Links the modules that the manifest names, from whatever package has them.
    while read -r module; do
        ln -sfn "$(find "$root"/Packages/*/Sources "$root/Apps/PhotoFeed/Sources" -maxdepth 1 -name "$module")" "$modules/$module"
    done < <(sed -nE 's/^ *(module|kernels)\("([A-Za-z]+)".*/\2/p; /^ *module\($/{n; s/^ *"([A-Za-z]+)".*/\1/p}' "$apple_package/Package.swift")
}
