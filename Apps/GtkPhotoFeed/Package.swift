// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it needs GTK 4 and the root package must build without it. No package depends on it.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Optimizes a target in debug builds too, because drawing images would otherwise take ten times as long.
let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Isolates everything to the main actor by default, because GTK can only be used on one thread.
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
                "GtkImageUI", "CGtk", module("ImageCore"), module("ImageLoading"),
                module("ImageLoaderKit"), module("ImagePresenting"), module("ImageThumbHash"),
                "FeedOrigin", "LoopbackServer", "PhotoFeedModel",
            ],
            swiftSettings: toolkit),
        .executableTarget(
            name: "photo-feed",
            dependencies: [
                "PhotoFeedDesktop", module("ImageCore"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // The example of the guide ImagesInGTK.
        .executableTarget(
            name: "image-window",
            dependencies: ["GtkImageUI", "CGtk", module("ImageCore"), module("ImageLoaderKit")],
            swiftSettings: toolkit),
        // Symbolic links to targets of the root package that are not products.
        .target(name: "LoopbackServer", dependencies: [module("ImageTesting")], swiftSettings: strict),
        .target(
            name: "FeedOrigin",
            dependencies: [
                "LoopbackServer", module("ImageCore"), module("ImageThumbHash"), module("ImageTransporting"),
            ], swiftSettings: optimized),
        .target(
            name: "PhotoFeedModel",
            dependencies: [module("ImageCore"), module("ImageLoading"), module("ImageThumbHash")], swiftSettings: strict
        ),
        .testTarget(
            name: "PhotoFeedDesktopTests",
            dependencies: [
                "PhotoFeedDesktop", "GtkImageUI", "CGtk", module("ImageCore"), module("ImageLoading"),
                module("ImageLoaderKit"), module("ImagePresenting"),
                "FeedOrigin", "PhotoFeedModel",
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
