// swift-tools-version: 6.2
import PackageDescription

// The feed on Apple's platforms: open this folder in Xcode. The root's manifest has the model as a target too.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "photo-feed",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "PhotoFeedModel", targets: ["PhotoFeedModel"]),
        .library(name: "PhotoFeedViews", targets: ["PhotoFeedViews"]),
    ],
    dependencies: [.package(name: "swift-image-loading", path: "../..")],
    targets: [
        .target(
            name: "PhotoFeedModel",
            dependencies: [module("ImageCore"), module("ImageLoading"), module("ImageThumbHash")], swiftSettings: strict
        ),
        .target(
            name: "PhotoFeedViews",
            dependencies: [
                "PhotoFeedModel", module("ImageCore"), module("ImagePresentingSwiftUI"), module("ImageThumbHash"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "PhotoFeedApp",
            dependencies: [
                "PhotoFeedModel", "PhotoFeedViews", module("ImageLoaderKit"), module("ImageLoading"),
                module("ImagePresentingSwiftUI"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
