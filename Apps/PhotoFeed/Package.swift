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
    name: "photo-feed",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "PhotoFeedModel", targets: ["PhotoFeedModel"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(name: "Support", path: "../../Tests/Support"),
    ],
    targets: [
        .target(
            name: "PhotoFeedModel", dependencies: [room("ImageCore"), room("ImageLoading")], swiftSettings: strict),
        .testTarget(
            name: "PhotoFeedModelTests",
            dependencies: [
                "PhotoFeedModel", room("ImageCore"), room("ImageLoading"), room("ImageTesting"),
                room("ImageTransporting"),
                .product(name: "StagedLoader", package: "Support"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
