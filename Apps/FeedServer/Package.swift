// swift-tools-version: 6.2
import PackageDescription

// The demo server for the other packages in Apps. The root's manifest has it as a target too.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "feed-server",
    platforms: [.macOS(.v15)],
    products: [.library(name: "FeedOrigin", targets: ["FeedOrigin"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(name: "test-support", path: "../../Tests/Support"),
    ],
    targets: [
        // Optimized in debug builds too, because drawing images would otherwise be too slow.
        .target(
            name: "FeedOrigin",
            dependencies: [
                module("ImageCore"), module("ImageThumbHash"), module("ImageTransporting"),
                .product(name: "LoopbackServer", package: "test-support"),
            ],
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))])
    ],
    swiftLanguageModes: [.v6]
)
