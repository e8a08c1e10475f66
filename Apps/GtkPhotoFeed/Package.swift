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

/// GTK belongs to one thread, so everything here is on the main actor unless it says otherwise.
let toolkit = strict + [.defaultIsolation(MainActor.self)]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "gtk-photo-feed",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "GtkImageUI", targets: ["GtkImageUI"]),
        .executable(name: "photo-feed", targets: ["photo-feed"]),
    ],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(name: "FeedServer", path: "../FeedServer"),
        .package(name: "PhotoFeed", path: "../PhotoFeed"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(
            name: "GtkImageUI",
            dependencies: ["CGtk", room("ImageCore"), room("ImageLoading"), room("ImagePresenting")],
            swiftSettings: toolkit),
        .target(
            name: "PhotoFeedDesktop",
            dependencies: [
                "GtkImageUI", "CGtk", room("ImageCore"), room("ImageDecoding"), room("ImageLoading"),
                room("ImageLoadingDefaults"), room("ImagePresenting"),
                .product(name: "FeedOrigin", package: "FeedServer"),
                .product(name: "PhotoFeedModel", package: "PhotoFeed"),
            ],
            swiftSettings: toolkit),
        .executableTarget(
            name: "photo-feed",
            dependencies: [
                "PhotoFeedDesktop", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "feed-server", package: "FeedServer"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PhotoFeedDesktopTests",
            dependencies: [
                "PhotoFeedDesktop", "GtkImageUI", "CGtk", room("ImageCore"), room("ImageLoading"),
                room("ImagePresenting"),
                .product(name: "feed-server", package: "FeedServer"),
                .product(name: "PhotoFeedModel", package: "PhotoFeed"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GtkImageUITests",
            dependencies: [
                "GtkImageUI", "CGtk", room("ImageCore"), room("ImageLoading"), room("ImageLoadingDefaults"),
                room("ImagePresenting"), room("ImageTesting"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
