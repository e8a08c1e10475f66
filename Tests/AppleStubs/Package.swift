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
        stub("UIKit", dependencies: "CoreGraphics", "QuartzCore"),
        stub("AppKit", dependencies: "CoreGraphics", "QuartzCore"),
        stub("SwiftUI", dependencies: "CoreGraphics", "Combine"),

        module("ImageCore", uses: ["ImageIO"], settings: strict + [.enableExperimentalFeature("Lifetimes")]),
        module("ImageMemoryCaching", uses: ["ImageCore"]),
        kernels("CImageDiskCaching"),
        module("ImageDiskCaching", uses: ["ImageCore", "CImageDiskCaching", "ImageIO"]),
        module("ImageTieredCaching", uses: ["ImageCore"]),
        kernels("CImageTransporting", links: "z"),
        module("ImageTransporting", uses: ["ImageCore", "CImageTransporting", httpTypes]),
        module("ImageHTTPCaching", uses: ["ImageCore", "ImageTransporting", httpTypes]),
        module(
            "ImageTransportURLSession", uses: ["ImageCore", "ImageTransporting", "ImageIO", httpTypes],
            completing: ["AppleFoundation"]),
        kernels("CImageProcessing"),
        module("ImageProcessing", uses: ["ImageCore", "CImageProcessing"]),
        module("ImageDecoding", uses: ["ImageCore", "ImageProcessing"]),
        module("ISOBoxes", uses: ["ImageCore"]),
        module("ImageMetadata", uses: ["ImageCore", "ISOBoxes"]),
        module("ImageThumbHash", uses: ["ImageCore"]),
        module("ImageCodecBMP", uses: ["ImageCore"]),
        module("ImageMonitoring", uses: ["ImageCore", "ImageIO", "Network"], completing: ["AppleDispatch"]),
        module("ImageObserving", uses: ["ImageCore", "os"]),
        module("ImageScheduling", uses: ["ImageCore"]),
        module("ImageCoalescing", uses: ["ImageCore"]),
        module(
            "ImageLoading", uses: ["ImageCore", "ImageTransporting", httpTypes],
            settings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        module("ImagePresenting", uses: ["ImageCore", "ImageLoading"]),
        module("ImageTesting", uses: loaderParts),
        // Here the compiler warns of casts between Core Foundation and Foundation types, because they are equal.
        module(
            "ImageCodecImageIO", uses: ["ImageCore", "CoreGraphics", "ImageIO"],
            settings: [.strictMemorySafety(), .enableUpcomingFeature("InternalImportsByDefault")]),
        module(
            "ImagePresentingUIKit",
            uses: [
                "ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "UIKit", "QuartzCore", "ImageIO",
                "Accessibility",
            ]),
        module(
            "ImagePresentingAppKit",
            uses: [
                "ImageCore", "ImagePresenting", "ImageCodecImageIO", "AppKit", "QuartzCore", "ImageIO", "Accessibility",
            ]),
        module(
            "ImagePresentingSwiftUI",
            uses: [
                "ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO", "SwiftUI", "Combine", "ImageIO",
            ]),
        module(
            "ImageLoaderKit",
            uses: [
                "ImageMemoryCaching", "ImageMonitoring", "ImageDiskCaching", "ImageTieredCaching", "ImageHTTPCaching",
                "ImageDecoding", "ImageProcessing", "ImageScheduling", "ImageTransportURLSession", "ImageCodecImageIO",
                "ImageCodecBMP", "ImageMetadata", "ImageThumbHash", "ImageIO",
            ] + loaderParts, completing: ["AppleFoundation"]),

        module(
            "ImageContractTesting",
            uses: ["ImageMemoryCaching", "ImageHTTPCaching", "ImageTesting"] + loaderParts),
        .target(name: "LoopbackServer", dependencies: ["ImageTesting"], path: "LoopbackServer"),
        .target(
            name: "DataTransportFixtures",
            dependencies: ["LoopbackServer", "ImageContractTesting", "ImageTesting", "ImageTransporting", httpTypes],
            path: "DataTransportFixtures"),
        module("PhotoFeedModel", uses: ["ImageCore", "ImageLoading", "ImageThumbHash"]),
        module(
            "PhotoFeedViews",
            uses: ["PhotoFeedModel", "ImageCore", "ImagePresentingSwiftUI", "ImageThumbHash", "SwiftUI"]),
        .executableTarget(
            name: "PhotoFeedApp",
            dependencies: [
                "PhotoFeedModel", "PhotoFeedViews", "ImageLoaderKit", "ImageLoading", "ImagePresentingSwiftUI",
                "SwiftUI", "ImageIO", "AppleFoundation",
            ],
            path: "Modules/PhotoFeedApp", swiftSettings: strict + importing(["AppleFoundation"])),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "ImagePresenting", "ImagePresentingUIKit", "ImagePresentingAppKit", "AppKit", "ImagePresentingSwiftUI",
                "ImageCodecImageIO", "ImageContractTesting",
                "ImageLoaderKit", "ImageMonitoring", "ImageTransportURLSession", "ImageTesting", "UIKit", "SwiftUI",
                "Accessibility", "PhotoFeedModel", "PhotoFeedViews", "CoreGraphics", "ImageIO", "Network",
                "AppleDispatch",
                "AppleFoundation", "ImageObserving", "os",
            ] + loaderParts,
            path: "Tests", swiftSettings: testSettings),
        // The examples of the repository's README. Only type-checked here.
        .testTarget(
            name: "ReadmeExamples", dependencies: ["ImageLoaderKit", "ImageIO"], path: "Examples",
            swiftSettings: testSettings),
        // Only type-checked here: the fake ImageIO keeps no contract.
        .testTarget(
            name: "AppleSuites",
            dependencies: [
                "ImageCodecImageIO", "ImageContractTesting", "ImageLoaderKit", "ImageMonitoring",
                "ImageTransportURLSession", "ImageTesting", "ImageIO", "LoopbackServer", "DataTransportFixtures",
            ] + loaderParts,
            path: "Suites", swiftSettings: testSettings),
    ],
    swiftLanguageModes: [.v6]
)
