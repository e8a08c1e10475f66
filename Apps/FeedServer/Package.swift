// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "feed-server",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FeedOrigin", targets: ["FeedOrigin"]),
        .executable(name: "feed-server", targets: ["FeedServerCommand"]),
    ],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "FeedOrigin",
            dependencies: [room("ImageCore")],
            // Drawing takes ten times as long without, and whatever starts the server in its tests waits for it.
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .executableTarget(
            name: "FeedServerCommand",
            dependencies: [
                "FeedOrigin", room("ImageCore"), room("ImageCodecJPEG"), room("ImageCodecPNG"), room("ImageCodecWebP"),
                room("ImageCodecGIF"), .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FeedOriginTests",
            dependencies: [
                "FeedOrigin", room("ImageCore"), room("ImageCodecJPEG"), room("ImageCodecPNG"), room("ImageCodecWebP"),
                room("ImageCodecGIF"), room("ImageTesting"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
