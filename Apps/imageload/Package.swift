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
    name: "imageload",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "imageload", targets: ["imageload"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(name: "Support", path: "../../Tests/Support"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(name: "imageload", dependencies: ["ImageLoadTool"], swiftSettings: strict),
        .target(
            name: "ImageLoadTool",
            dependencies: [
                room("ImageCore"), room("ImageDecoding"), room("ImageLoading"), room("ImageLoadingDefaults"),
                room("ImageDiskCaching"), room("ImageHTTPCaching"), room("ImageTransportCaching"),
                room("ImageTransporting"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ImageLoadToolTests",
            dependencies: [
                "ImageLoadTool", "imageload", room("ImageCore"), room("ImageDecoding"), room("ImageDiskCaching"),
                room("ImageLoadingDefaults"), .product(name: "LoopbackServer", package: "Support"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
