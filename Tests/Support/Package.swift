// swift-tools-version: 6.2
import PackageDescription

// What an app needs of the tests' support, because a package can't reach into another's folders: the rooms' own
// manifest, in the root, has the same target for the tests, and publishes rooms alone.

let rooms = ["ImageCore", "ImageTesting", "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF"]

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Support",
    platforms: [.macOS(.v15)],
    products: ["GeneratedPictures", "LoopbackServer", "StagedLoader"].map { .library(name: $0, targets: [$0]) },
    dependencies: [.package(name: "swift-image-loading", path: "../..")],
    targets: [
        .target(
            name: "GeneratedPictures",
            dependencies: rooms.map { .product(name: $0, package: "swift-image-loading") }, path: "GeneratedPictures",
            swiftSettings: strict),
        .target(
            name: "LoopbackServer", dependencies: [.product(name: "ImageTesting", package: "swift-image-loading")],
            path: "LoopbackServer", swiftSettings: strict),
        .target(
            name: "StagedLoader",
            dependencies: ["ImageCore", "ImageTransporting", "ImageLoading", "ImageTesting", "ImageCoalescing"].map {
                .product(name: $0, package: "swift-image-loading")
            }, path: "StagedLoader", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
