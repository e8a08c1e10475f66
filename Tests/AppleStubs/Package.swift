// swift-tools-version: 6.2
import PackageDescription

// Builds the modules for Apple's platforms on Linux against stub declarations. `Scripts/check-apple` assembles the
// package in a separate folder, from links to this manifest, the folders next to it and the sources of the modules
// (`Modules`). It can't be built here.

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

/// Imports stubs in each file of a module. They declare what modules of Linux have only on Apple's platforms.
func importing(_ stubs: [String]) -> [SwiftSetting] {
    stubs.map { .unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", $0]) }
}

/// Declares a module. Each of its files also imports the stubs in `completing`.
func module(
    _ name: String, uses dependencies: [Target.Dependency] = [], completing stubs: [String] = [],
    settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: dependencies + stubs.map { .target(name: $0) }, path: "Modules/\(name)",
        swiftSettings: settings + importing(stubs))
}

func kernels(_ name: String, links libraries: String...) -> Target {
    .target(name: name, path: "Modules/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let loaderParts: [Target.Dependency] = ["ImageCore", "ImageTransporting", "ImageLoading", "ImageCoalescing", httpTypes]
let codecs: [Target.Dependency] = ["ImageDecoding", "ImageMetadata", "ImageCodecBMP", "ImageCodecImageIO"]
let caches: [Target.Dependency] = ["ImageMemoryCaching", "ImageDiskCaching", "ImageTieredCaching", "ImageHTTPCaching"]
/// What views need.
let views: [Target.Dependency] = [
    "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "UIKit", "AppKit", "SwiftUI", "Combine", "Accessibility",
]

/// Otherwise Swift Testing imports its overlays for CoreGraphics and UIKit.
let testSettings: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]

let package = Package(
    name: "apple-adapters",
    dependencies: [.package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0")],
    targets: [
        stub("AppleDispatch"),
        stub("AppleFoundation"),
        stub("Network"),
        stub("Accessibility"),
        stub("os"),
        stub("Combine"),
        stub("CoreGraphics"),
        stub("ImageIO", dependencies: "CoreGraphics"),
        stub("QuartzCore", dependencies: "CoreGraphics"),
        stub("UIKit", dependencies: "QuartzCore"),
        stub("AppKit", dependencies: "QuartzCore"),
        stub("SwiftUI", dependencies: "CoreGraphics", "Combine"),

        module("ImageCore", uses: ["ImageIO"], settings: strict + [.enableExperimentalFeature("Lifetimes")]),
        module("ImageMemoryCaching", uses: ["ImageCore"]),
        kernels("CImageDiskCaching"),
        module("ImageDiskCaching", uses: ["ImageCore", "CImageDiskCaching"]),
        module("ImageTieredCaching", uses: ["ImageCore"]),
        kernels("CImageTransporting", links: "z"),
        module("ImageTransporting", uses: ["ImageCore", "CImageTransporting", httpTypes]),
        module("ImageHTTPCaching", uses: ["ImageTransporting"]),
        module("ImageTransportURLSession", uses: ["ImageTransporting"], completing: ["AppleFoundation"]),
        kernels("CImageProcessing"),
        module("ImageProcessing", uses: ["ImageCore", "CImageProcessing"]),
        module("ImageDecoding", uses: ["ImageProcessing"]),
        module("ISOBoxes", uses: ["ImageCore"]),
        module("ImageMetadata", uses: ["ISOBoxes"]),
        module("ImageThumbHash", uses: ["ImageCore"]),
        module("ImageCodecBMP", uses: ["ImageCore"]),
        module("ImageMonitoring", uses: ["ImageCore", "Network"], completing: ["AppleDispatch"]),
        module("ImageObserving", uses: ["ImageCore", "os"]),
        module("ImageScheduling", uses: ["ImageCore"]),
        module("ImageCoalescing", uses: ["ImageCore"]),
        module(
            "ImageLoading", uses: ["ImageTransporting"],
            settings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        module("ImagePresenting", uses: ["ImageLoading"]),
        module("ImageTesting", uses: loaderParts),
        // Here the compiler warns of casts between Core Foundation and Foundation types, because they are equal.
        module(
            "ImageCodecImageIO", uses: ["ImageCore"],
            settings: [.strictMemorySafety(), .enableUpcomingFeature("InternalImportsByDefault")]),
        module("ImagePresentingUIKit", uses: views),
        module("ImagePresentingAppKit", uses: views),
        module("ImagePresentingSwiftUI", uses: views),
        module(
            "ImageLoaderKit",
            uses: caches + codecs + loaderParts + [
                "ImageMonitoring", "ImageScheduling", "ImageTransportURLSession", "ImageThumbHash",
            ], completing: ["AppleFoundation"]),

        module("ImageContractTesting", uses: caches + loaderParts + ["ImageTesting"]),
        .target(name: "LoopbackServer", dependencies: ["ImageTesting"], path: "LoopbackServer"),
        .target(
            name: "DataTransportFixtures", dependencies: ["LoopbackServer", "ImageContractTesting"],
            path: "DataTransportFixtures"),
        module("PhotoFeedModel", uses: ["ImageLoading", "ImageThumbHash"]),
        module("PhotoFeedViews", uses: ["PhotoFeedModel", "ImagePresentingSwiftUI"]),
        .executableTarget(
            name: "PhotoFeedApp", dependencies: ["PhotoFeedViews", "ImageLoaderKit"], path: "Modules/PhotoFeedApp",
            swiftSettings: strict + importing(["AppleFoundation"])),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "ImagePresentingUIKit", "ImagePresentingAppKit", "PhotoFeedViews", "ImageLoaderKit",
                "ImageContractTesting", "ImageObserving",
            ],
            path: "Tests", swiftSettings: testSettings),
        // The examples of the repository's README. Only type-checked here.
        .testTarget(
            name: "ReadmeExamples", dependencies: ["ImageLoaderKit"], path: "Examples", swiftSettings: testSettings),
        // Only type-checked here: the fake ImageIO keeps no contract.
        .testTarget(
            name: "AppleSuites", dependencies: ["ImageLoaderKit", "DataTransportFixtures"], path: "Suites",
            swiftSettings: testSettings),
    ],
    swiftLanguageModes: [.v6]
)
