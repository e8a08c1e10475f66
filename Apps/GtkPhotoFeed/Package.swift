// swift-tools-version: 6.2
import PackageDescription

// A package of its own, and nobody's dependency: it does not build where GTK 4 is missing, and everything else has to.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Drawing images takes ten times as long without.
let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// GTK belongs to one thread, so everything here is on the main actor unless it says otherwise.
let toolkit = strict + [.defaultIsolation(MainActor.self)]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "gtk-photo-feed",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "GtkImageUI", targets: ["GtkImageUI"]),
        .executable(name: "photo-feed", targets: ["photo-feed"]),
    ],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(
            name: "GtkImageUI",
            dependencies: ["CGtk", module("ImageCore"), module("ImageLoading"), module("ImagePresenting")],
            swiftSettings: toolkit),
        .target(
            name: "PhotoFeedDesktop",
            dependencies: [
                "GtkImageUI", "CGtk", module("ImageCore"), module("ImageDecoding"), module("ImageLoading"),
                module("ImageLoaderKit"), module("ImagePresenting"),
                "FeedOrigin", "PhotoFeedModel",
            ],
            swiftSettings: toolkit),
        .executableTarget(
            name: "photo-feed",
            dependencies: [
                "PhotoFeedDesktop", "feed-server", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Links to the targets of the package in the root, which does not publish them.
        .target(name: "FeedOrigin", dependencies: [module("ImageCore")], swiftSettings: optimized),
        .executableTarget(
            name: "feed-server",
            dependencies: [
                "FeedOrigin", module("ImageCore"), module("ImageCodecJPEG"), module("ImageCodecPNG"),
                module("ImageCodecWebP"), module("ImageCodecGIF"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .target(
            name: "PhotoFeedModel", dependencies: [module("ImageCore"), module("ImageLoading")], swiftSettings: strict),
        .testTarget(
            name: "PhotoFeedDesktopTests",
            dependencies: [
                "PhotoFeedDesktop", "GtkImageUI", "CGtk", module("ImageCore"), module("ImageLoading"),
                module("ImagePresenting"),
                "PhotoFeedModel", "feed-server",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GtkImageUITests",
            dependencies: [
                "GtkImageUI", "CGtk", module("ImageCore"), module("ImageLoading"), module("ImageLoaderKit"),
                module("ImagePresenting"), module("ImageTesting"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
