// swift-tools-version: 6.2
import PackageDescription

// Builds the Apple adapters on Linux against stub declarations. `Scripts/check-apple` assembles the package in a
// separate folder, from links to this manifest, the folders next to it and the sources of the modules (`Modules`). It
// can't be built here.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Declares a stub of an Apple module.
func stub(_ name: String, dependencies: Target.Dependency...) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Stubs/\(name)",
        swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")])
}

func module(_ name: String, dependencies: [Target.Dependency], settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: settings)
}

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "apple-adapters",
    dependencies: [.package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0")],
    targets: [
        stub("CoreGraphics"),
        stub("ImageIO", dependencies: "CoreGraphics"),
        stub("QuartzCore", dependencies: "CoreGraphics"),
        stub("UIKit", dependencies: "CoreGraphics", "QuartzCore"),
        stub("SwiftUI", dependencies: "CoreGraphics"),

        module("ImageCore", dependencies: []),
        .target(
            name: "CImageTransporting", path: "Modules/CImageTransporting", linkerSettings: [.linkedLibrary("z")]),
        module("ImageTransporting", dependencies: ["ImageCore", "CImageTransporting", httpTypes]),
        module("ImageCoalescing", dependencies: ["ImageCore"]),
        module("ImageLoading", dependencies: ["ImageCore", "ImageTransporting", httpTypes]),
        module("ImagePresenting", dependencies: ["ImageCore", "ImageLoading"]),
        module(
            "ImageTesting",
            dependencies: ["ImageCore", "ImageTransporting", "ImageLoading", "ImageCoalescing", httpTypes]),
        // Here the compiler warns of casts between Core Foundation and Foundation types, because they are equal.
        module(
            "ImageCodecImageIO", dependencies: ["ImageCore", "CoreGraphics", "ImageIO"],
            settings: [.strictMemorySafety()]),
        module(
            "ImagePresentingUIKit",
            dependencies: [
                "ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "UIKit", "QuartzCore", "ImageIO",
            ]),
        module(
            "ImagePresentingSwiftUI",
            dependencies: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "SwiftUI", "ImageIO"]),
        module("ImageThumbHash", dependencies: ["ImageCore"]),
        .target(
            name: "PhotoFeedModel", dependencies: ["ImageCore", "ImageLoading", "ImageThumbHash"],
            path: "Modules/PhotoFeedModel", swiftSettings: strict),
        .target(
            name: "PhotoFeedViews",
            dependencies: ["PhotoFeedModel", "ImageCore", "ImagePresentingSwiftUI", "ImageThumbHash", "SwiftUI"],
            path: "Modules/PhotoFeedViews", swiftSettings: strict),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "ImageCore", "ImageTransporting", "ImageLoading", "ImagePresenting", "ImagePresentingUIKit",
                "ImagePresentingSwiftUI", "ImageCodecImageIO", "ImageTesting", "PhotoFeedModel", "PhotoFeedViews",
                "UIKit",
                "SwiftUI", "CoreGraphics", httpTypes,
            ],
            path: "Tests",
            // Otherwise Swift Testing imports its overlays for CoreGraphics and UIKit.
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    ],
    swiftLanguageModes: [.v6]
)
