// swift-tools-version: 6.2
import PackageDescription

// The Apple adapters on Linux, over declarations of our own. `Scripts/check-apple` puts this manifest, links to the modules' sources
// (`Modules`) and links to the folders beside it together in a folder of their own: here it can't be built.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of Apple's, as we declare it.
func stub(_ name: String, over dependencies: Target.Dependency...) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Stubs/\(name)",
        swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")])
}

func module(_ name: String, knows dependencies: [Target.Dependency], settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: settings)
}

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "apple-adapters",
    dependencies: [.package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0")],
    targets: [
        stub("CoreGraphics"),
        stub("ImageIO", over: "CoreGraphics"),
        stub("UIKit", over: "CoreGraphics"),
        stub("SwiftUI", over: "CoreGraphics"),

        module("ImageCore", knows: []),
        module("ImageTransporting", knows: ["ImageCore", httpTypes]),
        module("ImageCoalescing", knows: ["ImageCore"]),
        module("ImageLoading", knows: ["ImageCore", "ImageTransporting", httpTypes]),
        module("ImagePresenting", knows: ["ImageCore", "ImageLoading"]),
        module("ImageTesting", knows: ["ImageCore", "ImageTransporting", httpTypes]),
        module(
            "LoaderTestBed",
            knows: ["ImageCore", "ImageTransporting", "ImageLoading", "ImageTesting", "ImageCoalescing"]),
        // Casts between Apple's types and Foundation's are casts between equal types here, of which the compiler warns.
        module(
            "ImageCodecImageIO", knows: ["ImageCore", "CoreGraphics", "ImageIO"], settings: [.strictMemorySafety()]),
        module(
            "ImagePresentingUIKit",
            knows: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "UIKit", "ImageIO"]),
        module(
            "ImagePresentingSwiftUI",
            knows: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "SwiftUI", "ImageIO"]),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "ImageCore", "ImageTransporting", "ImageLoading", "ImagePresenting", "ImagePresentingUIKit",
                "ImagePresentingSwiftUI", "ImageCodecImageIO", "ImageTesting", "LoaderTestBed", "UIKit", "SwiftUI",
                "CoreGraphics", httpTypes,
            ],
            path: "Tests",
            // The test library would import what it has for Apple's own CoreGraphics and UIKit.
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    ],
    swiftLanguageModes: [.v6]
)
