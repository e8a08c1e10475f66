// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it needs GTK 4 and the root package must build without it.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Isolates everything to the main actor by default, because GTK can only be used on one thread.
let toolkit = strict + [.defaultIsolation(MainActor.self)]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

/// The demo server, its HTTP server, and the model of the feed.
let feed: [Target.Dependency] = [
    .product(name: "FeedOrigin", package: "feed-server"), .product(name: "PhotoFeedModel", package: "photo-feed"),
    .product(name: "LoopbackServer", package: "test-support"),
]

let package = Package(
    name: "gtk-photo-feed",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "photo-feed", targets: ["photo-feed"])
    ],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..", traits: ["GTK"]),
        .package(name: "feed-server", path: "../FeedServer"),
        .package(name: "photo-feed", path: "../PhotoFeed"),
        .package(name: "test-support", path: "../../Tests/Support"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(
            name: "CLibAdwaita", pkgConfig: "libadwaita-1",
            providers: [.apt(["libadwaita-1-dev"]), .brew(["libadwaita"])]),
        .target(
            name: "PhotoFeedDesktop",
            dependencies: [
                "CMalloc", "CLibAdwaita", module("ImageCore"), module("ImageLoading"), module("ImageLoaderKit"),
                module("ImageMetadata"), module("ImagePresenting"), module("ImagePresentingGTK"),
                module("ImageThumbHash"),
            ] + feed,
            resources: [.copy("Resources/share")], swiftSettings: toolkit),
        .executableTarget(
            name: "photo-feed",
            dependencies: [
                "PhotoFeedDesktop", module("ImageCore"), module("ImageLoaderKit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // The example of the guide ImagesInGTK.
        .executableTarget(
            name: "image-window",
            dependencies: [module("ImagePresentingGTK"), module("ImageLoaderKit")],
            swiftSettings: toolkit),
        .testTarget(
            name: "PhotoFeedDesktopTests",
            dependencies: [
                "PhotoFeedDesktop", module("ImagePresentingGTK"), module("ImageCore"), module("ImageLoading"),
                module("ImageLoaderKit"), module("ImageMetadata"), module("ImagePresenting"),
            ] + feed,
            swiftSettings: strict),
        .testTarget(
            name: "ImagePresentingGTKTests",
            dependencies: [
                module("ImagePresentingGTK"), module("ImageCore"), module("ImageLoading"), module("ImageLoaderKit"),
                module("ImagePresenting"), module("ImageTesting"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
